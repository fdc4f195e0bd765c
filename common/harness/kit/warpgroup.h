/*
 * What steps with wgmma share, products of four warps, a warpgroup: the asm that only some code may
 * have, the fences and the wait, and why a device refuses such a kernel. Device code of hgemm and
 * of attention.
 */
#ifndef WARPGROUP_H
#define WARPGROUP_H

#include <stdio.h>

#include "harness/kit/device.h"
#include "harness/kit/mma.h"

#define GROUP 128                /* threads */
#define SWIZZLE_128 (1ull << 62) /* of a descriptor */
#define FEWEST_REGISTERS 96      /* that a kernel with such products has more than */

/* Compute capability 9.0 alone has these instructions, and code for it does if it is made for
 * "90a": nvcc -arch=sm_90a. In other code the functions below are empty. */
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define GROUP_ASM(...) asm volatile(__VA_ARGS__)
#define HAS_GROUPS true
#else
#define GROUP_ASM(...)
#define HAS_GROUPS false
#endif

#define SUMS_4(I) "+f"(d[I]), "+f"(d[I + 1]), "+f"(d[I + 2]), "+f"(d[I + 3])
#define SUMS_16(I) SUMS_4(I), SUMS_4(I + 4), SUMS_4(I + 8), SUMS_4(I + 12)
#define SUMS_64(I) SUMS_16(I), SUMS_16(I + 16), SUMS_16(I + 32), SUMS_16(I + 48)

/* The registers of the sums are as they should be, before the products to come. */
static __device__ __forceinline__ void fence_registers()
{
    GROUP_ASM("wgmma.fence.sync.aligned;" ::: "memory");
}

/* What this thread has written to shared memory is there for products, too. */
static __device__ __forceinline__ void fence_memory()
{
    GROUP_ASM("fence.proxy.async.shared::cta;" ::: "memory");
}

/* The products that began since the last call are a group. */
static __device__ __forceinline__ void commit_products()
{
    GROUP_ASM("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Until at most so many groups of products are not done. */
template <int GROUPS> static __device__ __forceinline__ void wait_products()
{
    GROUP_ASM("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}

/* The kernel that multiplies has its sums in registers, and so more than `fewest`; an empty one
 * does with few. The CPU device counts none. */
static bool is_empty_group(const void *kernel, char *why, size_t room, int fewest)
{
    struct cudaFuncAttributes attributes;

    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess || attributes.numRegs == 0 ||
        attributes.numRegs > fewest)
        return false;
    snprintf(why, room,
             "needs code for compute capability 9.0a, which this program was built without");
    return true;
}

/* True with one line in why if the device cannot run a kernel with such products. */
static bool refuse_group(const void *kernel, size_t shared_bytes, char *why, size_t room,
                         int fewest = FEWEST_REGISTERS)
{
    return device_other_than(90, why, room) || is_empty_group(kernel, why, room, fewest) ||
           device_lacks_shared(shared_bytes, why, room);
}

#endif
