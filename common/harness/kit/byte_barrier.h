/*
 * Barriers in shared memory that count the bytes which come from other blocks of a cluster. Device
 * code, for sm_90 and newer.
 */
#ifndef KIT_BYTE_BARRIER_H
#define KIT_BYTE_BARRIER_H

#include "harness/kit/cluster.h"

/* Of shared memory, as PTX has it: of the block's own, or of another one's in the cluster. */
static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* A phase ends when one thread has arrived, and all bytes that it expects have come. */
static __device__ void begin_barrier(uint64_t *barrier)
{
    CLUSTER_ASM("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

/* The barriers that this thread has begun are there for the other blocks. */
static __device__ void show_barriers()
{
    CLUSTER_ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ void arrive_expecting(uint64_t *barrier, unsigned bytes)
{
    CLUSTER_ASM(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

/* Has the phase of this parity ended? Then what the bytes brought can be read. */
static __device__ bool has_ended(uint64_t *barrier, unsigned parity)
{
    int ended = 1;

    CLUSTER_ASM("{\n"
                ".reg .pred ended;\n"
                "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 ended, [%1], %2;\n"
                "selp.b32 %0, 1, 0, ended;\n"
                "}"
                : "=r"(ended)
                : "r"(shared_address(barrier)), "r"(parity)
                : "memory");
    return ended;
}

#endif
