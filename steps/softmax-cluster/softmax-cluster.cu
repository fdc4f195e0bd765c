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
#include "families/softmax/row.h"

#include <cooperative_groups.h>
#include <stdio.h>

#include "harness/kit/device.h"

#define CAPABILITY 90 /* of clusters */

#if !defined(__CUDA_ARCH__) ||                                                                     \
    __CUDA_ARCH__ >= 10 * CAPABILITY /* older ones: refused at run time */
#define CLUSTERS 1

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
        vector<COLS> held[HELD];
        struct part own = {load_row(held, from, cols / COLS, t, threads), 0}, all;
        element base = own.max == -INFINITY ? 0 : own.max;

        own.sum = sum_row(held, from, cols / COLS, t, threads, base);
        all = cluster_all<BLOCKS>(own, turn);
        store_row((vector<COLS> *)(out + row * cols), held, from, cols / COLS, t, threads, base,
                  factor(own.max, all.max) / all.sum);
        turn ^= 1;
    }
#endif
}

typedef void kernel(element *, const element *, size_t, size_t);

/* A launch of one cluster; the attribute must stay as long as the launch. */
template <int BLOCKS>
static cudaLaunchConfig_t one_cluster(cudaLaunchAttribute *cluster, int threads)
{
    cudaLaunchConfig_t config = {};

    cluster->id = cudaLaunchAttributeClusterDimension;
    cluster->val.clusterDim.x = BLOCKS;
    cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
    config.gridDim = BLOCKS;
    config.blockDim = threads;
    config.attrs = cluster;
    config.numAttrs = 1;
    return config;
}

/* How many clusters the device holds at once; 0: none, or the call fails. */
static size_t at_once(kernel *k, const cudaLaunchConfig_t *config)
{
    int clusters = 0;

    return cudaOccupancyMaxActiveClusters(&clusters, k, config) == cudaSuccess ? (size_t)clusters
                                                                               : 0;
}

/* As many clusters as the device holds at once, or as there are rows; asked again only when the threads change. */
template <int COLS, int HELD, int BLOCKS> static void start(struct work *w)
{
    static int asked_for;
    static size_t clusters;
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = one_cluster<BLOCKS>(&cluster, w->threads);

    if (asked_for != w->threads)
        clusters = at_once(softmax_cluster<COLS, HELD, BLOCKS>, &config);
    asked_for = w->threads;
    config.gridDim = BLOCKS * (unsigned)(w->rows < clusters ? w->rows : clusters);
    if (w->rows > 0) /* a grid without blocks is an error */
        cudaLaunchKernelEx(&config, softmax_cluster<COLS, HELD, BLOCKS>, w->out, w->in, w->rows,
                           w->cols);
}

/* Vectors of 16 bytes, where all rows begin at multiples of that; else of one element. */
template <int BLOCKS> static void launch(struct work *w)
{
    size_t starts = (size_t)w->in | (size_t)w->out;
    bool quads = w->cols % 4 == 0 && starts % (4 * sizeof(element)) == 0;

    quads ? start<4, 8, BLOCKS>(w) : start<1, 16, BLOCKS>(w);
}

template <int BLOCKS> static void shape(struct shape *s)
{
    softmax_shape_cluster(s, BLOCKS);
}

template <int BLOCKS> static double depth(const struct shape *s)
{
    return softmax_depth_cluster(s, BLOCKS);
}

/* True with one line in why if the code is for older devices alone; the CPU device has 9.0. */
static bool is_empty(kernel *k, char *why, size_t room)
{
    struct cudaFuncAttributes attributes;

    if (cudaFuncGetAttributes(&attributes, k) != cudaSuccess || attributes.ptxVersion >= CAPABILITY)
        return false;
    snprintf(why, room,
             "needs code for compute capability 9.0, which this program was built without");
    return true;
}

template <int BLOCKS> static bool refuse(const struct shape *s, char *why, size_t room)
{
    kernel *k = softmax_cluster<4, 8, BLOCKS>;
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = one_cluster<BLOCKS>(&cluster, s->threads);

    if (device_below(CAPABILITY, why, room) || is_empty(k, why, room))
        return true;
    if (at_once(k, &config) > 0)
        return false;
    snprintf(why, room, "needs a cluster of %d blocks of %d threads, which this device cannot hold",
             BLOCKS, s->threads);
    return true;
}

#define CLUSTER_OF(NAME, BLOCKS)                                                                   \
    {                                                                                              \
        NAME, "a cluster of " #BLOCKS " blocks per row", launch<BLOCKS>,                           \
            WHOLE_WARPS | ROUNDED | RESCALES, depth<BLOCKS>, .default_shape = shape<BLOCKS>,       \
                                                             .refuse = refuse<BLOCKS>              \
    }

static const struct variant variants[] = {
    CLUSTER_OF("two", 2),
    CLUSTER_OF("four", 4),
    CLUSTER_OF("eight", 8),
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
