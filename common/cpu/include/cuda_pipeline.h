/*
 * The pipeline primitives for the CPU device: asynchronous copies into shared memory. Here the copy
 * is done at once, which is one of the orders that CUDA allows. The counters take it as the GPU
 * does: a load of global memory, and no store instruction.
 */
#ifndef CUDA_PIPELINE_H
#define CUDA_PIPELINE_H

#include <cuda_runtime.h>

/* size is 4, 8 or 16; both addresses are multiples of it. */
static CPU_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t size)
{
    cpu_copy_async(to, from, (unsigned)size);
}

static CPU_INLINE void __pipeline_commit() {}
static CPU_INLINE void __pipeline_wait_prior(size_t) {}

#endif
