/*
 * What headers with inline PTX share: which code may have the instructions of compute capability
 * 9.0, and how they name shared memory. Device code.
 */
#ifndef KIT_PTX_H
#define KIT_PTX_H

#define CLUSTER_CAPABILITY 90 /* of clusters, and of barriers that count bytes */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 10 * CLUSTER_CAPABILITY
#define CLUSTERS 1 /* code for older ones is empty: refused at run time */
#define CLUSTER_ASM(...) asm volatile(__VA_ARGS__)
#else
#define CLUSTER_ASM(...)
#endif

/* Of shared memory, as PTX has it: of the block's own, or of another one's in the cluster. */
static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

#endif
