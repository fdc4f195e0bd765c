/*
 * sort-radix: digit by digit, the lowest first
 *
 * Idea      Sort by the lowest digit, then by the next, and so on. Each pass keeps the order of keys that
 *           have the same digit, and with it what the passes before have done: behind the highest digit
 *           all is sorted. 32 bits are 4 passes of 8 bits, whatever the keys are.
 * Since     sort-rank sorted by one digit. Its keys went to 256 places at a time, a sector for each: here
 *           a tile is put in order in shared memory first, so that keys of a digit are written together.
 * Expect    Each pass reads the keys twice and writes them once: 12 passes over memory where 2 are
 *           useful. `bits-4` has 8 passes with 16 digits, whose runs are longer.
 * Source    Knuth, "The Art of Computer Programming", volume 3, section 5.2.5; Satish, Harris, Garland,
 *           "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009.
 */
#include "families/sort/tile.h"

typedef unsigned long long u64;

/* Move the keys of all tiles, and their values, by a digit: within the tile first. */
static __global__ void move_tiles(struct arrays a, const u64 *counts, const u64 *totals, size_t n,
                                  size_t tiles, struct field f)
{
    extern __shared__ element4 memory[];
    struct tile t = tile_in(memory, f);
    unsigned size = blockDim.x * SORT_ITEMS;

    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t base = tile * size;
        unsigned here = n - base < size ? (unsigned)(n - base) : size;
        struct rows r;

        load_rows(&r, &t, a.x + base, here, f);
        begin_digits(&t);
        for (unsigned d = threadIdx.x; d < t.digits; d += blockDim.x)
            t.shift[d] = totals[d] + counts[d * tiles + tile] - t.begin[d];
        __syncthreads();
        store_rows(&r, &t, a, base, here, f);
    }
}

/* One pass by a digit, the lowest of the field is number 0. Its kernels are marked for --timeline. */
static void pass(const struct work *w, struct arrays a, struct field f, unsigned number)
{
    size_t tiles = sort_tiles_of(w->n, (size_t)w->threads * SORT_ITEMS), bytes = tile_bytes(w);
    int grid = sort_grid(w, tiles);
    u64 *totals = w->counters, *counts = totals + DIGITS;

    cudaFuncSetAttribute(move_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    count_and_scan(w, a.x, tiles, f, number);
    timeline_begin("move", number, 0);
    move_tiles<<<grid, w->threads, bytes>>>(a, counts, totals, w->n, tiles, f);
    timeline_end(0);
}

static void sort(struct work *w, unsigned bits)
{
    unsigned passes = (w->field.bits + bits - 1) / bits;
    struct arrays a = {NULL, NULL, w->x, w->values};

    if (w->n == 0)
        return;
    for (unsigned p = 0; p < passes; p++) {
        bool even = (passes - 1 - p) % 2 == 0; /* the last pass writes y */

        a.y = even ? w->y : w->other;
        a.y_values = even ? w->y_values : w->other_values;
        pass(w, a, field_digit(w->field, p * bits, bits), p);
        a.x = a.y;
        a.values = a.y_values;
    }
}

static void launch_bits_8(struct work *w)
{
    sort(w, 8);
}

static void launch_bits_4(struct work *w)
{
    sort(w, 4);
}

#define SHARED NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, refuse_tile

static const struct variant variants[] = {
    {"bits-4", "digits of 4 bits: 8 passes for keys of 32 bits", launch_bits_4, WHOLE_WARPS,
     SHARED},
    {"bits-8", "digits of 8 bits: 4 passes for keys of 32 bits", launch_bits_8, WHOLE_WARPS,
     SHARED},
};

static const struct launches launches[] = {
    {RECORD | GPU_ONLY, {"-n 2^28 -v bits-4 -v bits-8 -r 3 -w 1 --timeline"}},
    {0},
};

STEP("sort-radix", sort_family, variants, launches);
