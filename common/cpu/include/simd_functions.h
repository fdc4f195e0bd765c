/*
 * CUDA's SIMD intrinsics on the four bytes or two halfwords of a word, and its DPX functions. For
 * host code too.
 *
 * Each is one expression for a lane, of its elements a and b (and c) as int, put back into the
 * lane's bits. A name's letter s or u before the number says whether lanes are signed.
 */
#ifndef SIMD_FUNCTIONS_H
#define SIMD_FUNCTIONS_H

#include "integer_functions.h"

/* The word whose lane i has the low bits of lane(i). */
template <typename T, typename F> static CPU_INLINE unsigned cpu_each_lane(F lane)
{
    constexpr int bits = 8 * (int)sizeof(T);
    unsigned word = 0;

    for (int i = 0; i < 32 / bits; i++)
        word |= ((unsigned)lane(i) & ((1u << bits) - 1)) << i * bits;
    return word;
}

/* v, or the end of T's range that it is beyond. */
template <typename T> static CPU_INLINE int cpu_clamp(int v)
{
    constexpr int top = (T)-1 < 0 ? (1 << (8 * sizeof(T) - 1)) - 1 : (T)-1;
    constexpr int bottom = (T)-1 < 0 ? -top - 1 : 0;

    return v < bottom ? bottom : v > top ? top : v;
}

#define CPU_INLINED __attribute__((always_inline))
#define CPU_LANES_1(NAME, T, RESULT)                                                               \
    static CPU_INLINE unsigned NAME(unsigned wa)                                                   \
    {                                                                                              \
        return cpu_each_lane<T>([=](int i) CPU_INLINED {                                           \
            int a = cpu_lane<T>(wa, i);                                                            \
            return RESULT;                                                                         \
        });                                                                                        \
    }
#define CPU_LANES_2(NAME, T, RESULT)                                                               \
    static CPU_INLINE unsigned NAME(unsigned wa, unsigned wb)                                      \
    {                                                                                              \
        return cpu_each_lane<T>([=](int i) CPU_INLINED {                                           \
            int a = cpu_lane<T>(wa, i), b = cpu_lane<T>(wb, i);                                    \
            return RESULT;                                                                         \
        });                                                                                        \
    }
#define CPU_LANES_3(NAME, T, RESULT)                                                               \
    static CPU_INLINE unsigned NAME(unsigned wa, unsigned wb, unsigned wc)                         \
    {                                                                                              \
        return cpu_each_lane<T>([=](int i) CPU_INLINED {                                           \
            int a = cpu_lane<T>(wa, i), b = cpu_lane<T>(wb, i), c = cpu_lane<T>(wc, i);            \
            return RESULT;                                                                         \
        });                                                                                        \
    }
#define CPU_DISTANCE(a, b) ((a) > (b) ? (a) - (b) : (b) - (a))

/* A sum over the lanes, as a number. */
#define CPU_LANES_SUM(NAME, T)                                                                     \
    static CPU_INLINE unsigned NAME(unsigned wa, unsigned wb)                                      \
    {                                                                                              \
        unsigned sum = 0;                                                                          \
        for (int i = 0; i < 4 / (int)sizeof(T); i++)                                               \
            sum += (unsigned)CPU_DISTANCE(cpu_lane<T>(wa, i), cpu_lane<T>(wb, i));                 \
        return sum;                                                                                \
    }

/* A comparison: all bits of the lane, or 1. */
#define CPU_LANES_COMPARE(NAME, T, OP)                                                             \
    CPU_LANES_2(__vcmp##NAME, T, (a OP b) ? -1 : 0)                                                \
    CPU_LANES_2(__vset##NAME, T, a OP b)

#define CPU_LANES(N, S, U)                                                                         \
    CPU_LANES_1(__vabs##N, S, a < 0 ? -a : a)                                                      \
    CPU_LANES_1(__vabsss##N, S, cpu_clamp<S>(a < 0 ? -a : a))                                      \
    CPU_LANES_1(__vneg##N, S, -a)                                                                  \
    CPU_LANES_1(__vnegss##N, S, cpu_clamp<S>(-a))                                                  \
    CPU_LANES_2(__vadd##N, U, a + b)                                                               \
    CPU_LANES_2(__vaddss##N, S, cpu_clamp<S>(a + b))                                               \
    CPU_LANES_2(__vaddus##N, U, cpu_clamp<U>(a + b))                                               \
    CPU_LANES_2(__vsub##N, U, a - b)                                                               \
    CPU_LANES_2(__vsubss##N, S, cpu_clamp<S>(a - b))                                               \
    CPU_LANES_2(__vsubus##N, U, cpu_clamp<U>(a - b))                                               \
    CPU_LANES_2(__vavgs##N, S, (a + b + (a + b >= 0)) >> 1)                                        \
    CPU_LANES_2(__vavgu##N, U, (a + b + 1) >> 1)                                                   \
    CPU_LANES_2(__vhaddu##N, U, (a + b) >> 1)                                                      \
    CPU_LANES_2(__vabsdiffs##N, S, CPU_DISTANCE(a, b))                                             \
    CPU_LANES_2(__vabsdiffu##N, U, CPU_DISTANCE(a, b))                                             \
    CPU_LANES_2(__vmaxs##N, S, max(a, b))                                                          \
    CPU_LANES_2(__vmaxu##N, U, max(a, b))                                                          \
    CPU_LANES_2(__vmins##N, S, min(a, b))                                                          \
    CPU_LANES_2(__vminu##N, U, min(a, b))                                                          \
    CPU_LANES_SUM(__vsads##N, S)                                                                   \
    CPU_LANES_SUM(__vsadu##N, U)                                                                   \
    CPU_LANES_COMPARE(eq##N, U, ==)                                                                \
    CPU_LANES_COMPARE(ne##N, U, !=)                                                                \
    CPU_LANES_COMPARE(ges##N, S, >=)                                                               \
    CPU_LANES_COMPARE(geu##N, U, >=)                                                               \
    CPU_LANES_COMPARE(gts##N, S, >)                                                                \
    CPU_LANES_COMPARE(gtu##N, U, >)                                                                \
    CPU_LANES_COMPARE(les##N, S, <=)                                                               \
    CPU_LANES_COMPARE(leu##N, U, <=)                                                               \
    CPU_LANES_COMPARE(lts##N, S, <)                                                                \
    CPU_LANES_COMPARE(ltu##N, U, <)
CPU_LANES(2, int16_t, uint16_t)
CPU_LANES(4, int8_t, uint8_t)

/* --- DPX: maxima and minima of sums and of three; _relu: and of 0; b: with who won, ties to a
 * --- */

#define CPU_DPX_WORD(NAME, T, U, MINMAX)                                                           \
    static CPU_INLINE T __vi##MINMAX##3_##NAME(T a, T b, T c)                                      \
    {                                                                                              \
        return MINMAX(MINMAX(a, b), c);                                                            \
    }                                                                                              \
    static CPU_INLINE T __viadd##MINMAX##_##NAME(T a, T b, T c)                                    \
    {                                                                                              \
        return MINMAX((T)((U)a + (U)b), c);                                                        \
    }                                                                                              \
    static CPU_INLINE T __vib##MINMAX##_##NAME(T a, T b, bool *const a_won)                        \
    {                                                                                              \
        T result = MINMAX(a, b);                                                                   \
        *a_won = result == a;                                                                      \
        return result;                                                                             \
    }
#define CPU_DPX_LANES(NAME, T, MINMAX)                                                             \
    CPU_LANES_3(__vi##MINMAX##3_##NAME, T, MINMAX(MINMAX(a, b), c))                                \
    CPU_LANES_3(__viadd##MINMAX##_##NAME, T, MINMAX((int)(T)(a + b), c))                           \
    static CPU_INLINE unsigned __vib##MINMAX##_##NAME(unsigned wa, unsigned wb,                    \
                                                      bool *const high_a, bool *const low_a)       \
    {                                                                                              \
        int a = cpu_lane<T>(wa, 1), b = cpu_lane<T>(wb, 1), high = MINMAX(a, b);                   \
        int c = cpu_lane<T>(wa, 0), d = cpu_lane<T>(wb, 0), low = MINMAX(c, d);                    \
        *high_a = high == a;                                                                       \
        *low_a = low == c;                                                                         \
        return (unsigned)high << 16 | ((unsigned)low & 0xffff);                                    \
    }
#define CPU_DPX(MINMAX)                                                                            \
    CPU_DPX_WORD(s32, int, unsigned, MINMAX)                                                       \
    CPU_DPX_WORD(u32, unsigned, unsigned, MINMAX)                                                  \
    CPU_DPX_LANES(s16x2, int16_t, MINMAX)                                                          \
    CPU_DPX_LANES(u16x2, uint16_t, MINMAX)                                                         \
    static CPU_INLINE int __vi##MINMAX##_s32_relu(int a, int b)                                    \
    {                                                                                              \
        return max(MINMAX(a, b), 0);                                                               \
    }                                                                                              \
    static CPU_INLINE int __vi##MINMAX##3_s32_relu(int a, int b, int c)                            \
    {                                                                                              \
        return max(__vi##MINMAX##3_s32(a, b, c), 0);                                               \
    }                                                                                              \
    static CPU_INLINE int __viadd##MINMAX##_s32_relu(int a, int b, int c)                          \
    {                                                                                              \
        return max(__viadd##MINMAX##_s32(a, b, c), 0);                                             \
    }                                                                                              \
    CPU_LANES_2(__vi##MINMAX##_s16x2_relu, int16_t, max(MINMAX(a, b), 0))                          \
    CPU_LANES_3(__vi##MINMAX##3_s16x2_relu, int16_t, max(MINMAX(MINMAX(a, b), c), 0))              \
    CPU_LANES_3(__viadd##MINMAX##_s16x2_relu, int16_t, max(MINMAX((int)(int16_t)(a + b), c), 0))
CPU_DPX(max)
CPU_DPX(min)

#endif
