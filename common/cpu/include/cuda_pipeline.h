/*
 * The pipeline primitives for the CPU device: asynchronous copies into shared memory. Here the copy
 * is done at once, by one load and one store, which is one of the orders that CUDA allows.
 */
#ifndef CUDA_PIPELINE_H
#define CUDA_PIPELINE_H

#include <cuda_runtime.h>

template <typename T> static CPU_INLINE void cpu_copy_word(void *to, const void *from)
{
    *(T *)to = *(const T *)from;
}

/* size is 4, 8 or 16; both addresses are multiples of it. */
static CPU_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t size)
{
    if (size == 16)
        cpu_copy_word<int4>(to, from);
    else if (size == 8)
        cpu_copy_word<int2>(to, from);
    else
        cpu_copy_word<int>(to, from);
}

static CPU_INLINE void __pipeline_commit() {}
static CPU_INLINE void __pipeline_wait_prior(size_t) {}

#endif
