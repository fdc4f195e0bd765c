/*
 * What the blocks of a cluster send each other by asynchronous stores, which count their bytes at a
 * barrier of the receiver. Device code, for sm_90 and newer.
 */
#ifndef KIT_MAIL_H
#define KIT_MAIL_H

#include <cooperative_groups.h>

#include "harness/kit/byte_barrier.h"

/* What comes from each block of the cluster, this one included: one T, of 4 or 8 bytes. */
template <typename T, int BLOCKS> struct mail {
    T of_block[BLOCKS];
    uint64_t come;
};

#ifdef CLUSTERS
/* Both lie in the shared memory of one block, this or another one: there the value comes later, and
 * its bytes count at the barrier. */
static __device__ __forceinline__ void send(float *to, float value, uint64_t *barrier)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
                     shared_address(to)),
                 "f"(value), "r"(shared_address(barrier))
                 : "memory");
}

static __device__ __forceinline__ void send(unsigned *to, unsigned value, uint64_t *barrier)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     shared_address(to)),
                 "r"(value), "r"(shared_address(barrier))
                 : "memory");
}

static __device__ __forceinline__ void send(float2 *to, float2 value, uint64_t *barrier)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, "
                 "[%3];" ::"r"(shared_address(to)),
                 "f"(value.x), "f"(value.y), "r"(shared_address(barrier))
                 : "memory");
}

/*
 * By one warp, of whose lanes each has the block's value: send it to all blocks. Two mails in turn
 * are enough: a block sends by this one again only when the other one has come, which no block
 * sends before all of its warps have read this one.
 */
template <typename T, int BLOCKS> static __device__ void post(struct mail<T, BLOCKS> *mail, T value)
{
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    unsigned lane = threadIdx.x % 32;

    if (lane == 0)
        arrive_expecting(&mail->come, sizeof(mail->of_block));
    if (lane < BLOCKS)
        send(cluster.map_shared_rank(&mail->of_block[cluster.block_rank()], lane), value,
             cluster.map_shared_rank(&mail->come, lane));
}
#endif

#endif
