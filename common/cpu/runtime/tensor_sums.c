/*
 * What one instruction of the tensor cores computes, for an element of D: the products are exact,
 * and they and C are added in fixed point. The largest exponent of the terms decides its unit:
 * 2^-25 of it. What a term has below that is cut off, towards zero, before all are added exactly;
 * the sum is cut off to a float, or rounded to the nearest half.
 *
 * NVIDIA does not say so. It is what experiments found for the H100 and H200, with results equal to
 * the bit: Xie et al., "MMA-Sim" (arXiv 2511.10909, 2025), and Khattak and Mikaitis, "Accurate
 * Models of NVIDIA Tensor Cores" (arXiv 2512.07004, 2025), after Fasi et al., "Numerical behavior
 * of NVIDIA tensor cores" (PeerJ Computer Science 7:e330, 2021). Older GPUs have a unit of 2^-23
 * (V100) or 2^-24 (A100), and add fewer products at once. Assumed here, where these do not tell: a
 * product that is 0 has no part in the choice of the unit.
 */
#include <math.h>
#include <string.h>
#include "cpu/runtime/tensor_sums.h"

enum {
    UNIT = 25,            /* bits behind the point, of the largest exponent */
    LEAST_EXPONENT = -126 /* of that; C has it where it is 0 or subnormal */
};

static float float_of(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* Bits of the fraction, of the exponent, and of what is cut off behind them. */
struct format {
    unsigned fraction, exponent, below;
};

static struct format format_of(enum cpu_tensor type)
{
    return type == CPU_TENSOR_BF16   ? (struct format){7, 8, 0}
           : type == CPU_TENSOR_TF32 ? (struct format){10, 8, 13}
                                     : (struct format){10, 5, 0};
}

static struct factor decode(struct format f, uint32_t bits)
{
    uint32_t fraction, exponent, top = (1u << f.exponent) - 1;
    struct factor x = {0};

    bits >>= f.below;
    fraction = bits & ((1u << f.fraction) - 1);
    exponent = bits >> f.fraction & top;
    x.special = exponent == top;
    x.exponent = (int32_t)(exponent ? exponent : 1) - (int32_t)(top / 2);
    x.significand = (int32_t)(fraction | (exponent ? 1u << f.fraction : 0));
    if (bits >> (f.fraction + f.exponent) & 1)
        x.significand = -x.significand;
    return x;
}

struct factor tensor_factor(enum cpu_tensor type, uint32_t bits)
{
    struct factor x = decode(format_of(type), bits);

    x.value = type == CPU_TENSOR_BF16   ? cpu_f32_of_bf16((uint16_t)bits)
              : type == CPU_TENSOR_TF32 ? float_of(bits & ~(uint32_t)0x1fff)
                                        : cpu_f32_of_f16((uint16_t)bits);
    return x;
}

/* v * 2^by, towards zero. */
static int64_t shifted(int64_t v, int by)
{
    if (by >= 0)
        return v * ((int64_t)1 << by);
    if (by < -62)
        return 0;
    return v < 0 ? -(-v >> -by) : v >> -by;
}

static double power_of_two(int e) /* of a normal number */
{
    uint64_t bits = (uint64_t)(1023 + e) << 52;
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static uint32_t float_towards_zero(double v)
{
    float f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return fabs(v) < 0x1p128 && fabs((double)f) > fabs(v) ? bits - 1 : bits;
}

/* The sum's bits; where it is no number, that of all GPUs. */
static uint32_t result(double sum, bool half)
{
    if (half)
        return cpu_f16_of_f64(sum, CPU_TO_NEAREST);
    return isnan(sum) ? 0x7fffffff : float_towards_zero(sum);
}

/* One of the terms is infinite or no number. */
static double special_sum(const struct factor *a, const struct factor *b, unsigned depth, double c)
{
    for (unsigned i = 0; i < depth; i++)
        c += (double)a[i].value * b[i].value;
    return c;
}

uint32_t tensor_sum(enum cpu_tensor type, const struct factor *a, const struct factor *b,
                    unsigned depth, uint32_t c)
{
    bool half = type == CPU_TENSOR_F16_ALL, special = false;
    struct format f = half ? (struct format){10, 5, 0} : (struct format){23, 8, 0};
    struct factor start = decode(f, c);
    int unit = start.significand ? start.exponent : LEAST_EXPONENT;
    int product_fraction = 2 * (int)format_of(type).fraction;
    int32_t product[TENSOR_DEPTH];
    int64_t sum;

    special = start.special;
    for (unsigned i = 0; i < depth; i++) {
        product[i] = a[i].significand * b[i].significand;
        special |= a[i].special || b[i].special;
        if (product[i] && a[i].exponent + b[i].exponent > unit)
            unit = a[i].exponent + b[i].exponent;
    }
    if (special)
        return result(special_sum(a, b, depth, half ? cpu_f32_of_f16((uint16_t)c) : float_of(c)),
                      half);
    sum = shifted(start.significand, UNIT - (int)f.fraction + start.exponent - unit);
    for (unsigned i = 0; i < depth; i++)
        sum += shifted(product[i], UNIT - product_fraction + a[i].exponent + b[i].exponent - unit);
    return result((double)sum * power_of_two(unit - UNIT), half);
}
