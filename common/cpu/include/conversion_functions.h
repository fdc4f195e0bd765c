/*
 * CUDA's conversions with a rounding mode, and its arithmetic with one: _rn to nearest even, _rz
 * towards zero, _rd down, _ru up. For host code too.
 *
 * A float that does not fit an integer becomes the end of the integer's range that it is beyond;
 * NaN becomes 0, or the highest bit alone where the source has 64 bits or the integer has.
 */
#ifndef CONVERSION_FUNCTIONS_H
#define CONVERSION_FUNCTIONS_H

#include <limits>
#include <math.h>
#include "cpu/abi.h"
#include "vector_types.h"

/* --- to integers: whole is the value rounded to a whole number; F is what it was --- */

template <typename T, typename F> static CPU_INLINE T cpu_saturate(double whole)
{
    constexpr T top = std::numeric_limits<T>::max(), bottom = std::numeric_limits<T>::min();
    constexpr T highest_bit = (T)((unsigned long long)1 << (8 * sizeof(T) - 1));

    if (whole != whole)
        return sizeof(T) == 8 || sizeof(F) == 8 ? highest_bit : 0;
    return whole <= (double)bottom ? bottom : whole >= (double)top ? top : (T)whole;
}

#define CPU_TO_INTEGER(NAME, F, T)                                                                 \
    static CPU_INLINE T NAME##_rn(F v)                                                             \
    {                                                                                              \
        return cpu_saturate<T, F>(rint((double)v));                                                \
    }                                                                                              \
    static CPU_INLINE T NAME##_rz(F v)                                                             \
    {                                                                                              \
        return cpu_saturate<T, F>(trunc((double)v));                                               \
    }                                                                                              \
    static CPU_INLINE T NAME##_rd(F v)                                                             \
    {                                                                                              \
        return cpu_saturate<T, F>(floor((double)v));                                               \
    }                                                                                              \
    static CPU_INLINE T NAME##_ru(F v)                                                             \
    {                                                                                              \
        return cpu_saturate<T, F>(ceil((double)v));                                                \
    }
#define CPU_TO_INTEGERS(NAME, F)                                                                   \
    CPU_TO_INTEGER(NAME##2int, F, int)                                                             \
    CPU_TO_INTEGER(NAME##2uint, F, unsigned)                                                       \
    CPU_TO_INTEGER(NAME##2ll, F, long long)                                                        \
    CPU_TO_INTEGER(NAME##2ull, F, unsigned long long)
CPU_TO_INTEGERS(__float, float)
CPU_TO_INTEGERS(__double, double)

/* --- to floats; the CPU itself rounds to nearest --- */

#define CPU_TO_FLOAT(NAME, T, F, CONVERT)                                                          \
    static CPU_INLINE F NAME##_rn(T v)                                                             \
    {                                                                                              \
        return (F)v;                                                                               \
    }                                                                                              \
    static CPU_INLINE F NAME##_rz(T v)                                                             \
    {                                                                                              \
        return CONVERT(v, CPU_TO_ZERO);                                                            \
    }                                                                                              \
    static CPU_INLINE F NAME##_rd(T v)                                                             \
    {                                                                                              \
        return CONVERT(v, CPU_DOWN);                                                               \
    }                                                                                              \
    static CPU_INLINE F NAME##_ru(T v)                                                             \
    {                                                                                              \
        return CONVERT(v, CPU_UP);                                                                 \
    }
CPU_TO_FLOAT(__int2float, int, float, cpu_f32_of_i64)
CPU_TO_FLOAT(__uint2float, unsigned, float, cpu_f32_of_u64)
CPU_TO_FLOAT(__ll2float, long long, float, cpu_f32_of_i64)
CPU_TO_FLOAT(__ull2float, unsigned long long, float, cpu_f32_of_u64)
CPU_TO_FLOAT(__ll2double, long long, double, cpu_f64_of_i64)
CPU_TO_FLOAT(__ull2double, unsigned long long, double, cpu_f64_of_u64)
CPU_TO_FLOAT(__double2float, double, float, cpu_f32_of_f64)
static CPU_INLINE double __int2double_rn(int v)
{
    return v;
}
static CPU_INLINE double __uint2double_rn(unsigned v)
{
    return v;
}

/* --- arithmetic --- */

#define CPU_DIRECTED_1(NAME, F, FUNCTION, ...)                                                     \
    static CPU_INLINE F NAME##_rz(F a)                                                             \
    {                                                                                              \
        return FUNCTION(__VA_ARGS__ a, CPU_TO_ZERO);                                               \
    }                                                                                              \
    static CPU_INLINE F NAME##_rd(F a)                                                             \
    {                                                                                              \
        return FUNCTION(__VA_ARGS__ a, CPU_DOWN);                                                  \
    }                                                                                              \
    static CPU_INLINE F NAME##_ru(F a)                                                             \
    {                                                                                              \
        return FUNCTION(__VA_ARGS__ a, CPU_UP);                                                    \
    }
#define CPU_DIRECTED_2(NAME, F, FUNCTION, SIGN)                                                    \
    static CPU_INLINE F NAME##_rz(F a, F b)                                                        \
    {                                                                                              \
        return FUNCTION(a, SIGN b, CPU_TO_ZERO);                                                   \
    }                                                                                              \
    static CPU_INLINE F NAME##_rd(F a, F b)                                                        \
    {                                                                                              \
        return FUNCTION(a, SIGN b, CPU_DOWN);                                                      \
    }                                                                                              \
    static CPU_INLINE F NAME##_ru(F a, F b)                                                        \
    {                                                                                              \
        return FUNCTION(a, SIGN b, CPU_UP);                                                        \
    }
#define CPU_DIRECTED_FMA(NAME, F, FUNCTION, NEAREST)                                               \
    static CPU_INLINE F NAME##_rn(F a, F b, F c)                                                   \
    {                                                                                              \
        return NEAREST(a, b, c);                                                                   \
    }                                                                                              \
    static CPU_INLINE F NAME##_rz(F a, F b, F c)                                                   \
    {                                                                                              \
        return FUNCTION(a, b, c, CPU_TO_ZERO);                                                     \
    }                                                                                              \
    static CPU_INLINE F NAME##_rd(F a, F b, F c)                                                   \
    {                                                                                              \
        return FUNCTION(a, b, c, CPU_DOWN);                                                        \
    }                                                                                              \
    static CPU_INLINE F NAME##_ru(F a, F b, F c)                                                   \
    {                                                                                              \
        return FUNCTION(a, b, c, CPU_UP);                                                          \
    }

/* The value, which the compiler may not put into a multiply-add: _rn is never contracted. */
template <typename F> static CPU_INLINE F cpu_apart(F v)
{
#if defined(__x86_64__)
    __asm__("" : "+x"(v));
#elif defined(__aarch64__)
    __asm__("" : "+w"(v));
#endif
    return v;
}

/* P: __f or __d, S: the suffix of the functions of abi.h. */
#define CPU_DIRECTED(P, F, S, SQRT)                                                                \
    static CPU_INLINE F P##add_rn(F a, F b)                                                        \
    {                                                                                              \
        return cpu_apart(a) + cpu_apart(b);                                                        \
    }                                                                                              \
    static CPU_INLINE F P##sub_rn(F a, F b)                                                        \
    {                                                                                              \
        return cpu_apart(a) - cpu_apart(b);                                                        \
    }                                                                                              \
    static CPU_INLINE F P##mul_rn(F a, F b)                                                        \
    {                                                                                              \
        return cpu_apart(a * b);                                                                   \
    }                                                                                              \
    static CPU_INLINE F P##div_rn(F a, F b)                                                        \
    {                                                                                              \
        return a / b;                                                                              \
    }                                                                                              \
    static CPU_INLINE F P##rcp_rn(F a)                                                             \
    {                                                                                              \
        return 1 / a;                                                                              \
    }                                                                                              \
    static CPU_INLINE F P##sqrt_rn(F a)                                                            \
    {                                                                                              \
        return SQRT(a);                                                                            \
    }                                                                                              \
    CPU_DIRECTED_2(P##add, F, cpu_add_##S, +)                                                      \
    CPU_DIRECTED_2(P##sub, F, cpu_add_##S, -)                                                      \
    CPU_DIRECTED_2(P##mul, F, cpu_mul_##S, +)                                                      \
    CPU_DIRECTED_2(P##div, F, cpu_div_##S, +)                                                      \
    CPU_DIRECTED_1(P##rcp, F, cpu_div_##S, 1, )                                                    \
    CPU_DIRECTED_1(P##sqrt, F, cpu_sqrt_##S, )
CPU_DIRECTED(__f, float, f32, sqrtf)
CPU_DIRECTED(__d, double, f64, sqrt)
CPU_DIRECTED_FMA(__fmaf, float, cpu_fma_f32, fmaf)
CPU_DIRECTED_FMA(__fmaf_ieee, float, cpu_fma_f32, fmaf)
CPU_DIRECTED_FMA(__fma, double, cpu_fma_f64, fma)
static CPU_INLINE float __frsqrt_rn(float a)
{
    return (float)(1 / sqrt((double)a));
}
static CPU_INLINE float __saturatef(float v)
{
    return v > 0 ? (v < 1 ? v : 1) : 0;
}

/* --- the same bits as another type --- */

#define CPU_BITS_AS(NAME, FROM, TO)                                                                \
    static CPU_INLINE TO NAME(FROM v)                                                              \
    {                                                                                              \
        TO bits;                                                                                   \
        __builtin_memcpy(&bits, &v, sizeof(bits));                                                 \
        return bits;                                                                               \
    }
CPU_BITS_AS(__float_as_int, float, int)
CPU_BITS_AS(__float_as_uint, float, unsigned)
CPU_BITS_AS(__int_as_float, int, float)
CPU_BITS_AS(__uint_as_float, unsigned, float)
CPU_BITS_AS(__double_as_longlong, double, long long)
CPU_BITS_AS(__longlong_as_double, long long, double)
static CPU_INLINE int __double2hiint(double v)
{
    return (int)(__double_as_longlong(v) >> 32);
}
static CPU_INLINE int __double2loint(double v)
{
    return (int)__double_as_longlong(v);
}
static CPU_INLINE double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((uint64_t)(unsigned)high << 32 | (unsigned)low));
}

#endif
