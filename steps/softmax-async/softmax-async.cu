/*
 * softmax-async: blocks send what they find, and the bytes themselves say that they have come
 *
 * Idea      A block sends its maximum and its sum to all blocks of the cluster by an asynchronous store, which counts
 *           its bytes at a barrier object in the receiver's shared memory. A block waits until all bytes that it
 *           expects have come, and for nothing else.
 * Since     softmax-cluster, where a barrier of the cluster stood behind plain stores: before a thread arrives there,
 *           all that it has stored must be seen by the cluster, the row before included.
 * Expect    No memory barrier in the loop, so that the stores of a row run on under the next one. See
 *           docs/softmax-async.md.
 * Source    The PTX ISA: st.async, mbarrier, mapa; the CUDA C++ Programming Guide, "Asynchronous Data Copies".
 */
#include "families/softmax/all.h"
#include "families/softmax/cluster.h"

/* A row per cluster of BLOCKS blocks, then the next one that no other cluster has. Thread t of the cluster has the
 * vectors t, t + threads, ... */
template <int COLS, int HELD, int BLOCKS> static __global__ void __launch_bounds__(1024)
softmax_async(element *out, const element *in, size_t rows, size_t cols)
{
#ifdef CLUSTERS
    __shared__ struct cluster_parts<BLOCKS> parts[2];
    unsigned threads = BLOCKS * blockDim.x, round = 0;
    unsigned t = blockIdx.x % BLOCKS * blockDim.x + threadIdx.x;

    if (threadIdx.x < 2)
        begin_barrier(&parts[threadIdx.x].mail.come, 1);
    show_barriers();
    cooperative_groups::this_cluster().sync(); /* all blocks have begun: there are their barriers */
    for (size_t row = blockIdx.x / BLOCKS; row < rows; row += gridDim.x / BLOCKS) {
        const vector<COLS> *from = (const vector<COLS> *)(in + row * cols);
        float held[HELD][COLS];
        struct part own = {load_row(held, from, cols / COLS, t, threads), 0}, all;
        float base = own.max == -INFINITY ? 0 : own.max;

        own.sum = sum_row(held, from, cols / COLS, t, threads, base);
        send_part(&parts[round % 2], own);
        all = all_parts(&parts[round % 2], round / 2 % 2);
        store_row((vector<COLS> *)(out + row * cols), held, from, cols / COLS, t, threads, base,
                  factor(own.max, all.max) / all.sum);
        round++;
    }
#endif
}

static const struct variant variants[] = {
    CLUSTER_OF("two", 2, softmax_async),
    CLUSTER_OF("four", 4, softmax_async),
    CLUSTER_OF("eight", 8, softmax_async),
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

STEP("softmax-async", softmax_family, variants, launches);
