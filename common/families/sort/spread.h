/*
 * Long segments, which have more keys than a block can sort: they are moved by the next digit, all
 * in one launch. What is still long then is counted. Device code.
 */
#ifndef SORT_SPREAD_H
#define SORT_SPREAD_H

#include "families/sort/any_place.h"

/* How many bits a long segment is moved by: so that a block can sort each part if they are alike,
 * and count each if they are not. */
static __device__ unsigned spread_bits(const struct segments *s, unsigned keys)
{
    unsigned bits = s->left > 16 ? s->left - 16 : 0, most = s->capacity - s->capacity / 11;

    if (keys > s->tasks.piece && bits < 5) /* its tables have 32 times fewer counters */
        bits = 5;
    while (bits < DIGIT_BITS && keys >> bits > most)
        bits++;
    return bits;
}

/* A block's row of the long segments' tiles: without those that stay, if it is to move them. */
struct long_tiles {
    const struct segments *s;
    struct field whole;
    unsigned at, tile, end; /* the last long segment, the next tile, behind the last one */
    bool move;
    __device__ __forceinline__ struct piece take(void)
    {
        while (tile < end) {
            struct piece p;
            unsigned segment, here, before;

            while (tile >= s->spread.tiles[at + 1])
                ++at;
            segment = s->spread.list[at];
            if (move && (segment & STAYS)) {
                tile = s->spread.tiles[at + 1];
                continue;
            }
            before = (tile++ - s->spread.tiles[at]) * TILE;
            here = s->counts[segment] - before;
            p.begin = s->begin[segment] + before;
            p.here = here < TILE ? here : TILE;
            p.digit = at;
            return p;
        }
        return {0, 0, 0, 0};
    }
    __device__ __forceinline__ unsigned *next(struct piece p) const
    {
        return s->spread.next + p.digit * DIGITS;
    }
    __device__ __forceinline__ struct field field(struct piece p) const
    {
        struct field f = whole;

        f.first += s->spread.bits[p.digit];
        f.mask = (1u << (s->left - s->spread.bits[p.digit])) - 1;
        return f;
    }
};

/* The long segment that a tile belongs to. */
static __device__ unsigned long_of(const struct segments *s, unsigned tile, unsigned made)
{
    unsigned low = 0, high = made;

    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;

        if (s->spread.tiles[middle] <= tile)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* How many tiles the long segments make, by one block. */
static __device__ void count_long_tiles(const struct segments *s, unsigned made)
{
    unsigned carry = 0, all;

    for (unsigned base = 0; base < made; base += THREADS) {
        unsigned i = base + threadIdx.x;
        unsigned own = i < made ? (s->counts[s->spread.list[i]] + TILE - 1) / TILE : 0;
        unsigned before = sum_before(own, &all);

        if (i < made) {
            s->spread.tiles[i] = carry + before;
            s->spread.bits[i] = s->left - spread_bits(s, s->counts[s->spread.list[i]]);
        }
        carry += all;
    }
    if (threadIdx.x == 0)
        s->spread.tiles[made] = carry;
}

/* Add the counts of the tile's digits so far, which begin anew. */
static __device__ void add_digits(unsigned *counts, unsigned *here)
{
    __syncthreads();
    if (threadIdx.x < DIGITS) {
        if (here[threadIdx.x] > 0)
            atomicAdd(&counts[threadIdx.x], here[threadIdx.x]);
        here[threadIdx.x] = 0;
    }
    __syncthreads();
}

/* How many keys of each long segment have each digit. */
static __device__ void count_spread(const element *x, struct long_tiles *tiles)
{
    __shared__ unsigned here[DIGITS];
    struct piece p = tiles->take();
    element key[ITEMS];
    unsigned rank[ITEMS];

    if (threadIdx.x < DIGITS)
        here[threadIdx.x] = 0;
    load_piece(key, x, p);
    __syncthreads();
    while (p.here > 0) {
        struct piece now = p;
        struct field f = tiles->field(p);
        element own[ITEMS];

#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            own[k] = key[k];
        p = tiles->take();
        load_piece(key, x, p);
        if (now.here == TILE)
            rank_any<true>(rank, own, here, now.here, f);
        else
            rank_any<false>(rank, own, here, now.here, f);
        if (p.here == 0 || p.digit != now.digit)
            add_digits(tiles->s->spread.counts + now.digit * DIGITS, here);
    }
}

/* Where the keys of each digit of a long segment go, by a block. What is too long is left to be
 * counted; if that is all of it, it stays where it is. */
static __device__ void begin_spread(const struct segments *s, unsigned i)
{
    unsigned d = threadIdx.x, own = d < DIGITS ? s->spread.counts[i * DIGITS + d] : 0, all;
    unsigned segment = s->spread.list[i], before = sum_before(own, &all);
    bool stays = own > 0 && own == all;

    if (d < DIGITS) /* where it ends, of what nobody moves */
        s->spread.next[i * DIGITS + d] = s->begin[segment] + before + (stays ? own : 0);
    if (stays)
        s->spread.list[i] = segment | STAYS;
    if (own > s->capacity)
        leave_segment(s, (1u << s->bits) + i * DIGITS + d, own);
}

/* Move all long segments by a digit, from x to y. Its blocks are all resident. */
static __global__ void __launch_bounds__(THREADS, 2)
spread_long(element *y, const element *x, struct segments s, struct field f)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned made = *s.spread.made, tiles, first;
    struct long_tiles row = {&s, f, 0, 0, 0, false};

    if (made == 0)
        return;
    for (unsigned k = blockIdx.x * THREADS + threadIdx.x; k < made * DIGITS;
         k += gridDim.x * THREADS)
        s.spread.counts[k] = 0;
    if (blockIdx.x == 0)
        count_long_tiles(&s, made);
    grid.sync();
    tiles = s.spread.tiles[made];
    first = (unsigned)((size_t)tiles * blockIdx.x / gridDim.x);
    row.tile = first;
    row.end = (unsigned)((size_t)tiles * (blockIdx.x + 1) / gridDim.x);
    row.at = long_of(&s, first, made);
    count_spread(x, &row);
    grid.sync();
    for (unsigned i = blockIdx.x; i < made; i += gridDim.x)
        begin_spread(&s, i);
    grid.sync();
    row.tile = first;
    row.at = long_of(&s, first, made);
    row.move = true;
    move_pieces(y, x, &row);
}

#endif
