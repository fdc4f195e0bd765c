#include "harness/kit/element.h"

const struct type type_f32 = {"f32", 4};
const struct type type_i32 = {"i32", 4};
const struct type type_u32 = {"u32", 4};
