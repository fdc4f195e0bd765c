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
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "cpu/runtime/tensor_sums.h"

enum {
    UNIT = 25,             /* bits behind the point, of the largest exponent */
    LEAST_EXPONENT = -126, /* of that; C has it where it is 0 or subnormal */
    ABOVE_ZERO = 1024      /* the exponent of a zero is so far below 0: less than any product's */
};

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

static double power_of_two(int e) /* of a normal number */
{
    uint64_t bits = (uint64_t)(1023 + e) << 52;
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

struct number {
    double value;
    int32_t exponent; /* that of its first bit; the least of the type where it is subnormal */
    bool special;     /* infinity or NaN */
};

static struct number decode(struct format f, uint32_t bits)
{
    uint32_t fraction, exponent, top = (1u << f.exponent) - 1;
    struct number x;

    bits >>= f.below;
    fraction = bits & ((1u << f.fraction) - 1);
    exponent = bits >> f.fraction & top;
    x.special = exponent == top;
    x.exponent = (int32_t)(exponent ? exponent : 1) - (int32_t)(top / 2);
    x.value = x.special ? fraction ? (double)NAN : (double)INFINITY
                        : (double)(fraction | (exponent ? 1u << f.fraction : 0)) *
                              power_of_two(x.exponent - (int)f.fraction);
    if (bits >> (f.fraction + f.exponent) & 1)
        x.value = -x.value;
    return x;
}

void tensor_set(struct tensor_line *line, unsigned k, enum cpu_tensor type, uint32_t bits)
{
    struct number x = decode(format_of(type), bits);

    line->value[k] = x.value;
    line->exponent[k] = x.value != 0 ? x.exponent + ABOVE_ZERO : 0;
    line->special |= x.special;
    line->other |= x.value != 0;
}

/* A double has 29 bits behind those of a normal float: without them it is cut off, and there is
 * nothing to round. */
static double cut_off(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    bits &= ~(uint64_t)0x1fffffff;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

static uint32_t float_towards_zero(double v)
{
    float f = (float)(fabs(v) >= FLT_MIN ? cut_off(v) : v);
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return fabs(v) < FLT_MIN && fabs((double)f) > fabs(v) ? bits - 1 : bits;
}

/* The sum's bits; where it is no number, that of all GPUs. */
static uint32_t result(double sum, bool half)
{
    if (half)
        return cpu_f16_of_f64(sum, CPU_TO_NEAREST);
    return isnan(sum) ? 0x7fffffff : float_towards_zero(sum);
}

/* One of the terms is infinite or no number. */
static double special_sum(const struct tensor_line *a, const struct tensor_line *b, unsigned depth,
                          double c)
{
    for (unsigned i = 0; i < depth; i++)
        c += a->value[i] * b->value[i];
    return c;
}

/* The largest exponent of the products, or what there is. */
static int largest_exponent(const struct tensor_line *a, const struct tensor_line *b,
                            unsigned depth, int found)
{
    int32_t largest = found + 2 * ABOVE_ZERO;

    for (unsigned i = 0; i < depth; i++) {
        int32_t e = a->exponent[i] + b->exponent[i];

        largest = e > largest ? e : largest;
    }
    return largest - 2 * ABOVE_ZERO;
}

/* In units of which there are `scale` in 1, each product cut off. By the exponents it has less than
 * 2^27 - 2^17 of them, so that the sum of a line fits. */
static int32_t sum_of_products(const struct tensor_line *a, const struct tensor_line *b,
                               unsigned depth, double scale)
{
    int32_t sum = 0;

    static_assert(TENSOR_LINE <= 16, "the sum of a line has 32 bits");
    for (unsigned i = 0; i < depth; i++)
        sum += (int32_t)(a->value[i] * b->value[i] * scale);
    return sum;
}

uint32_t tensor_sum(enum cpu_tensor type, const struct tensor_line *a, const struct tensor_line *b,
                    unsigned depth, uint32_t c)
{
    bool half = type == CPU_TENSOR_F16_ALL;
    struct number start = decode(half ? (struct format){10, 5, 0} : (struct format){23, 8, 0}, c);
    double scale; /* so many units are in 1 */
    int64_t sum;
    int unit;

    if (start.special || a->special || b->special)
        return result(special_sum(a, b, depth, start.value), half);
    if (!a->other || !b->other) /* as most of a small problem's tile is */
        return start.value != 0 ? c : 0;
    unit = largest_exponent(a, b, depth, start.value != 0 ? start.exponent : LEAST_EXPONENT);
    scale = power_of_two(UNIT - unit);
    sum = (int64_t)(start.value * scale) + sum_of_products(a, b, depth, scale);
    return result((double)sum * power_of_two(unit - UNIT), half);
}
