/*
 * histogram-shared: a histogram per block in shared memory
 *
 * Idea      A block counts its elements in shared memory, with atomics that only its own threads
 *           meet. Then the blocks' histograms are added: by a second kernel, bin by bin, or by one
 *           atomic per block and bin.
 * Since     histogram-global did one atomic per element in global memory, where all blocks meet.
 * Expect    Global atomics drop from n to blocks * bins, or to none. What is left is one shared
 *           atomic per element. More bins than 48 KiB of counters are counted in parts, each of
 *           which reads all elements.
 * Source    Lecture notes on parallel algorithms: a histogram per block, then a reduction per bin; the
 *           example has 512 x 512 elements, 10 bins, 512 blocks of 512 threads.
 */
#include "families/histogram/histogram.h"

#define PART 12288 /* counters: 48 KiB, what every device gives a block without being asked */
#define SUM_THREADS 256

/* The counters first to first + cells - 1, one of them for what has no bin, over this block's share of
 * the elements. */
static __device__ __forceinline__ void count_part(unsigned *own, unsigned first, unsigned cells,
                                                  const element *x, size_t n,
                                                  const struct bins *bins)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (unsigned k = threadIdx.x; k < cells; k += blockDim.x)
        own[k] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned k = bin_of(x[i], bins) - first; /* huge below first */

        if (k < cells)
            atomicAdd(&own[k], 1u);
    }
    __syncthreads();
}

/* Row b of partial has bin b's counters of all blocks. */
__global__ void count_blocks(unsigned *partial, const element *x, size_t n, struct bins bins)
{
    extern __shared__ unsigned own[];
    unsigned first = blockIdx.y * PART, cells = min(PART, bins.count + 1 - first);

    count_part(own, first, cells, x, n, &bins);
    for (unsigned k = threadIdx.x; k < cells; k += blockDim.x)
        partial[(size_t)(first + k) * gridDim.x + blockIdx.x] = own[k];
}

/* A warp per bin adds up its row. */
static __global__ void sum_rows(unsigned long long *counts, const unsigned *partial,
                                unsigned blocks, unsigned rows)
{
    unsigned row = (blockIdx.x * SUM_THREADS + threadIdx.x) / 32, sum = 0;

    if (row >= rows)
        return;
    for (unsigned i = threadIdx.x % 32; i < blocks; i += 32)
        sum += partial[(size_t)row * blocks + i];
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, k);
    if (threadIdx.x % 32 == 0)
        counts[row] += sum;
}

__global__ void add_blocks(unsigned long long *counts, const element *x, size_t n, struct bins bins)
{
    extern __shared__ unsigned own[];
    unsigned first = blockIdx.y * PART, cells = min(PART, bins.count + 1 - first);

    count_part(own, first, cells, x, n, &bins);
    for (unsigned k = threadIdx.x; k < cells; k += blockDim.x) {
        unsigned count = own[k];

        if (count > 0)
            atomicAdd(&counts[first + k], (unsigned long long)count);
    }
}

/* The grid: a column of blocks per part. */
static dim3 grid_of(const struct work *w, unsigned *bytes)
{
    unsigned cells = w->bins.count + 1, parts = (cells + PART - 1) / PART;

    *bytes = (unsigned)sizeof(unsigned) * (parts > 1 ? PART : cells);
    return dim3((unsigned)w->blocks, parts);
}

static void reduce(struct work *w)
{
    unsigned rows = w->bins.count + 1, bytes, warps = SUM_THREADS / 32;
    dim3 grid = grid_of(w, &bytes);

    cudaMemsetAsync(w->counts, 0, rows * sizeof(*w->counts), 0);
    for (size_t at = 0; at < w->n; at += w->piece) {
        count_blocks<<<grid, w->threads, bytes>>>(w->partial, w->x + at, histogram_piece(w, at),
                                                  w->bins);
        sum_rows<<<(rows + warps - 1) / warps, SUM_THREADS>>>(w->counts, w->partial,
                                                              (unsigned)w->blocks, rows);
    }
}

static void atomic(struct work *w)
{
    unsigned bytes;
    dim3 grid = grid_of(w, &bytes);

    cudaMemsetAsync(w->counts, 0, (w->bins.count + 1) * sizeof(*w->counts), 0);
    for (size_t at = 0; at < w->n; at += w->piece)
        add_blocks<<<grid, w->threads, bytes>>>(w->counts, w->x + at, histogram_piece(w, at),
                                                w->bins);
}

static const struct variant variants[] = {
    {"reduce", "the blocks' histograms are written, then added bin by bin", reduce, PARTIALS},
    {"atomic", "the blocks add their histograms with atomics", atomic},
};

STEP("histogram-shared", histogram_family, variants);
