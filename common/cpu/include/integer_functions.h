/* CUDA's integer intrinsics, and min, max and abs as it overloads them. For host code too. */
#ifndef INTEGER_FUNCTIONS_H
#define INTEGER_FUNCTIONS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "vector_functions.h"

/* --- bits --- */

static CPU_INLINE int __popc(unsigned v)
{
    return __builtin_popcount(v);
}
static CPU_INLINE int __popcll(unsigned long long v)
{
    return __builtin_popcountll(v);
}
static CPU_INLINE int __clz(int v)
{
    return v ? __builtin_clz((unsigned)v) : 32;
}
static CPU_INLINE int __clzll(long long v)
{
    return v ? __builtin_clzll((unsigned long long)v) : 64;
}
static CPU_INLINE int __ffs(int v)
{
    return __builtin_ffs(v);
}
static CPU_INLINE int __ffsll(long long v)
{
    return __builtin_ffsll(v);
}
static CPU_INLINE unsigned __brev(unsigned v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}
static CPU_INLINE unsigned long long __brevll(unsigned long long v)
{
    return (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32));
}

static CPU_INLINE unsigned short __nv_bswap16(unsigned short v)
{
    return __builtin_bswap16(v);
}
static CPU_INLINE unsigned __nv_bswap32(unsigned v)
{
    return __builtin_bswap32(v);
}
static CPU_INLINE unsigned long long __nv_bswap64(unsigned long long v)
{
    return __builtin_bswap64(v);
}

/* The bit that is the offset-th set one from base on, up (> 0) or down; ~0: there is none. */
static CPU_INLINE unsigned __fns(unsigned mask, unsigned base, int offset)
{
    int direction = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;

    if (!offset)
        return mask >> (base & 31) & 1 ? base & 31 : ~0u;
    for (int bit = (int)(base & 31); bit >= 0 && bit < 32; bit += direction)
        if (mask >> bit & 1 && !--left)
            return (unsigned)bit;
    return ~0u;
}

/* A byte for each of the selector's four lowest hexadecimal digits: 0 to 3 of a, 4 to 7 of b. */
static CPU_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    unsigned result = 0;

    for (int i = 0; i < 4; i++)
        result |= (unsigned)(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return result;
}

/* 32 bits of high:low, shifted by up to 31 bits; _lc and _rc by up to 32. */
static CPU_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)((((uint64_t)high << 32 | low) << (shift & 31)) >> 32);
}
static CPU_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
static CPU_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
static CPU_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

/* --- products, means and distances --- */

static CPU_INLINE int cpu_low24(int v)
{
    return (int)((unsigned)v << 8) >> 8;
}
static CPU_INLINE int __mul24(int a, int b)
{
    return (int)((int64_t)cpu_low24(a) * cpu_low24(b));
}
static CPU_INLINE unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
static CPU_INLINE int __mulhi(int a, int b)
{
    return (int)((int64_t)a * b >> 32);
}
static CPU_INLINE unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}
static CPU_INLINE long long __mul64hi(long long a, long long b)
{
    return (long long)((__int128)a * b >> 64);
}
static CPU_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static CPU_INLINE int __hadd(int a, int b)
{
    return (int)(((int64_t)a + b) >> 1);
}
static CPU_INLINE int __rhadd(int a, int b)
{
    return (int)(((int64_t)a + b + 1) >> 1);
}
static CPU_INLINE unsigned __uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((uint64_t)a + b) >> 1);
}
static CPU_INLINE unsigned __urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((uint64_t)a + b + 1) >> 1);
}
static CPU_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    return (a > b ? a - b : b - a) + c;
}
static CPU_INLINE unsigned __sad(int a, int b, unsigned c)
{
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}

/* --- products of lanes, added to c: four bytes by bytes; two halfwords by the low or high bytes
 * --- */

/* Lane i of a word, of type T: sign and width are its. */
template <typename T> static CPU_INLINE int cpu_lane(unsigned word, int i)
{
    return (T)(word >> i * 8 * (int)sizeof(T));
}

template <typename A, typename B>
static CPU_INLINE unsigned cpu_dot(unsigned a, unsigned b, unsigned c, int first)
{
    for (int i = 0; i < 4 / (int)sizeof(A); i++)
        c += (unsigned)(cpu_lane<A>(a, i) * cpu_lane<B>(b, first + i));
    return c;
}

template <typename V> static CPU_INLINE unsigned cpu_word(V lanes)
{
    unsigned word;

    static_assert(sizeof(V) == 4, "a word of lanes");
    __builtin_memcpy(&word, &lanes, sizeof(word));
    return word;
}

#define CPU_DOT(NAME, VA, A, VB, B, T, FIRST)                                                      \
    static CPU_INLINE T NAME(T a, T b, T c)                                                        \
    {                                                                                              \
        return (T)cpu_dot<A, B>((unsigned)a, (unsigned)b, (unsigned)c, FIRST);                     \
    }                                                                                              \
    static CPU_INLINE T NAME(VA a, VB b, T c)                                                      \
    {                                                                                              \
        return NAME((T)cpu_word(a), (T)cpu_word(b), c);                                            \
    }
CPU_DOT(__dp4a, char4, int8_t, char4, int8_t, int, 0)
CPU_DOT(__dp4a, uchar4, uint8_t, uchar4, uint8_t, unsigned, 0)
CPU_DOT(__dp2a_lo, short2, int16_t, char4, int8_t, int, 0)
CPU_DOT(__dp2a_lo, ushort2, uint16_t, uchar4, uint8_t, unsigned, 0)
CPU_DOT(__dp2a_hi, short2, int16_t, char4, int8_t, int, 2)
CPU_DOT(__dp2a_hi, ushort2, uint16_t, uchar4, uint8_t, unsigned, 2)

/* --- min and max: of a signed and an unsigned integer as unsigned, of a float and a double as
 * double --- */

#define CPU_MIN_MAX(A, B, T)                                                                       \
    static CPU_INLINE T min(A a, B b)                                                              \
    {                                                                                              \
        return (T)a < (T)b ? (T)a : (T)b;                                                          \
    }                                                                                              \
    static CPU_INLINE T max(A a, B b)                                                              \
    {                                                                                              \
        return (T)a > (T)b ? (T)a : (T)b;                                                          \
    }
#define CPU_MIN_MAX_MIXED(S, U)                                                                    \
    CPU_MIN_MAX(S, S, S)                                                                           \
    CPU_MIN_MAX(U, U, U)                                                                           \
    CPU_MIN_MAX(S, U, U)                                                                           \
    CPU_MIN_MAX(U, S, U)
CPU_MIN_MAX_MIXED(int, unsigned)
CPU_MIN_MAX_MIXED(long, unsigned long)
CPU_MIN_MAX_MIXED(long long, unsigned long long)
static CPU_INLINE float min(float a, float b)
{
    return fminf(a, b);
}
static CPU_INLINE float max(float a, float b)
{
    return fmaxf(a, b);
}
static CPU_INLINE double min(double a, double b)
{
    return fmin(a, b);
}
static CPU_INLINE double max(double a, double b)
{
    return fmax(a, b);
}
static CPU_INLINE double min(float a, double b)
{
    return fmin(a, b);
}
static CPU_INLINE double max(float a, double b)
{
    return fmax(a, b);
}
static CPU_INLINE double min(double a, float b)
{
    return fmin(a, b);
}
static CPU_INLINE double max(double a, float b)
{
    return fmax(a, b);
}

static CPU_INLINE unsigned umin(unsigned a, unsigned b)
{
    return min(a, b);
}
static CPU_INLINE unsigned umax(unsigned a, unsigned b)
{
    return max(a, b);
}
static CPU_INLINE long long llmin(long long a, long long b)
{
    return min(a, b);
}
static CPU_INLINE long long llmax(long long a, long long b)
{
    return max(a, b);
}
static CPU_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
    return min(a, b);
}
static CPU_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
    return max(a, b);
}

#endif
