/*
 * Barriers in shared memory that count the bytes which come: by the TMA, or from other blocks of a
 * cluster. Device code, for sm_90 and newer.
 */
#ifndef KIT_BYTE_BARRIER_H
#define KIT_BYTE_BARRIER_H

#include <stdint.h>

#include "harness/kit/ptx.h"

/* A phase ends when so many threads have arrived, and all bytes that they expect have come. */
static __device__ __forceinline__ void begin_barrier(uint64_t *barrier, int arrivals)
{
    CLUSTER_ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                "r"(arrivals)
                : "memory");
}

/* The barriers that this thread has begun are there for the other blocks. */
static __device__ __forceinline__ void show_barriers()
{
    CLUSTER_ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void arrive(uint64_t *barrier)
{
    CLUSTER_ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                : "memory");
}

/* Arrive, and let the phase wait for so many bytes, too. */
static __device__ __forceinline__ void arrive_expecting(uint64_t *barrier, int bytes)
{
    CLUSTER_ASM(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

/* Sets ended: has the phase of this parity ended? SCOPE: ".acquire.cluster" or "", whose writes can
 * be read then, those of the cluster's blocks or of this one's. */
#define TRY_WAIT(SCOPE, barrier, parity, ended)                                                    \
    CLUSTER_ASM("{\n"                                                                              \
                ".reg .pred ended;\n"                                                              \
                "mbarrier.try_wait.parity" SCOPE ".shared::cta.b64 ended, [%1], %2;\n"             \
                "selp.b32 %0, 1, 0, ended;\n"                                                      \
                "}"                                                                                \
                : "=r"(ended)                                                                      \
                : "r"(shared_address(barrier)), "r"(parity)                                        \
                : "memory")

/* Has the phase of this parity ended? Of a new barrier the phase before, of parity 1, has. Then
 * what the bytes brought can be read. */
static __device__ __forceinline__ bool has_ended(uint64_t *barrier, int parity)
{
    int ended = 1;

    TRY_WAIT("", barrier, parity, ended);
    return ended;
}

/* The same of bytes that other blocks of the cluster send. */
static __device__ __forceinline__ bool has_ended_in_cluster(uint64_t *barrier, int parity)
{
    int ended = 1;

    TRY_WAIT(".acquire.cluster", barrier, parity, ended);
    return ended;
}

static __device__ __forceinline__ void wait(uint64_t *barrier, int parity)
{
    while (!has_ended(barrier, parity))
        ;
}

static __device__ __forceinline__ void wait_in_cluster(uint64_t *barrier, int parity)
{
    while (!has_ended_in_cluster(barrier, parity))
        ;
}

#endif
