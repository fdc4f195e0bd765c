/*
 * All parts of a row as one, over the blocks of a cluster that send them to each other: what
 * softmax-async and softmax-ahead share.
 */
#ifndef SOFTMAX_ALL_H
#define SOFTMAX_ALL_H

#include "families/softmax/row.h"
#include "harness/kit/mail.h"

#ifdef CLUSTERS
/* Each warp's part of a row, and what comes from the blocks of the cluster. */
template <int BLOCKS> struct cluster_parts {
    struct part of_warp[32];
    struct mail<float2, BLOCKS> mail;
};

/* By all threads: the block's part goes to all blocks of the cluster. */
template <int BLOCKS>
static __device__ void send_part(struct cluster_parts<BLOCKS> *parts, struct part p)
{
    p = warp_all(p);
    if (threadIdx.x % 32 == 0)
        parts->of_warp[threadIdx.x / 32] = p;
    __syncthreads();
    if (BLOCKS > 1 && threadIdx.x < 32) {
        p = all_of(parts->of_warp, blockDim.x / 32);
        post(&parts->mail, make_float2(p.max, p.sum));
    }
}

/* By all threads: all parts of the row as one. What they read here, the barrier of the next row's
 * send_part lets others overwrite: rows take two such places in turn. */
template <int BLOCKS>
static __device__ struct part all_parts(struct cluster_parts<BLOCKS> *parts, unsigned parity)
{
    if (BLOCKS == 1)
        return all_of(parts->of_warp, blockDim.x / 32);
    wait_in_cluster(&parts->mail.come, parity);
    return all_of((const struct part *)parts->mail.of_block, BLOCKS);
}
#endif

#endif
