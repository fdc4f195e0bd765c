/*
 * sort-rank: by one digit: count, scan, move
 *
 * Idea      Sort by one digit of 8 bits without comparing keys. A key's place is the number of keys with
 *           a smaller digit, and of those with the same digit before it: a histogram of each tile, a
 *           scan of all histograms, and within the tile the key's rank among its digit.
 * Since     In compact-scan a flag said which of two kinds an element is, and a scan where it belongs.
 *           Here are 256 kinds, and a scan of flags for each would be 256 scans.
 * Expect    Keys are read twice and written once, but the writes go to 256 places at a time. Lanes with
 *           the same digit must take their places in order: a warp finds them by 8 ballots, by one
 *           __match_any_sync, or by bits that lanes set in a word per digit. `atomics` takes whatever place is
 *           next: not stable.
 * Source    Satish, Harris, Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009;
 *           Merrill and Grimshaw, "High Performance and Scalable Radix Sorting", 2011.
 */
#include "families/sort/counts.h"
#include "harness/kit/device.h"

typedef unsigned long long u64;

/* Each key, and its value, to its place. */
static __global__ void move(element *y, unsigned *y_values, const element *x,
                            const unsigned *values, const u64 *counts, const u64 *totals, size_t n,
                            size_t tiles, struct field f, enum method method)
{
    extern __shared__ unsigned all_counts[]; /* of each warp, and one for no key; then the masks */
    unsigned digits = digits_of(f), *own = all_counts + threadIdx.x / 32 * (digits + 1);
    unsigned words = warp_counts(blockDim.x, digits) * (method == MASKS ? 2 : 1);

    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t first = tile * blockDim.x * SORT_ITEMS + threadIdx.x / 32 * (32 * SORT_ITEMS) +
                       threadIdx.x % 32;
        unsigned digit[SORT_ITEMS], rank[SORT_ITEMS];
        element key[SORT_ITEMS];

        for (unsigned k = threadIdx.x; k < words; k += blockDim.x)
            all_counts[k] = 0;
        for (int row = 0; row < SORT_ITEMS; row++) {
            size_t i = first + row * 32;

            key[row] = i < n ? x[i] : 0;
            digit[row] = i < n ? field_of(key[row], f) : digits;
        }
        __syncthreads();
        rank_rows(rank, all_counts, digit, digits, method);
        __syncthreads();
        scan_warps(all_counts, digits);
        __syncthreads();
        for (int row = 0; row < SORT_ITEMS; row++) {
            unsigned d = digit[row];
            u64 place;

            if (d == digits)
                continue;
            place = totals[d] + counts[d * tiles + tile] + own[d] + rank[row];
            y[place] = key[row];
            if (values)
                y_values[place] = values[first + row * 32];
        }
        __syncthreads(); /* before the counts of the next tile are written over these */
    }
}

static void sort(struct work *w, enum method method)
{
    size_t tiles = sort_tiles_of(w->n, (size_t)w->threads * SORT_ITEMS);
    size_t shared = warp_counts(w->threads, DIGITS) * (method == MASKS ? 2 : 1) * sizeof(unsigned);
    int grid = sort_grid(w, tiles);
    u64 *totals = w->counters, *counts = totals + DIGITS;

    if (w->n == 0)
        return;
    cudaFuncSetAttribute(move, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    count_and_scan(w, w->x, tiles, w->field, 0);
    timeline_begin("move", 0, 0);
    move<<<grid, w->threads, shared>>>(w->y, w->y_values, w->x, w->values, counts, totals, w->n,
                                       tiles, w->field, method);
    timeline_end(0);
}

static void launch_ballots(struct work *w)
{
    sort(w, BALLOTS);
}

static void launch_match(struct work *w)
{
    sort(w, MATCH);
}

static void launch_masks(struct work *w)
{
    sort(w, MASKS);
}

static bool refuse_masks(const struct shape *s, char *why, size_t room)
{
    return device_lacks_shared(2 * warp_counts(s->threads, DIGITS) * sizeof(unsigned), why, room);
}

static void launch_atomics(struct work *w)
{
    sort(w, ATOMICS);
}

#define RULES (WHOLE_WARPS | ONE_DIGIT)
#define ALONE NULL, NULL, NULL, NULL, 0, NULL, NULL, "0"

static const struct variant variants[] = {
    {"ballots", "by the lowest 8 bits; lanes of a digit by 8 ballots", launch_ballots, RULES},
    {"match", "by the lowest 8 bits; lanes of a digit by __match_any_sync", launch_match, RULES},
    {"masks", "by the lowest 8 bits; lanes of a digit by a word in shared memory", launch_masks,
     RULES, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, refuse_masks},
    {"atomics", "by the lowest 8 bits; any place of the digit: not stable", launch_atomics, RULES,
     ALONE},
};

STEP("sort-rank", sort_family, variants);
