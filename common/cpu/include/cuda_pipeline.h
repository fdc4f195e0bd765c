/* The pipeline primitives for the CPU device: asynchronous copies into shared memory. */
#ifndef CUDA_PIPELINE_H
#define CUDA_PIPELINE_H

#include <cuda_runtime.h>
#include <cuda_awbarrier_primitives.h>

/* size is 4, 8 or 16; both addresses are multiples of it. The last `zeros` bytes become 0. */
static CPU_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t size,
                                               size_t zeros = 0)
{
    if ((size != 4 && size != 8 && size != 16) || zeros > size)
        cpu_stop("__pipeline_memcpy_async copies 4, 8 or 16 bytes, no more of them zeros");
    cpu_copy_async(to, from, (unsigned)size, (unsigned)zeros);
}

static CPU_INLINE void __pipeline_commit()
{
    cpu_copy_commit();
}

/* Waits for all groups but the youngest `prior`; CUDA knows 0 to 8. */
static CPU_INLINE void __pipeline_wait_prior(size_t prior)
{
    cpu_copy_wait(prior < 8 ? prior : 8);
}

static CPU_INLINE void __pipeline_arrive_on(__mbarrier_t *barrier)
{
    cpu_object_expect_copies(barrier);
}

#endif
