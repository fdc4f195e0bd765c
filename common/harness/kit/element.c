#include "harness/kit/element.h"

const struct type type_f32 = {"f32", 4};
const struct type type_i32 = {"i32", 4};
const struct type type_u32 = {"u32", 4};
const struct type type_f16 = {"f16", 2};
const struct type type_bf16 = {"bf16", 2};

bool type_is_half(const struct type *type)
{
    return type == &type_f16 || type == &type_bf16;
}
