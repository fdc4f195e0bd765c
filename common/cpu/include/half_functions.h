/*
 * Half precision and bfloat16: conversions, arithmetic with its variants, math functions, shuffles
 * and atomics. A part of half_types.h, included by it once for each of the two.
 */

/* --- conversions: names such as __float2half_rn, __half2int_rz --- */

#define CPU_16_ROUNDED(MODE, TO, T, FROM, DOUBLE)                                                  \
    static CPU_INLINE CPU_16 CPU_16_PASTE(__##FROM##2, CPU_16_NAME, MODE)(T v)                     \
    {                                                                                              \
        return CPU_16_BITS(CPU_16_FROM(DOUBLE, TO));                                               \
    }
#define CPU_16_OF(T, FROM, DOUBLE)                                                                 \
    CPU_16_ROUNDED(_rn, CPU_TO_NEAREST, T, FROM, DOUBLE)                                           \
    CPU_16_ROUNDED(_rz, CPU_TO_ZERO, T, FROM, DOUBLE)                                              \
    CPU_16_ROUNDED(_rd, CPU_DOWN, T, FROM, DOUBLE)                                                 \
    CPU_16_ROUNDED(_ru, CPU_UP, T, FROM, DOUBLE)
CPU_16_OF(float, float, v)
CPU_16_OF(short, short, v)
CPU_16_OF(unsigned short, ushort, v)
CPU_16_OF(int, int, v)
CPU_16_OF(unsigned, uint, v)
CPU_16_OF(long long, ll, cpu_f64_of_i64(v, CPU_TO_ODD))
CPU_16_OF(unsigned long long, ull, cpu_f64_of_u64(v, CPU_TO_ODD))
CPU_16_ROUNDED(, CPU_TO_NEAREST, float, float, v)
CPU_16_ROUNDED(, CPU_TO_NEAREST, double, double, v)

#define CPU_16_TO(T, TO, MODE, ROUND)                                                              \
    static CPU_INLINE T CPU_16_PASTE(__, CPU_16_NAME, 2##TO##MODE)(CPU_16 h)                       \
    {                                                                                              \
        return cpu_saturate<T, CPU_16>(ROUND((double)CPU_16_VALUE(h)));                            \
    }
#define CPU_16_TO_EACH(T, TO)                                                                      \
    CPU_16_TO(T, TO, _rn, rint)                                                                    \
    CPU_16_TO(T, TO, _rz, trunc)                                                                   \
    CPU_16_TO(T, TO, _rd, floor)                                                                   \
    CPU_16_TO(T, TO, _ru, ceil)
CPU_16_TO_EACH(short, short)
CPU_16_TO_EACH(unsigned short, ushort)
CPU_16_TO_EACH(int, int)
CPU_16_TO_EACH(unsigned, uint)
CPU_16_TO_EACH(long long, ll)
CPU_16_TO_EACH(unsigned long long, ull)
CPU_16_TO(signed char, char, _rz, trunc)
CPU_16_TO(unsigned char, uchar, _rz, trunc)
static CPU_INLINE float CPU_16_PASTE(__, CPU_16_NAME, 2float)(CPU_16 h)
{
    return CPU_16_VALUE(h);
}

/* --- two of them: names such as __low2half, __halves2half2 --- */

#define CPU_PAIR(NAME, ARGUMENTS, LOW, HIGH)                                                       \
    static CPU_INLINE CPU_16x2 NAME ARGUMENTS                                                      \
    {                                                                                              \
        return CPU_16x2(LOW, HIGH);                                                                \
    }
CPU_PAIR(CPU_16_PASTE(make_, CPU_16x2_NAME, ), (CPU_16 a, CPU_16 b), a, b)
CPU_PAIR(CPU_16_PASTE(__halves2, CPU_16x2_NAME, ), (CPU_16 a, CPU_16 b), a, b)
CPU_PAIR(CPU_16_TWICE, (CPU_16 a), a, a)
CPU_PAIR(CPU_16_PASTE(__low2, CPU_16x2_NAME, ), (CPU_16x2 a), a.x, a.x)
CPU_PAIR(CPU_16_PASTE(__high2, CPU_16x2_NAME, ), (CPU_16x2 a), a.y, a.y)
CPU_PAIR(CPU_16_PASTE(__lows2, CPU_16x2_NAME, ), (CPU_16x2 a, CPU_16x2 b), a.x, b.x)
CPU_PAIR(CPU_16_PASTE(__highs2, CPU_16x2_NAME, ), (CPU_16x2 a, CPU_16x2 b), a.y, b.y)
CPU_PAIR(__lowhigh2highlow, (CPU_16x2 a), a.y, a.x)
CPU_PAIR(CPU_16_PASTE(__float2, CPU_16x2_NAME, _rn), (float v), CPU_16(v), CPU_16(v))
CPU_PAIR(CPU_16_PASTE(__floats2, CPU_16x2_NAME, _rn), (float a, float b), CPU_16(a), CPU_16(b))
CPU_PAIR(CPU_16_PASTE(__float22, CPU_16x2_NAME, _rn), (float2 v), CPU_16(v.x), CPU_16(v.y))
static CPU_INLINE CPU_16 CPU_16_PASTE(__low2, CPU_16_NAME, )(CPU_16x2 a)
{
    return a.x;
}
static CPU_INLINE CPU_16 CPU_16_PASTE(__high2, CPU_16_NAME, )(CPU_16x2 a)
{
    return a.y;
}
static CPU_INLINE float __low2float(CPU_16x2 a)
{
    return CPU_16_VALUE(a.x);
}
static CPU_INLINE float __high2float(CPU_16x2 a)
{
    return CPU_16_VALUE(a.y);
}
static CPU_INLINE float2 CPU_16_PASTE(__, CPU_16x2_NAME, 2float2)(CPU_16x2 a)
{
    return float2(CPU_16_VALUE(a.x), CPU_16_VALUE(a.y));
}

/* --- arithmetic: _rn is never contracted, here nothing is; _sat to 0..1, _relu to 0 and more
 * --- */

static CPU_INLINE CPU_16 cpu_saturate_16(CPU_16 a)
{
    return CPU_16(CPU_16_VALUE(a) > 0 ? CPU_16_VALUE(a) < 1 ? CPU_16_VALUE(a) : 1 : 0.0f);
}
static CPU_INLINE CPU_16 cpu_relu_16(CPU_16 a)
{
    return a.__x & 0x8000 && !__hisnan(a) ? CPU_16_BITS(0) : a;
}

#define CPU_16_VARIANTS(NAME)                                                                      \
    static CPU_INLINE CPU_16 NAME##_rn(CPU_16 a, CPU_16 b)                                         \
    {                                                                                              \
        return NAME(a, b);                                                                         \
    }                                                                                              \
    static CPU_INLINE CPU_16 NAME##_sat(CPU_16 a, CPU_16 b)                                        \
    {                                                                                              \
        return cpu_saturate_16(NAME(a, b));                                                        \
    }                                                                                              \
    CPU_PAIR(NAME##2_rn, (CPU_16x2 a, CPU_16x2 b), NAME(a.x, b.x), NAME(a.y, b.y))                 \
    CPU_PAIR(NAME##2_sat, (CPU_16x2 a, CPU_16x2 b), NAME##_sat(a.x, b.x), NAME##_sat(a.y, b.y))
CPU_16_VARIANTS(__hadd)
CPU_16_VARIANTS(__hsub)
CPU_16_VARIANTS(__hmul)

/* a * b + c, rounded once: the product is exact in a double, and a sum that is not is made odd. */
static CPU_INLINE CPU_16 __hfma(CPU_16 a, CPU_16 b, CPU_16 c)
{
    double product = (double)CPU_16_VALUE(a) * CPU_16_VALUE(b), addend = CPU_16_VALUE(c);
    double sum = product + addend, part = sum - product;
    double lost = (product - (sum - part)) + (addend - part);

    return CPU_16(lost == 0 || lost != lost ? sum : cpu_add_f64(product, addend, CPU_TO_ODD));
}
static CPU_INLINE CPU_16 __hfma_sat(CPU_16 a, CPU_16 b, CPU_16 c)
{
    return cpu_saturate_16(__hfma(a, b, c));
}
static CPU_INLINE CPU_16 __hfma_relu(CPU_16 a, CPU_16 b, CPU_16 c)
{
    return cpu_relu_16(__hfma(a, b, c));
}
#define CPU_16_FMA2(NAME2, NAME)                                                                   \
    CPU_PAIR(NAME2, (CPU_16x2 a, CPU_16x2 b, CPU_16x2 c), NAME(a.x, b.x, c.x), NAME(a.y, b.y, c.y))
CPU_16_FMA2(__hfma2, __hfma)
CPU_16_FMA2(__hfma2_sat, __hfma_sat)
CPU_16_FMA2(__hfma2_relu, __hfma_relu)

/* Complex numbers, real part first: a * b + c. */
CPU_PAIR(__hcmadd, (CPU_16x2 a, CPU_16x2 b, CPU_16x2 c),
         __hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)))

/* --- math functions, computed in double --- */

#define CPU_16_MATH(NAME, OF_DOUBLE)                                                               \
    static CPU_INLINE CPU_16 h##NAME(CPU_16 a)                                                     \
    {                                                                                              \
        return CPU_16(OF_DOUBLE((double)CPU_16_VALUE(a)));                                         \
    }                                                                                              \
    CPU_PAIR(h2##NAME, (CPU_16x2 a), h##NAME(a.x), h##NAME(a.y))
#define CPU_INVERSE(v) 1 / (v)
#define CPU_INVERSE_ROOT(v) 1 / sqrt(v)
CPU_16_MATH(ceil, ceil)
CPU_16_MATH(floor, floor)
CPU_16_MATH(rint, rint)
CPU_16_MATH(trunc, trunc)
CPU_16_MATH(sqrt, sqrt)
CPU_16_MATH(rsqrt, CPU_INVERSE_ROOT)
CPU_16_MATH(rcp, CPU_INVERSE)
CPU_16_MATH(exp, exp)
CPU_16_MATH(exp2, exp2)
CPU_16_MATH(exp10, exp10)
CPU_16_MATH(log, log)
CPU_16_MATH(log2, log2)
CPU_16_MATH(log10, log10)
CPU_16_MATH(sin, sin)
CPU_16_MATH(cos, cos)
CPU_16_MATH(tanh, tanh)
CPU_16_MATH(tanh_approx, tanh)

/* --- between threads --- */

CPU_SHUFFLES(CPU_16)
CPU_SHUFFLES(CPU_16x2)
static CPU_INLINE CPU_16 atomicAdd(CPU_16 *p, CPU_16 v)
{
    return CPU_16_BITS(CPU_16_PASTE(cpu_atomic_add_, CPU_16_SUFFIX, )((uint16_t *)p, v.__x));
}
static CPU_INLINE CPU_16x2 atomicAdd(CPU_16x2 *p, CPU_16x2 v)
{
    return cpu_value<CPU_16x2>(
        CPU_16_PASTE(cpu_atomic_add_, CPU_16_SUFFIX, x2)((uint32_t *)p, (uint32_t)cpu_bits(v)));
}

#undef CPU_16_ROUNDED
#undef CPU_16_OF
#undef CPU_16_TO
#undef CPU_16_TO_EACH
#undef CPU_PAIR
#undef CPU_16_VARIANTS
#undef CPU_16_FMA2
#undef CPU_16_MATH
#undef CPU_INVERSE
#undef CPU_INVERSE_ROOT
