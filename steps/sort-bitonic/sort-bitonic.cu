/*
 * sort-bitonic: a network of comparisons
 *
 * Idea      Compare two keys, and put the smaller one first: the same pairs in the same order whatever
 *           the keys are, so that all threads are always busy, and none waits for data.
 * Since     Nothing here is moved by an address that depends on the keys.
 * Expect    log n (log n + 1) / 2 rounds, each of which reads and writes all keys: for 2^20 keys 210
 *           rounds. `global` makes a launch of each; `shared` does the rounds in which the pairs of a
 *           tile meet in shared memory: far fewer launches, and as many comparisons.
 * Source    Batcher, "Sorting networks and their applications", AFIPS 1968; Peters, Schulz-Hildebrandt,
 *           Luttenberger, "Fast in-place sorting with CUDA based on bitonic sort", 2010.
 */
#include "families/sort/sort.h"

/* The pair that thread t of a round compares; `far` is a power of two. In the first round of a merge the
 * second half is read from its end (mirrored), in the others partners are `far` apart. */
static __device__ size_t first_of(size_t t, size_t far)
{
    return 2 * t - (t & (far - 1));
}

static __device__ size_t second_of(size_t t, size_t far, bool mirrored)
{
    return first_of(t, far) + (mirrored ? 2 * far - 1 - 2 * (t & (far - 1)) : far);
}

/* The smaller one first. What lies behind the array counts as larger than all keys: such a pair is
 * in order. */
static __device__ void compare(element *keys, size_t first, size_t second, size_t n, struct field f)
{
    element a, b;

    if (second >= n)
        return;
    a = keys[first];
    b = keys[second];
    if (field_of(b, f) < field_of(a, f)) {
        keys[first] = b;
        keys[second] = a;
    }
}

/* One round over the whole array. */
__global__ void compare_all(element *y, size_t n, size_t pairs, size_t far, bool mirrored,
                            struct field f)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x; t < pairs; t += stride)
        compare(y, first_of(t, far), second_of(t, far, mirrored), n, f);
}

/* In each tile of 2 * blockDim.x keys the merges from runs of `run` keys on, up to runs of `last`, with
 * the rounds of the first one that have partners at most blockDim.x apart. */
__global__ void merge_tiles(element *y, size_t n, size_t run, size_t last, struct field f)
{
    extern __shared__ element4 memory[];
    element *keys = (element *)memory;
    unsigned t = threadIdx.x, size = 2 * blockDim.x;

    for (size_t base = (size_t)blockIdx.x * size; base < n; base += (size_t)gridDim.x * size) {
        unsigned here = n - base < size ? (unsigned)(n - base) : size;

        for (unsigned i = t; i < here; i += blockDim.x)
            keys[i] = y[base + i];
        for (size_t half = run; half <= last; half *= 2) {
            bool mirrored = half <= blockDim.x;

            for (unsigned far = mirrored ? (unsigned)half : blockDim.x; far > 0; far /= 2) {
                __syncthreads();
                compare(keys, first_of(t, far), second_of(t, far, mirrored), here, f);
                mirrored = false;
            }
        }
        __syncthreads();
        for (unsigned i = t; i < here; i += blockDim.x)
            y[base + i] = keys[i];
        __syncthreads(); /* before the next tile is read over this one */
    }
}

static int blocks_for(const struct work *w)
{
    return sort_grid(w, sort_tiles_of(w->n, 2 * (size_t)w->threads));
}

/* The pairs of a round: `far` of each 2 * far keys, at the end too if there is a key with a partner. */
static size_t pairs_of(size_t n, size_t far)
{
    return (n + far - 1) / (2 * far) * far;
}

static void launch_round(struct work *w, size_t half, size_t far)
{
    compare_all<<<blocks_for(w), w->threads>>>(w->y, w->n, pairs_of(w->n, far), far, far == half,
                                               w->field);
}

/* Runs of `half` sorted keys become runs of twice as many, until one is left. */
static void launch_global(struct work *w)
{
    cudaMemcpyAsync(w->y, w->x, w->n * sizeof(*w->y), cudaMemcpyDeviceToDevice, 0);
    for (size_t half = 1; half < w->n; half *= 2)
        for (size_t far = half; far > 0; far /= 2)
            launch_round(w, half, far);
}

static void launch_shared(struct work *w)
{
    size_t size = 2 * (size_t)w->threads, bytes = size * sizeof(*w->y), merge = 0;

    cudaMemcpyAsync(w->y, w->x, w->n * sizeof(*w->y), cudaMemcpyDeviceToDevice, 0);
    timeline_begin("merge", merge, 0);
    if (w->n > 1) /* all merges of a tile */
        merge_tiles<<<blocks_for(w), w->threads, bytes>>>(w->y, w->n, 1, size / 2, w->field);
    timeline_end(0);
    for (size_t half = size; half < w->n; half *= 2) {
        timeline_begin("merge", ++merge, 0);
        for (size_t far = half; far >= size; far /= 2)
            launch_round(w, half, far);
        merge_tiles<<<blocks_for(w), w->threads, bytes>>>(w->y, w->n, half, half, w->field);
        timeline_end(0);
    }
}

#define ITS_OWN NULL, NULL, NULL, NULL, 0, NULL, NULL

static const struct variant variants[] = {
    {"global", "a launch per round", launch_global, 0, ITS_OWN, "0"},
    {"shared", "rounds within a tile in shared memory", launch_shared, POWER_OF_TWO, ITS_OWN, "0"},
};

static const struct launches launches[] = {
    {RECORD | GPU_ONLY, {"-n 2^28 -v shared -r 3 -w 1 --timeline"}},
    {0},
};

STEP("sort-bitonic", sort_family, variants, launches);
