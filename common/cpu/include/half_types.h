/*
 * Half precision and bfloat16: the types, their conversions and operators. Included once for each
 * of the two, by cuda_fp16.h and cuda_bf16.h, which define the CPU_16 names; half_functions.h is
 * the rest of it. No guard: it undoes its own macros.
 *
 * A value is its bits. It is converted to float or double, where sums, products and quotients have
 * bits enough that rounding their results once more is right: 53 are more than 2 * 11 + 2.
 */
#define CPU_16_PASTE_(a, b, c) a##b##c
#define CPU_16_PASTE(a, b, c) CPU_16_PASTE_(a, b, c)
#define CPU_16_FROM(v, to) CPU_16_PASTE(cpu_, CPU_16_SUFFIX, _of_f64)((double)(v), to)
#define CPU_16_VALUE(h) CPU_16_PASTE(cpu_f32_of_, CPU_16_SUFFIX, )((h).__x)
#define CPU_16_BITS CPU_16_PASTE(__ushort_as_, CPU_16_NAME, )

struct CPU_16_OTHER;

typedef struct alignas(2) {
    unsigned short x;
} CPU_16_RAW;
typedef struct alignas(4) {
    unsigned short x, y;
} CPU_16x2_RAW;

struct alignas(2) CPU_16 {
    unsigned short __x;

    CPU_16() = default;
    CPU_INLINE constexpr CPU_16(const CPU_16_RAW &raw) : __x(raw.x)
    {
    }
    CPU_INLINE CPU_16(float v) : __x(CPU_16_FROM(v, CPU_TO_NEAREST))
    {
    }
    CPU_INLINE CPU_16(double v) : __x(CPU_16_FROM(v, CPU_TO_NEAREST))
    {
    }
    CPU_INLINE CPU_16(short v) : CPU_16((double)v)
    {
    }
    CPU_INLINE CPU_16(unsigned short v) : CPU_16((double)v)
    {
    }
    CPU_INLINE CPU_16(int v) : CPU_16((double)v)
    {
    }
    CPU_INLINE CPU_16(unsigned v) : CPU_16((double)v)
    {
    }
    CPU_INLINE CPU_16(long v) : CPU_16((long long)v)
    {
    }
    CPU_INLINE CPU_16(unsigned long v) : CPU_16((unsigned long long)v)
    {
    }
    CPU_INLINE CPU_16(long long v) : CPU_16(cpu_f64_of_i64(v, CPU_TO_ODD))
    {
    }
    CPU_INLINE CPU_16(unsigned long long v) : CPU_16(cpu_f64_of_u64(v, CPU_TO_ODD))
    {
    }
    explicit CPU_16(CPU_16_OTHER v); /* in cuda_bf16.h, which includes both */

    CPU_INLINE operator float() const
    {
        return CPU_16_VALUE(*this);
    }
    CPU_INLINE operator CPU_16_RAW() const
    {
        return CPU_16_RAW{__x};
    }
    CPU_INLINE constexpr operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
    CPU_INLINE operator signed char() const
    {
        return cpu_truncate<signed char>();
    }
    CPU_INLINE operator unsigned char() const
    {
        return cpu_truncate<unsigned char>();
    }
    CPU_INLINE operator char() const
    {
        return cpu_truncate<char>();
    }
    CPU_INLINE operator short() const
    {
        return cpu_truncate<short>();
    }
    CPU_INLINE operator unsigned short() const
    {
        return cpu_truncate<unsigned short>();
    }
    CPU_INLINE operator int() const
    {
        return cpu_truncate<int>();
    }
    CPU_INLINE operator unsigned() const
    {
        return cpu_truncate<unsigned>();
    }
    CPU_INLINE operator long() const
    {
        return cpu_truncate<long>();
    }
    CPU_INLINE operator unsigned long() const
    {
        return cpu_truncate<unsigned long>();
    }
    CPU_INLINE operator long long() const
    {
        return cpu_truncate<long long>();
    }
    CPU_INLINE operator unsigned long long() const
    {
        return cpu_truncate<unsigned long long>();
    }

    template <typename T> CPU_INLINE T cpu_truncate() const
    {
        return cpu_saturate<T, CPU_16>(trunc(CPU_16_VALUE(*this)));
    }
};

/* Read and written whole, as one access. */
struct alignas(4) CPU_16x2 {
    CPU_16 x, y;

    CPU_COPIED_WHOLE(CPU_16x2)
    CPU_INLINE constexpr CPU_16x2(const CPU_16 &a, const CPU_16 &b) : x(a), y(b)
    {
    }
    CPU_INLINE CPU_16x2(const CPU_16x2_RAW &raw) : x(CPU_16_RAW{raw.x}), y(CPU_16_RAW{raw.y})
    {
    }
    CPU_INLINE operator CPU_16x2_RAW() const
    {
        return CPU_16x2_RAW{x.__x, y.__x};
    }
};

static CPU_INLINE CPU_16 CPU_16_BITS(unsigned short bits)
{
    return CPU_16(CPU_16_RAW{bits});
}
static CPU_INLINE CPU_16 CPU_16_PASTE(__short_as_, CPU_16_NAME, )(short bits)
{
    return CPU_16_BITS((unsigned short)bits);
}
static CPU_INLINE unsigned short CPU_16_PASTE(__, CPU_16_NAME, _as_ushort)(CPU_16 h)
{
    return h.__x;
}
static CPU_INLINE short CPU_16_PASTE(__, CPU_16_NAME, _as_short)(CPU_16 h)
{
    return (short)h.__x;
}

/* --- arithmetic: of one, and of each of two --- */

#define CPU_OPERATOR(OP, NAME, NAME2)                                                              \
    static CPU_INLINE CPU_16 NAME(CPU_16 a, CPU_16 b)                                              \
    {                                                                                              \
        return CPU_16((double)CPU_16_VALUE(a) OP(double) CPU_16_VALUE(b));                         \
    }                                                                                              \
    static CPU_INLINE CPU_16x2 NAME2(CPU_16x2 a, CPU_16x2 b)                                       \
    {                                                                                              \
        return CPU_16x2(NAME(a.x, b.x), NAME(a.y, b.y));                                           \
    }                                                                                              \
    static CPU_INLINE CPU_16 operator OP(const CPU_16 &a, const CPU_16 &b)                         \
    {                                                                                              \
        return NAME(a, b);                                                                         \
    }                                                                                              \
    static CPU_INLINE CPU_16x2 operator OP(const CPU_16x2 &a, const CPU_16x2 &b)                   \
    {                                                                                              \
        return NAME2(a, b);                                                                        \
    }                                                                                              \
    static CPU_INLINE CPU_16 &operator OP##=(CPU_16 &a, const CPU_16 &b)                           \
    {                                                                                              \
        return a = a OP b;                                                                         \
    }                                                                                              \
    static CPU_INLINE CPU_16x2 &operator OP##=(CPU_16x2 &a, const CPU_16x2 &b)                     \
    {                                                                                              \
        return a = a OP b;                                                                         \
    }
CPU_OPERATOR(+, __hadd, __hadd2)
CPU_OPERATOR(-, __hsub, __hsub2)
CPU_OPERATOR(*, __hmul, __hmul2)
CPU_OPERATOR(/, __hdiv, __h2div)

static CPU_INLINE CPU_16 __hneg(CPU_16 a)
{
    return CPU_16_BITS(a.__x ^ 0x8000);
}
static CPU_INLINE CPU_16 __habs(CPU_16 a)
{
    return CPU_16_BITS(a.__x & 0x7fff);
}
static CPU_INLINE CPU_16x2 __hneg2(CPU_16x2 a)
{
    return CPU_16x2(__hneg(a.x), __hneg(a.y));
}
static CPU_INLINE CPU_16x2 __habs2(CPU_16x2 a)
{
    return CPU_16x2(__habs(a.x), __habs(a.y));
}
static CPU_INLINE CPU_16 operator+(const CPU_16 &a)
{
    return a;
}
static CPU_INLINE CPU_16 operator-(const CPU_16 &a)
{
    return __hneg(a);
}
static CPU_INLINE CPU_16x2 operator+(const CPU_16x2 &a)
{
    return a;
}
static CPU_INLINE CPU_16x2 operator-(const CPU_16x2 &a)
{
    return __hneg2(a);
}

#define CPU_COUNT(OP)                                                                              \
    static CPU_INLINE CPU_16 &operator OP##OP(CPU_16 &a)                                           \
    {                                                                                              \
        return a = a OP CPU_16_BITS(CPU_16_ONE);                                                   \
    }                                                                                              \
    static CPU_INLINE CPU_16 operator OP##OP(CPU_16 &a, int)                                       \
    {                                                                                              \
        CPU_16 old = a;                                                                            \
        OP##OP a;                                                                                  \
        return old;                                                                                \
    }                                                                                              \
    static CPU_INLINE CPU_16x2 &operator OP##OP(CPU_16x2 &a)                                       \
    {                                                                                              \
        return a = a OP CPU_16x2(CPU_16_BITS(CPU_16_ONE), CPU_16_BITS(CPU_16_ONE));                \
    }                                                                                              \
    static CPU_INLINE CPU_16x2 operator OP##OP(CPU_16x2 &a, int)                                   \
    {                                                                                              \
        CPU_16x2 old = a;                                                                          \
        OP##OP a;                                                                                  \
        return old;                                                                                \
    }
CPU_COUNT(+)
CPU_COUNT(-)

#include "half_compare.h"
#include "half_functions.h"

#undef CPU_COUNT
#undef CPU_OPERATOR
#undef CPU_16_BITS
#undef CPU_16_VALUE
#undef CPU_16_FROM
#undef CPU_16_PASTE
#undef CPU_16_PASTE_
#undef CPU_16
#undef CPU_16x2
#undef CPU_16_RAW
#undef CPU_16x2_RAW
#undef CPU_16_OTHER
#undef CPU_16_NAME
#undef CPU_16x2_NAME
#undef CPU_16_TWICE
#undef CPU_16_SUFFIX
#undef CPU_16_INFINITY
#undef CPU_16_ONE
