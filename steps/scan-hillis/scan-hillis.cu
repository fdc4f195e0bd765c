/*
 * scan-hillis: each element adds the one 2^k before it
 *
 * Idea      y[i] = x[0] + ... + x[i] for all i at once: in round k every element adds the one 2^k
 *           places before it, and after ceil(lg n) rounds all sums are there.
 * Since     A reduction keeps one sum; a scan keeps all n of them. The additions of a round are
 *           independent, but read what others write: two buffers take turns.
 * Expect    Few rounds, much work: n lg n additions where a loop does n - 1. An array takes three
 *           phases (blocks, block sums, adding them), so y is written twice and read once.
 * Source    Hillis and Steele, "Data Parallel Algorithms", CACM 29, 1986; Harris, Sengupta, Owens,
 *           "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, chapter 39.
 */
#include "families/scan/scan.h"

/* The inclusive scan of each tile of blockDim.x elements, and its sum if sums is not NULL. A tile
 * is read before it is written, so in == out is allowed. */
__global__ void scan_blocks(element *out, element *sums, const element *in, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;

    for (size_t tile = blockIdx.x; tile * blockDim.x < n; tile += gridDim.x) {
        size_t i = tile * blockDim.x + t;
        element *from = s, *to = s + blockDim.x;

        from[t] = i < n ? in[i] : 0;
        __syncthreads();
        for (unsigned k = 1; k < blockDim.x; k *= 2) {
            element *swap = from, sum = from[t];

            if (t >= k)
                sum = from[t - k] + sum;
            to[t] = sum;
            __syncthreads(); /* one is enough: the next round writes what this one has read */
            from = to;
            to = swap;
        }
        if (i < n)
            out[i] = from[t];
        if (sums && t == blockDim.x - 1)
            sums[tile] = from[t];
    }
}

/* Each tile but the first adds the sum of all before it. */
__global__ void add_sums(element *out, const element *sums, size_t n)
{
    for (size_t tile = blockIdx.x + 1; tile * blockDim.x < n; tile += gridDim.x) {
        size_t i = tile * blockDim.x + threadIdx.x;

        if (i < n)
            out[i] += sums[tile - 1];
    }
}

/* The sums of the tiles are an array too, T times shorter: scanned in the same way, and so on. */
static void scan_array(const struct work *w, element *out, const element *in, element *sums,
                       size_t n)
{
    size_t tiles = scan_tiles_of(n, w->threads), shared = 2 * w->threads * sizeof(element);
    int grid = scan_grid(w, tiles);

    scan_blocks<<<grid, w->threads, shared>>>(out, tiles > 1 ? sums : NULL, in, n);
    if (tiles <= 1)
        return;
    scan_array(w, sums, sums, sums + tiles, tiles);
    add_sums<<<grid, w->threads>>>(out, sums, n);
}

static void array(struct work *w)
{
    scan_array(w, w->y, w->x, w->sums, w->n);
}

static void block(struct work *w)
{
    scan_blocks<<<1, w->threads, 2 * w->threads * sizeof(element)>>>(w->y, NULL, w->x, w->n);
}

static const struct variant variants[] = {
    {"block", "one block, an element a thread", block, ONE_BLOCK | ONE_ELEMENT_PER_THREAD,
     scan_depth_hillis, NULL, scan_shape_hillis_block, scan_flops_hillis},
    {"array", "any length: blocks, block sums, adding them", array, AT_LEAST_TWO_THREADS,
     scan_depth_hillis, NULL, NULL, scan_flops_hillis},
    {"in-place", "the same, over its own input", array, AT_LEAST_TWO_THREADS | IN_PLACE,
     scan_depth_hillis, NULL, NULL, scan_flops_hillis},
};

STEP("scan-hillis", scan_family, variants);
