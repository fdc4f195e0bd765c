/*
 * scan-blelloch: up the tree for sums, down the tree for prefixes
 *
 * Idea      Up-sweep: a reduction that keeps the sums of all its subtrees. Down-sweep: from the
 *           root on, each node hands its prefix to its left child, and prefix + left sum to the
 *           right.
 * Since     scan-hillis did n lg n additions in lg n rounds; this does 2 n in 2 lg n rounds.
 * Expect    Far less work. But the stride doubles, so up to 32 lanes meet in the same bank
 *           (`conflicts`). One unused word after every 32 moves them apart (`padded`).
 * Source    Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990; Harris, Sengupta,
 *           Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, chapter 39.
 */
#include "families/scan/scan.h"

enum form { PADDED = 1, INCLUSIVE = 2 };

/* Where element i lives in shared memory. */
static __device__ unsigned place(unsigned i, int form)
{
    return form & PADDED ? i + i / 32 : i;
}

/* The scan of each tile of 2 blockDim.x elements, and its sum if sums is not NULL. A tile is read
 * before it is written, so in == out is allowed. blockDim.x is a power of two. */
__global__ void scan_blocks(element *out, element *sums, const element *in, size_t n, int form)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x, half = blockDim.x, last = place(2 * half - 1, form);

    for (size_t tile = blockIdx.x; tile * 2 * half < n; tile += gridDim.x) {
        size_t i = tile * 2 * half + t, j = i + half;
        element x = i < n ? in[i] : 0, y = j < n ? in[j] : 0;
        unsigned stride = 1;

        s[place(t, form)] = x;
        s[place(t + half, form)] = y;
        for (unsigned active = half; active > 0; active /= 2, stride *= 2) { /* up-sweep */
            __syncthreads();
            if (t < active) {
                unsigned left = place(stride * (2 * t + 1) - 1, form);
                unsigned right = place(stride * (2 * t + 2) - 1, form);

                s[right] += s[left];
            }
        }
        if (t == 0) { /* it wrote the root itself */
            if (sums)
                sums[tile] = s[last];
            s[last] = 0;
        }
        for (unsigned active = 1; active <= half; active *= 2) { /* down-sweep */
            stride /= 2;
            __syncthreads();
            if (t < active) {
                unsigned left = place(stride * (2 * t + 1) - 1, form);
                unsigned right = place(stride * (2 * t + 2) - 1, form);
                element sum = s[left], before = s[right];

                s[left] = before;
                s[right] = before + sum;
            }
        }
        __syncthreads();
        if (i < n)
            out[i] = s[place(t, form)] + (form & INCLUSIVE ? x : 0);
        if (j < n)
            out[j] = s[place(t + half, form)] + (form & INCLUSIVE ? y : 0);
        /* No barrier: the next tile goes into the places that this thread just read itself. */
    }
}

/* Each tile but the first adds the sum of all before it. */
__global__ void add_sums(element *out, const element *sums, size_t n)
{
    for (size_t tile = blockIdx.x + 1; tile * 2 * blockDim.x < n; tile += gridDim.x) {
        size_t i = tile * 2 * blockDim.x + threadIdx.x, j = i + blockDim.x;
        element before = sums[tile];

        if (i < n)
            out[i] += before;
        if (j < n)
            out[j] += before;
    }
}

/* The tiles' sums are an array too, 2T times shorter; their exclusive scan is what is added. */
static void scan_array(const struct work *w, element *out, const element *in, element *sums,
                       size_t n, int form)
{
    size_t tile = BLELLOCH_ITEMS * w->threads, tiles = scan_tiles_of(n, tile);
    size_t shared = (tile + (form & PADDED ? tile / 32 : 0)) * sizeof(element);
    int grid = scan_grid(w, tiles);

    scan_blocks<<<grid, w->threads, shared>>>(out, tiles > 1 ? sums : NULL, in, n, form);
    if (tiles <= 1)
        return;
    scan_array(w, sums, sums, sums + tiles, tiles, form & PADDED);
    add_sums<<<grid, w->threads>>>(out, sums, n);
}

static void block(struct work *w)
{
    scan_blocks<<<1, w->threads, 2 * w->threads * sizeof(element)>>>(w->y, NULL, w->x, w->n, 0);
}

static void conflicts(struct work *w)
{
    scan_array(w, w->y, w->x, w->sums, w->n, 0);
}

static void padded(struct work *w)
{
    scan_array(w, w->y, w->x, w->sums, w->n, PADDED);
}

static void inclusive(struct work *w)
{
    scan_array(w, w->y, w->x, w->sums, w->n, PADDED | INCLUSIVE);
}

#define SHAPE_EXCLUSIVE scan_depth_blelloch, NULL, scan_shape_blelloch, scan_flops_blelloch
#define SHAPE_INCLUSIVE                                                                            \
    scan_depth_blelloch_inclusive, NULL, scan_shape_blelloch, scan_flops_blelloch_inclusive

static const struct variant variants[] = {
    {"block", "one block, two elements a thread", block, ONE_BLOCK | POWER_OF_TWO | EXCLUSIVE,
     scan_depth_blelloch, NULL, scan_shape_blelloch_block, scan_flops_blelloch},
    {"conflicts", "any length; banks collide", conflicts, POWER_OF_TWO | EXCLUSIVE,
     SHAPE_EXCLUSIVE},
    {"padded", "a word of padding after every 32", padded, POWER_OF_TWO | EXCLUSIVE,
     SHAPE_EXCLUSIVE},
    {"in-place", "the same, over its own input", padded, POWER_OF_TWO | EXCLUSIVE | IN_PLACE,
     SHAPE_EXCLUSIVE},
    {"inclusive", "padded; each element added to its own prefix", inclusive, POWER_OF_TWO,
     SHAPE_INCLUSIVE},
};

STEP("scan-blelloch", scan_family, variants);
