/*
 * What a kernel may use: built-in variables, barriers, fences and time here, and the
 * rest, by its kind, in the headers named below. Each has CUDA's name and meaning.
 *
 * What waits, or touches memory that threads share, calls a function of abi.h, and is inlined into
 * the kernel down to that call: so the place in the code that is reported is the kernel's own line.
 */
#ifndef DEVICE_FUNCTIONS_H
#define DEVICE_FUNCTIONS_H

#include "cpu/abi.h"
#include "vector_functions.h"
#include "shared_variable.h"

#define CPU_DEVICE 1 /* so that a step can tell, should it need to */

/* The built-in variables, as the translator writes them in device code. */
static CPU_INLINE uint3 cpu_threadIdx()
{
    return make_uint3(cpu_thread_index(CPU_X), cpu_thread_index(CPU_Y), cpu_thread_index(CPU_Z));
}
static CPU_INLINE uint3 cpu_blockIdx()
{
    return make_uint3(cpu_block_index(CPU_X), cpu_block_index(CPU_Y), cpu_block_index(CPU_Z));
}
static CPU_INLINE dim3 cpu_blockDim()
{
    return dim3(cpu_block_dim(CPU_X), cpu_block_dim(CPU_Y), cpu_block_dim(CPU_Z));
}
static CPU_INLINE dim3 cpu_gridDim()
{
    return dim3(cpu_grid_dim(CPU_X), cpu_grid_dim(CPU_Y), cpu_grid_dim(CPU_Z));
}
static const int warpSize = 32;

/* Registers of PTX: see common/cpu/translate/ptx.c. */
static CPU_INLINE unsigned cpu_linear_thread()
{
    const uint3 i = cpu_threadIdx();
    const dim3 of = cpu_blockDim();

    return (i.z * of.y + i.y) * of.x + i.x;
}
static CPU_INLINE unsigned cpu_laneid()
{
    return cpu_linear_thread() % 32;
}
static CPU_INLINE unsigned cpu_warpid()
{
    return cpu_linear_thread() / 32;
}

/* --- barriers and fences --- */

#define __syncthreads() (cpu_at_line(__LINE__), cpu_barrier())
#define __syncthreads_count(p) (cpu_at_line(__LINE__), cpu_barrier_count(p))
#define __syncthreads_and(p) (cpu_at_line(__LINE__), cpu_barrier_and(p))
#define __syncthreads_or(p) (cpu_at_line(__LINE__), cpu_barrier_or(p))
#define __barrier_sync(number) (cpu_at_line(__LINE__), cpu_named_barrier(number, 0, true))
#define __barrier_sync_count(number, threads)                                                      \
    (cpu_at_line(__LINE__), cpu_named_barrier(number, threads, true))
static CPU_INLINE void __threadfence_block()
{
    cpu_fence(CPU_SCOPE_BLOCK);
}
static CPU_INLINE void __threadfence()
{
    cpu_fence(CPU_SCOPE_DEVICE);
}
static CPU_INLINE void __threadfence_system()
{
    cpu_fence(CPU_SCOPE_SYSTEM);
}
static CPU_INLINE void __trap()
{
    cpu_trap();
}
static CPU_INLINE void __brkpt()
{
    cpu_trap();
} /* as without a debugger */
static CPU_INLINE void __nanosleep(unsigned ns)
{
    cpu_nanosleep(ns);
}
static CPU_INLINE long long clock64()
{
    return cpu_clock();
}

#define __prof_trigger(counter) ((void)0)
#define __assume(condition) ((void)0)
#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#endif

#include <time.h> /* clock() */
#include "address_functions.h"
#include "atomic_functions.h"
#include "cluster_functions.h"
#include "conversion_functions.h"
#include "integer_functions.h"
#include "math_functions.h"
#include "simd_functions.h"
#include "warp_functions.h"
#include "ptx_functions.h"

#endif
