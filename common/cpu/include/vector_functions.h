/* make_float4 and the like: a vector of CUDA's types from its elements. */
#ifndef VECTOR_FUNCTIONS_H
#define VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define CPU_MAKE4(T, NAME)                                                                         \
    static CPU_INLINE NAME make_##NAME(T x, T y, T z, T w)                                         \
    {                                                                                              \
        return NAME{x, y, z, w};                                                                   \
    }
#define CPU_MAKE(T, NAME)                                                                          \
    static CPU_INLINE NAME##1 make_##NAME##1(T x)                                                  \
    {                                                                                              \
        return NAME##1 {x};                                                                        \
    }                                                                                              \
    static CPU_INLINE NAME##2 make_##NAME##2(T x, T y)                                             \
    {                                                                                              \
        return NAME##2 {x, y};                                                                     \
    }                                                                                              \
    static CPU_INLINE NAME##3 make_##NAME##3(T x, T y, T z)                                        \
    {                                                                                              \
        return NAME##3 {x, y, z};                                                                  \
    }                                                                                              \
    CPU_MAKE4(T, NAME##4)
#define CPU_MAKE_32(T, NAME)                                                                       \
    CPU_MAKE(T, NAME)                                                                              \
    CPU_MAKE4(T, NAME##4_16a)                                                                      \
    CPU_MAKE4(T, NAME##4_32a)

CPU_MAKE(signed char, char)
CPU_MAKE(unsigned char, uchar)
CPU_MAKE(short, short)
CPU_MAKE(unsigned short, ushort)
CPU_MAKE(int, int)
CPU_MAKE(unsigned, uint)
CPU_MAKE(float, float)
CPU_MAKE_32(long, long)
CPU_MAKE_32(unsigned long, ulong)
CPU_MAKE_32(long long, longlong)
CPU_MAKE_32(unsigned long long, ulonglong)
CPU_MAKE_32(double, double)

#endif
