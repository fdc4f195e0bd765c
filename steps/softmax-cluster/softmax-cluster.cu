/*
 * softmax-cluster: a row in the registers of several blocks
 *
 * Idea      A row is split over the blocks of a cluster. Each block finds the maximum and the sum of its part, and
 *           writes both into the shared memory of all blocks of the cluster: distributed shared memory. Behind one
 *           barrier of the cluster each block joins what lies in its own.
 * Since     softmax-registers, where a row had one block at most: 32768 elements stay in its registers, and what a row
 *           has more was read three times.
 * Expect    One load per element up to 262144 of them, and one barrier of the cluster per row. A row has more than one
 *           multiprocessor's registers, and a multiprocessor parts of more than one row.
 * Source    The CUDA C++ Programming Guide, "Thread Block Clusters" and "Distributed Shared Memory";
 *           softmax-registers on a row in registers.
 */
#include "families/softmax/cluster.h"

#include <cooperative_groups.h>

#ifdef CLUSTERS
/*
 * All parts of a cluster as one, in each of its threads; to be called by all of them. In turn there are two places for
 * what the blocks find: `turn` is 0 for one row and 1 for the next. So a block may write for the next row while
 * another one still reads this one's; before the row behind that, both have been at the barrier again.
 */
template <int BLOCKS> static __device__ struct part cluster_all(struct part p, unsigned turn)
{
    __shared__ struct part of_warp[32], of_block[2][BLOCKS];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    p = warp_all(p);
    if (lane == 0)
        of_warp[warp] = p;
    __syncthreads();
    if (warp == 0) {
        p = all_of(of_warp, blockDim.x / 32);
        if (lane < BLOCKS)
            *cluster.map_shared_rank(&of_block[turn][cluster.block_rank()], lane) = p;
    }
    cluster.sync();
    return all_of(of_block[turn], BLOCKS);
}
#endif

/* A row per cluster of BLOCKS blocks, then the next one that no other cluster has. Thread t of the cluster has the
 * vectors t, t + threads, ... */
template <int COLS, int HELD, int BLOCKS> static __global__ void __launch_bounds__(1024)
softmax_cluster(element *out, const element *in, size_t rows, size_t cols)
{
#ifdef CLUSTERS
    unsigned threads = BLOCKS * blockDim.x, turn = 0;
    unsigned t = blockIdx.x % BLOCKS * blockDim.x + threadIdx.x;

    cooperative_groups::this_cluster().sync(); /* all blocks have begun: there is their memory */
    for (size_t row = blockIdx.x / BLOCKS; row < rows; row += gridDim.x / BLOCKS) {
        const vector<COLS> *from = (const vector<COLS> *)(in + row * cols);
        float held[HELD][COLS];
        struct part own = {load_row(held, from, cols / COLS, t, threads), 0}, all;
        float base = own.max == -INFINITY ? 0 : own.max;

        own.sum = sum_row(held, from, cols / COLS, t, threads, base);
        all = cluster_all<BLOCKS>(own, turn);
        store_row((vector<COLS> *)(out + row * cols), held, from, cols / COLS, t, threads, base,
                  factor(own.max, all.max) / all.sum);
        turn ^= 1;
    }
#endif
}

static const struct variant variants[] = {
    CLUSTER_OF("two", 2, softmax_cluster),
    CLUSTER_OF("four", 4, softmax_cluster),
    CLUSTER_OF("eight", 8, softmax_cluster),
};

/* More rows than there are clusters at once, so that each has several; and rows that fit just so, or not. */
static const struct launches launches[] = {
    {SANITIZED, {"-n 20000 --cols 20000 -t 256"}},
    {MUTATED, {"-n 2000 --cols 100 -t 1024"}},
    {CHECKED, {"-n 2000 --cols 100 -t 1024", "-n 20000 --cols 20000 -t 96"}},
    {TESTED, {"-n 2^18 --cols 2^16", "-n 2^18 --cols 2^18", "-n 131071 --cols 131071"}},
    {TESTED | GPU_ONLY, {"-n 2^16 --cols 64 -t 1024", "-n 600000 --cols 300000"}},
    {0},
};

STEP("softmax-cluster", softmax_family, variants, launches);
