/*
 * Arithmetic and conversions with a rounding mode other than the CPU's own.
 *
 * The exact result is a number of 113 bits and a rest, of which the sign alone matters. The product
 * of two doubles has at most 106 bits, and so has the square of a root. A quotient of doubles that
 * is no double differs from each of them by 1 in 2^106 or more. A sum's rest is what Knuth's
 * two-sum gives. The CPU's own rounding mode is not touched: the compiler takes it to be fixed.
 */
#include <math.h>
#include <stdbool.h>
#include "cpu/abi.h"

#if defined(__aarch64__)
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

/* value + rest, rounded. An odd result's last bit says that it is inexact. */
#define NARROW(NAME, T, NEXT, BITS)                                                                \
    static T NAME(quad value, quad rest, enum cpu_rounding to)                                     \
    {                                                                                              \
        T near = (T)value, low = near, high = near;                                                \
        union {                                                                                    \
            T value;                                                                               \
            BITS bits;                                                                             \
        } of_low;                                                                                  \
                                                                                                   \
        if (value > near || (value == near && rest > 0))                                           \
            high = NEXT(near, (T)INFINITY);                                                        \
        else if (value < near || (value == near && rest < 0))                                      \
            low = NEXT(near, -(T)INFINITY);                                                        \
        of_low.value = low;                                                                        \
        switch (to) {                                                                              \
        case CPU_DOWN:                                                                             \
            return low;                                                                            \
        case CPU_UP:                                                                               \
            return high;                                                                           \
        case CPU_TO_ZERO:                                                                          \
            return value > 0 ? low : high;                                                         \
        case CPU_TO_ODD:                                                                           \
            return of_low.bits & 1 ? low : high;                                                   \
        default:                                                                                   \
            return near;                                                                           \
        }                                                                                          \
    }
NARROW(to_f32, float, nextafterf, uint32_t)
NARROW(to_f64, double, nextafter, uint64_t)

/* What a + b lost by being rounded to s; 0 where there is no such thing. */
static quad lost(quad a, quad b, quad s)
{
    quad part = s - a;

    return s - s == 0 ? (a - (s - part)) + (b - part) : 0;
}

static bool is_negative(quad v)
{
    return signbit((double)v);
}

/* The zero that a sum of two numbers of different signs is, rounded down, is negative. */
static bool is_zero_below(quad a, quad b, enum cpu_rounding to)
{
    return to == CPU_DOWN && a + b == 0 && is_negative(a) != is_negative(b);
}

#define ARITHMETIC(T, S, SQRT)                                                                     \
    T cpu_add_##S(T a, T b, enum cpu_rounding to)                                                  \
    {                                                                                              \
        quad sum = (quad)a + b;                                                                    \
                                                                                                   \
        return is_zero_below(a, b, to) ? -(T)0 : to_##S(sum, lost(a, b, sum), to);                 \
    }                                                                                              \
    T cpu_fma_##S(T a, T b, T c, enum cpu_rounding to)                                             \
    {                                                                                              \
        quad product = (quad)a * b, sum = product + c;                                             \
                                                                                                   \
        return is_zero_below(product, c, to) ? -(T)0 : to_##S(sum, lost(product, c, sum), to);     \
    }                                                                                              \
    T cpu_mul_##S(T a, T b, enum cpu_rounding to)                                                  \
    {                                                                                              \
        return to_##S((quad)a * b, 0, to);                                                         \
    }                                                                                              \
    T cpu_div_##S(T a, T b, enum cpu_rounding to)                                                  \
    {                                                                                              \
        return to_##S((quad)a / b, 0, to);                                                         \
    }                                                                                              \
    T cpu_sqrt_##S(T a, enum cpu_rounding to)                                                      \
    {                                                                                              \
        quad root = SQRT(a);                                                                       \
                                                                                                   \
        return a > 0 && a < (T)INFINITY ? to_##S(root, a - root * root, to) : (T)root;             \
    }
ARITHMETIC(float, f32, sqrtf)
ARITHMETIC(double, f64, sqrt)

float cpu_f32_of_f64(double v, enum cpu_rounding to)
{
    return to_f32(v, 0, to);
}

float cpu_f32_of_i64(int64_t v, enum cpu_rounding to)
{
    return to_f32(v, 0, to);
}

float cpu_f32_of_u64(uint64_t v, enum cpu_rounding to)
{
    return to_f32(v, 0, to);
}

double cpu_f64_of_i64(int64_t v, enum cpu_rounding to)
{
    return to_f64(v, 0, to);
}

double cpu_f64_of_u64(uint64_t v, enum cpu_rounding to)
{
    return to_f64(v, 0, to);
}
