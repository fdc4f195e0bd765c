/*
 * compact-scan: flag, scan the flags, scatter
 *
 * Idea      Keep of x what a predicate likes, in its order. How many kept elements lie before element i
 *           is its address in y: so the exclusive scan of the flags (1 kept, 0 not) gives all
 *           addresses, and then each element can be moved by itself.
 * Since     A scan's sums were the result. Here they say where something belongs.
 * Expect    Three kernels that read what the one before wrote: flags are written and read twice,
 *           addresses written and read once, x read twice; useful are one read of x and one write of
 *           what is kept. `fused` asks the predicate again instead of storing flags.
 * Source    Lecture notes; Harris, Sengupta, Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3,
 *           chapter 39, section 39.3.1; Blelloch, "Prefix Sums and Their Applications", 1990.
 */
#include "families/compact/compact.h"

typedef unsigned long long u64;

/* Kernel 1: the predicate. */
__global__ void mark(unsigned char *marks, const element *x, size_t n, element limit)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        marks[i] = keeps(x[i], limit);
}

/* The sum of what the threads up to this one bring; *all: of the whole block. As in scan-hillis. */
static __device__ u64 scan_block(u64 own, u64 *all)
{
    extern __shared__ u64 s[];
    u64 *from = s, *to = s + blockDim.x, sum;
    unsigned t = threadIdx.x;

    from[t] = own;
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        u64 *swap = from;

        to[t] = t >= k ? from[t - k] + from[t] : from[t];
        __syncthreads();
        from = to;
        to = swap;
    }
    sum = from[t];
    *all = from[blockDim.x - 1];
    __syncthreads(); /* before the next tile is written over this one */
    return sum;
}

/* Kernel 2: in each tile of blockDim.x elements, how many are kept before each; and in the tile. */
__global__ void scan_flags(unsigned *places, u64 *sums, const unsigned char *marks,
                           const element *x, size_t n, size_t tiles, element limit)
{
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t i = tile * blockDim.x + threadIdx.x;
        unsigned flag = i < n ? (marks ? marks[i] : keeps(x[i], limit)) : 0;
        u64 all, sum = scan_block(flag, &all);

        if (i < n)
            places[i] = (unsigned)sum - flag;
        if (threadIdx.x == 0)
            sums[tile] = all;
    }
}

/* The same of the tiles' sums, in place; above gets the sums of tiles of these. */
static __global__ void scan_sums(u64 *sums, u64 *above, size_t n, size_t tiles)
{
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t i = tile * blockDim.x + threadIdx.x;
        u64 own = i < n ? sums[i] : 0, all, sum = scan_block(own, &all);

        if (i < n)
            sums[i] = sum - own;
        if (threadIdx.x == 0)
            above[tile] = all;
    }
}

/* What lies before a tile of sums, added to each of them. */
static __global__ void add_sums(u64 *sums, const u64 *above, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        sums[i] += above[i / blockDim.x];
}

/* Kernel 3: each kept element to its address. */
__global__ void scatter(element *y, const unsigned *places, const u64 *sums,
                        const unsigned char *marks, const element *x, size_t n, size_t tiles,
                        element limit)
{
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t i = tile * blockDim.x + threadIdx.x;

        if (i < n && (marks ? marks[i] : keeps(x[i], limit)))
            y[sums[tile] + places[i]] = x[i];
        __syncwarp(); /* the lanes meet again, and store together the next time, too */
    }
}

/* The sums are an array too, T times shorter: scanned in the same way, and so on; the last sum, that
 * of all, is the count. */
static void scan_array(const struct work *w, u64 *sums, size_t n)
{
    size_t tiles = compact_tiles_of(n, w->threads);
    int grid = compact_grid(w, tiles), shared = 2 * w->threads * sizeof(u64);

    scan_sums<<<grid, w->threads, shared>>>(sums, tiles > 1 ? sums + n : w->count, n, tiles);
    if (tiles <= 1)
        return;
    scan_array(w, sums + n, tiles);
    add_sums<<<grid, w->threads>>>(sums, sums + n, n);
}

static void compact(struct work *w, unsigned char *marks)
{
    size_t tiles = compact_tiles_of(w->n, w->threads);
    int grid = compact_grid(w, tiles), shared = 2 * w->threads * sizeof(u64);
    element limit = limit_of(w);

    if (marks)
        mark<<<grid, w->threads>>>(marks, w->x, w->n, limit);
    scan_flags<<<grid, w->threads, shared>>>(w->places, w->sums, marks, w->x, w->n, tiles, limit);
    scan_array(w, w->sums, tiles);
    scatter<<<grid, w->threads>>>(w->y, w->places, w->sums, marks, w->x, w->n, tiles, limit);
}

static void launch_flags(struct work *w)
{
    compact(w, w->marks);
}

static void launch_fused(struct work *w)
{
    compact(w, NULL);
}

static const struct variant variants[] = {
    {"flags", "flags, their scan, scatter: each reads what the last wrote", launch_flags,
     AT_LEAST_TWO_THREADS | ADDRESSES},
    {"fused", "the predicate asked again in place of flags", launch_fused,
     AT_LEAST_TWO_THREADS | ADDRESSES},
};

STEP("compact-scan", compact_family, variants);
