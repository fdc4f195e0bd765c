/*
 * What a kernel may use: qualifiers, built-in variables, barriers, warp operations, atomics,
 * fences, cache hints and bit intrinsics. Each has CUDA's name and meaning.
 *
 * What waits, or touches memory that threads share, calls a function of abi.h, and is inlined into the
 * kernel down to that call: so the place in the code that is reported is the kernel's own line.
 */
#ifndef DEVICE_FUNCTIONS_H
#define DEVICE_FUNCTIONS_H

#include "cpu/abi.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __noinline__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#ifndef __restrict__
#define __restrict__ __restrict
#endif

#define CPU_DEVICE 1 /* so that a step can tell, should it need to */

#define threadIdx cpu_thread_index()
#define blockIdx cpu_block_index()
#define blockDim cpu_block_dim()
#define gridDim cpu_grid_dim()
static const int warpSize = 32;

/* --- barriers and fences --- */

#define __syncthreads() (cpu_at_line(__LINE__), cpu_barrier())
#define __syncthreads_count(p) (cpu_at_line(__LINE__), cpu_barrier_count(p))
#define __syncthreads_and(p) (cpu_at_line(__LINE__), cpu_barrier_and(p))
#define __syncthreads_or(p) (cpu_at_line(__LINE__), cpu_barrier_or(p))
static CPU_INLINE void __syncwarp(unsigned mask = 0xffffffff) { cpu_syncwarp(mask); }
static CPU_INLINE void __threadfence_block() { cpu_fence(CPU_SCOPE_BLOCK); }
static CPU_INLINE void __threadfence() { cpu_fence(CPU_SCOPE_DEVICE); }
static CPU_INLINE void __threadfence_system() { cpu_fence(CPU_SCOPE_SYSTEM); }
static CPU_INLINE void __nanosleep(unsigned ns) { cpu_nanosleep(ns); }
static CPU_INLINE long long clock64() { return cpu_clock(); }

/* --- warp operations --- */

template <typename T> static CPU_INLINE uint64_t cpu_bits(T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles take values of 4 or 8 bytes");
    uint64_t bits = 0;

    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <typename T> static CPU_INLINE T cpu_value(uint64_t bits)
{
    T value;

    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

#define CPU_SHUFFLE(NAME, OP, ARGUMENT)                                                            \
    template <typename T>                                                                          \
    static CPU_INLINE T NAME(unsigned mask, T value, ARGUMENT lane, int width = 32)                \
    {                                                                                              \
        return cpu_value<T>(cpu_shuffle(OP, mask, cpu_bits(value), (unsigned)lane,                 \
                                        (unsigned)width));                                         \
    }
CPU_SHUFFLE(__shfl_sync, CPU_WARP_SHFL, int)
CPU_SHUFFLE(__shfl_up_sync, CPU_WARP_SHFL_UP, unsigned)
CPU_SHUFFLE(__shfl_down_sync, CPU_WARP_SHFL_DOWN, unsigned)
CPU_SHUFFLE(__shfl_xor_sync, CPU_WARP_SHFL_XOR, int)

static CPU_INLINE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return (unsigned)cpu_vote(CPU_WARP_BALLOT, mask, predicate != 0);
}
static CPU_INLINE int __any_sync(unsigned mask, int predicate)
{
    return (int)cpu_vote(CPU_WARP_ANY, mask, predicate != 0);
}
static CPU_INLINE int __all_sync(unsigned mask, int predicate)
{
    return (int)cpu_vote(CPU_WARP_ALL, mask, predicate != 0);
}
template <typename T> static CPU_INLINE unsigned __match_any_sync(unsigned mask, T value)
{
    return (unsigned)cpu_vote(CPU_WARP_MATCH_ANY, mask, cpu_bits(value));
}
template <typename T>
static CPU_INLINE unsigned __match_all_sync(unsigned mask, T value, int *predicate)
{
    return (unsigned)cpu_match_all(mask, cpu_bits(value), predicate);
}
static CPU_INLINE unsigned __activemask() { return cpu_activemask(); }

#define CPU_FOLD(NAME, T, OP)                                                                      \
    static CPU_INLINE T NAME(unsigned mask, T value)                                               \
    {                                                                                              \
        return (T)cpu_vote(OP, mask, (uint32_t)value);                                             \
    }
CPU_FOLD(__reduce_add_sync, unsigned, CPU_WARP_ADD)
CPU_FOLD(__reduce_add_sync, int, CPU_WARP_ADD)
CPU_FOLD(__reduce_min_sync, int, CPU_WARP_MIN_S)
CPU_FOLD(__reduce_max_sync, int, CPU_WARP_MAX_S)
CPU_FOLD(__reduce_min_sync, unsigned, CPU_WARP_MIN_U)
CPU_FOLD(__reduce_max_sync, unsigned, CPU_WARP_MAX_U)
CPU_FOLD(__reduce_and_sync, unsigned, CPU_WARP_AND)
CPU_FOLD(__reduce_or_sync, unsigned, CPU_WARP_OR)
CPU_FOLD(__reduce_xor_sync, unsigned, CPU_WARP_XOR)

/* --- atomics --- */

#define CPU_ATOMIC(NAME, T, FUNCTION, CT)                                                          \
    static CPU_INLINE T NAME(T *p, T v) { return (T)FUNCTION((CT *)p, (CT)v); }
#define CPU_ATOMICS(T, CT, S)                                                                      \
    CPU_ATOMIC(atomicExch, T, cpu_atomic_exchange_##S, CT)                                         \
    CPU_ATOMIC(atomicMin, T, cpu_atomic_min_##S, CT)                                               \
    CPU_ATOMIC(atomicMax, T, cpu_atomic_max_##S, CT)                                               \
    CPU_ATOMIC(atomicAnd, T, cpu_atomic_and_##S, CT)                                               \
    CPU_ATOMIC(atomicOr, T, cpu_atomic_or_##S, CT)                                                 \
    CPU_ATOMIC(atomicXor, T, cpu_atomic_xor_##S, CT)                                               \
    static CPU_INLINE T atomicCAS(T *p, T expected, T v)                                           \
    {                                                                                              \
        return (T)cpu_atomic_cas_##S((CT *)p, (CT)expected, (CT)v);                                \
    }
CPU_ATOMICS(int, int32_t, i32)
CPU_ATOMICS(unsigned, uint32_t, u32)
CPU_ATOMICS(unsigned long long, uint64_t, u64)
CPU_ATOMICS(long long, int64_t, i64)
CPU_ATOMIC(atomicAdd, int, cpu_atomic_add_u32, uint32_t)
CPU_ATOMIC(atomicAdd, unsigned, cpu_atomic_add_u32, uint32_t)
CPU_ATOMIC(atomicAdd, unsigned long long, cpu_atomic_add_u64, uint64_t)
CPU_ATOMIC(atomicAdd, float, cpu_atomic_add_f32, float)
CPU_ATOMIC(atomicAdd, double, cpu_atomic_add_f64, double)
CPU_ATOMIC(atomicInc, unsigned, cpu_atomic_inc_u32, uint32_t)
CPU_ATOMIC(atomicDec, unsigned, cpu_atomic_dec_u32, uint32_t)
static CPU_INLINE int atomicSub(int *p, int v) { return atomicAdd(p, (int)(0u - (unsigned)v)); }
static CPU_INLINE unsigned atomicSub(unsigned *p, unsigned v) { return atomicAdd(p, 0u - v); }
static CPU_INLINE float atomicExch(float *p, float v)
{
    return cpu_value<float>(atomicExch((unsigned *)p, (unsigned)cpu_bits(v)));
}

/* --- loads and stores with cache hints: the hints change nothing here --- */

template <typename T> static CPU_INLINE T __ldg(const T *p)
{
    cpu_read_only(p, sizeof(T));
    return *p;
}
template <typename T> static CPU_INLINE T __ldca(const T *p) { return *p; }
template <typename T> static CPU_INLINE T __ldcg(const T *p) { return *p; }
template <typename T> static CPU_INLINE T __ldcs(const T *p) { return *p; }
template <typename T> static CPU_INLINE T __ldlu(const T *p) { return *p; }
template <typename T> static CPU_INLINE T __ldcv(const T *p) { return *(const volatile T *)p; }
template <typename T> static CPU_INLINE void __stwb(T *p, T v) { *p = v; }
template <typename T> static CPU_INLINE void __stcg(T *p, T v) { *p = v; }
template <typename T> static CPU_INLINE void __stcs(T *p, T v) { *p = v; }
template <typename T> static CPU_INLINE void __stwt(T *p, T v) { *(volatile T *)p = v; }

/* --- bits and numbers --- */

static CPU_INLINE int __popc(unsigned v) { return __builtin_popcount(v); }
static CPU_INLINE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static CPU_INLINE int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
static CPU_INLINE int __clzll(long long v)
{
    return v ? __builtin_clzll((unsigned long long)v) : 64;
}
static CPU_INLINE int __ffs(int v) { return __builtin_ffs(v); }
static CPU_INLINE int __ffsll(long long v) { return __builtin_ffsll(v); }
static CPU_INLINE unsigned __brev(unsigned v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}
static CPU_INLINE unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
static CPU_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
static CPU_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
static CPU_INLINE int __float_as_int(float v) { return cpu_value<int>(cpu_bits(v)); }
static CPU_INLINE unsigned __float_as_uint(float v) { return cpu_value<unsigned>(cpu_bits(v)); }
static CPU_INLINE float __int_as_float(int v) { return cpu_value<float>(cpu_bits(v)); }
static CPU_INLINE float __uint_as_float(unsigned v) { return cpu_value<float>(cpu_bits(v)); }
static CPU_INLINE float __fadd_rn(float a, float b) { return a + b; }
static CPU_INLINE float __fmul_rn(float a, float b) { return a * b; }
static CPU_INLINE float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static CPU_INLINE float rsqrtf(float v) { return 1 / sqrtf(v); }

#define CPU_MIN_MAX(T)                                                                             \
    static CPU_INLINE T min(T a, T b) { return a < b ? a : b; }                                    \
    static CPU_INLINE T max(T a, T b) { return a > b ? a : b; }
CPU_MIN_MAX(int)
CPU_MIN_MAX(unsigned)
CPU_MIN_MAX(long)
CPU_MIN_MAX(unsigned long)
CPU_MIN_MAX(long long)
CPU_MIN_MAX(unsigned long long)
static CPU_INLINE float min(float a, float b) { return fminf(a, b); }
static CPU_INLINE float max(float a, float b) { return fmaxf(a, b); }
static CPU_INLINE double min(double a, double b) { return fmin(a, b); }
static CPU_INLINE double max(double a, double b) { return fmax(a, b); }

#endif
