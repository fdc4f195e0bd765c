/*
 * Atomics, for the types that CUDA has them for: there are none for long, as in CUDA. That one is
 * of a block only (_block) is said to the tools; it is done like the others.
 *
 * Loads and stores with cache hints, too: the hints change nothing.
 */
#ifndef ATOMIC_FUNCTIONS_H
#define ATOMIC_FUNCTIONS_H

#include "cpu/abi.h"
#include "vector_types.h"

/* T NAME(T *p, T v), by FUNCTION for CT, of the same size; SCOPE is done before. */
#define CPU_ATOMIC_SCOPE(NAME, SCOPE, T, FUNCTION, CT)                                             \
    static CPU_INLINE T NAME(T *p, T v)                                                            \
    {                                                                                              \
        SCOPE;                                                                                     \
        return (T)FUNCTION((CT *)p, (CT)v);                                                        \
    }
#define CPU_ATOMIC_CAS_SCOPE(NAME, SCOPE, T, FUNCTION, CT)                                         \
    static CPU_INLINE T NAME(T *p, T expected, T v)                                                \
    {                                                                                              \
        SCOPE;                                                                                     \
        return (T)FUNCTION((CT *)p, (CT)expected, (CT)v);                                          \
    }
#define CPU_IN_EACH_SCOPE(MAKE, NAME, ...)                                                         \
    MAKE(NAME, (void)0, __VA_ARGS__)                                                               \
    MAKE(NAME##_block, cpu_atomic_scope(CPU_SCOPE_BLOCK), __VA_ARGS__)                             \
    MAKE(NAME##_system, cpu_atomic_scope(CPU_SCOPE_SYSTEM), __VA_ARGS__)
#define CPU_ATOMIC(NAME, T, FUNCTION, CT) CPU_IN_EACH_SCOPE(CPU_ATOMIC_SCOPE, NAME, T, FUNCTION, CT)
#define CPU_ATOMIC_CAS(T, S, CT)                                                                   \
    CPU_IN_EACH_SCOPE(CPU_ATOMIC_CAS_SCOPE, atomicCAS, T, cpu_atomic_cas_##S, CT)
#define CPU_ATOMIC_BITS(T, S, CT)                                                                  \
    CPU_ATOMIC(atomicMin, T, cpu_atomic_min_##S, CT)                                               \
    CPU_ATOMIC(atomicMax, T, cpu_atomic_max_##S, CT)                                               \
    CPU_ATOMIC(atomicAnd, T, cpu_atomic_and_##S, CT)                                               \
    CPU_ATOMIC(atomicOr, T, cpu_atomic_or_##S, CT)                                                 \
    CPU_ATOMIC(atomicXor, T, cpu_atomic_xor_##S, CT)
CPU_ATOMIC_BITS(int, i32, int32_t)
CPU_ATOMIC_BITS(unsigned, u32, uint32_t)
CPU_ATOMIC_BITS(long long, i64, int64_t)
CPU_ATOMIC_BITS(unsigned long long, u64, uint64_t)
CPU_ATOMIC_CAS(int, i32, int32_t)
CPU_ATOMIC_CAS(unsigned, u32, uint32_t)
CPU_ATOMIC_CAS(unsigned long long, u64, uint64_t)
CPU_ATOMIC_CAS(unsigned short, u16, uint16_t)
CPU_ATOMIC(atomicExch, int, cpu_atomic_exchange_i32, int32_t)
CPU_ATOMIC(atomicExch, unsigned, cpu_atomic_exchange_u32, uint32_t)
CPU_ATOMIC(atomicExch, unsigned long long, cpu_atomic_exchange_u64, uint64_t)
CPU_ATOMIC(atomicExch, float, cpu_atomic_exchange_f32, float)

/* To add the constant 1 is an instruction of its own in shared memory. */
#define CPU_ATOMIC_ADD(NAME, SCOPE, T)                                                             \
    static CPU_INLINE T NAME(T *p, T v)                                                            \
    {                                                                                              \
        SCOPE;                                                                                     \
        if (__builtin_constant_p(v) && v == 1)                                                     \
            return (T)cpu_atomic_count_u32((uint32_t *)p, 1);                                      \
        return (T)cpu_atomic_add_u32((uint32_t *)p, (uint32_t)v);                                  \
    }
CPU_IN_EACH_SCOPE(CPU_ATOMIC_ADD, atomicAdd, int)
CPU_IN_EACH_SCOPE(CPU_ATOMIC_ADD, atomicAdd, unsigned)
CPU_ATOMIC(atomicAdd, unsigned long long, cpu_atomic_add_u64, uint64_t)
CPU_ATOMIC(atomicAdd, float, cpu_atomic_add_f32, float)
CPU_ATOMIC(atomicAdd, double, cpu_atomic_add_f64, double)
CPU_ATOMIC(atomicInc, unsigned, cpu_atomic_inc_u32, uint32_t)
CPU_ATOMIC(atomicDec, unsigned, cpu_atomic_dec_u32, uint32_t)

#define CPU_ATOMIC_SUB(NAME, SCOPE, T)                                                             \
    static CPU_INLINE T NAME(T *p, T v)                                                            \
    {                                                                                              \
        SCOPE;                                                                                     \
        return (T)cpu_atomic_add_u32((uint32_t *)p, 0u - (uint32_t)v);                             \
    }
CPU_IN_EACH_SCOPE(CPU_ATOMIC_SUB, atomicSub, int)
CPU_IN_EACH_SCOPE(CPU_ATOMIC_SUB, atomicSub, unsigned)

/* Of vectors each element is added atomically, not the vector as a whole, as in CUDA. */
#define CPU_ATOMIC_FLOAT2(NAME, SCOPE, T)                                                          \
    static CPU_INLINE T NAME(T *p, T v)                                                            \
    {                                                                                              \
        SCOPE;                                                                                     \
        struct cpu_f32x2 old = cpu_atomic_add_f32x2((float *)p, cpu_f32x2{{v.x, v.y}});            \
        return T{old.v[0], old.v[1]};                                                              \
    }
#define CPU_ATOMIC_FLOAT4(NAME, SCOPE, T)                                                          \
    static CPU_INLINE T NAME(T *p, T v)                                                            \
    {                                                                                              \
        SCOPE;                                                                                     \
        struct cpu_f32x4 old = cpu_atomic_add_f32x4((float *)p, cpu_f32x4{{v.x, v.y, v.z, v.w}});  \
        return T{old.v[0], old.v[1], old.v[2], old.v[3]};                                          \
    }
CPU_IN_EACH_SCOPE(CPU_ATOMIC_FLOAT2, atomicAdd, float2)
CPU_IN_EACH_SCOPE(CPU_ATOMIC_FLOAT4, atomicAdd, float4)

/* --- loads and stores with cache hints --- */

template <typename T> struct cpu_as_given {
    typedef T type; /* what is stored converts to what the pointer points to */
};

#define CPU_LOAD(NAME)                                                                             \
    template <typename T> static CPU_INLINE T NAME(const T *p)                                     \
    {                                                                                              \
        return *p;                                                                                 \
    }
#define CPU_STORE(NAME)                                                                            \
    template <typename T> static CPU_INLINE void NAME(T *p, typename cpu_as_given<T>::type v)      \
    {                                                                                              \
        *p = v;                                                                                    \
    }
template <typename T> static CPU_INLINE T __ldg(const T *p)
{
    cpu_read_only(p, sizeof(T));
    return *p;
}
CPU_LOAD(__ldca)
CPU_LOAD(__ldcg)
CPU_LOAD(__ldcs)
CPU_LOAD(__ldlu)
CPU_STORE(__stwb)
CPU_STORE(__stcg)
CPU_STORE(__stcs)

/* These two go past the caches: a thread may spin on what they read and write. */
template <typename T> static CPU_INLINE T __ldcv(const T *p)
{
    typedef typename cpu_words<sizeof(T)>::type words;
    words bits = *(const volatile words *)p;
    T v;

    __builtin_memcpy((void *)&v, &bits, sizeof(v));
    return v;
}
template <typename T> static CPU_INLINE void __stwt(T *p, typename cpu_as_given<T>::type v)
{
    typedef typename cpu_words<sizeof(T)>::type words;
    words bits;

    __builtin_memcpy(&bits, &v, sizeof(bits));
    *(volatile words *)p = bits;
}

#endif
