/*
 * Arrays of f32, f16 or bf16, as a comparison reads them on host and device; and what an output of
 * the two narrow types may be off by, because it was rounded to the type.
 */
#ifndef FLOATS_H
#define FLOATS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/kit/element.h"
#include "harness/kit/half.h"

enum float_type { FLOAT_F32, FLOAT_F16, FLOAT_BF16 };

/* Which of them a type is: one that is no half is FLOAT_F32. */
static inline enum float_type float_type_of(const struct type *type)
{
    return type == &type_f16 ? FLOAT_F16 : type == &type_bf16 ? FLOAT_BF16 : FLOAT_F32;
}

HOST_DEVICE static inline float float_at(const void *x, enum float_type type, size_t i)
{
    return type == FLOAT_F32   ? ((const float *)x)[i]
           : type == FLOAT_F16 ? f32_of_f16(((const uint16_t *)x)[i])
                               : f32_of_bf16(((const uint16_t *)x)[i]);
}

/* Is element i as the poison made it? All its bits are set, as in no NaN that is computed. */
HOST_DEVICE static inline bool poison_at(const void *x, enum float_type type, size_t i)
{
    return type == FLOAT_F32 ? half_float_bits(((const float *)x)[i]) == 0xffffffff
                             : ((const uint16_t *)x)[i] == 0xffff;
}

/* What a number of this magnitude may be off by, when it is rounded to the nearest of a narrow
 * type: 2^-11 of it (f16) or 2^-8 (bf16), or half of the smallest subnormal one. A float is what it
 * is. */
HOST_DEVICE static inline double float_rounding(double magnitude, enum float_type type)
{
    return type == FLOAT_F32   ? 0
           : type == FLOAT_F16 ? 0x1p-11 * magnitude + 0x1p-25
                               : 0x1p-8 * magnitude + 0x1p-134;
}

/* May y be an infinity because a number of this magnitude at most was rounded to a narrow type? */
HOST_DEVICE static inline bool float_overflows(float y, double magnitude, enum float_type type)
{
    return type != FLOAT_F32 && isinf(y) &&
           magnitude >= (type == FLOAT_F16 ? 0x1.ffep15 : 0x1.ffp127);
}

#endif
