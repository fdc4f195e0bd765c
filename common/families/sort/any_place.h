/*
 * Moving keys alone by a digit, where any place among the keys of the same digit will do: an atomic
 * gives it out. Device code.
 */
#ifndef SORT_ANY_PLACE_H
#define SORT_ANY_PLACE_H

#include "families/sort/segments.h"

/* Which key of its tile a thread's first one is: a warp's lie together, 32 of them in a row. */
static __device__ __forceinline__ unsigned first_of_tile(void)
{
    return threadIdx.x / 32 * 32 * ITEMS + threadIdx.x % 32;
}

static __device__ __forceinline__ void load_piece(element *key, const element *x, struct piece p)
{
    const element *from = x + p.begin + first_of_tile();

    if (p.here == TILE) {
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            key[k] = from[k * 32];
    } else {
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            key[k] = first_of_tile() + k * 32 < p.here ? from[k * 32] : 0;
    }
}

/* Ranks of a thread's keys among those of their digits, in any order, and above 16 bits the digits:
 * counts are the tile's. FULL: all threads have all keys. */
template <bool FULL>
static __device__ __forceinline__ void rank_any(unsigned *rank, const element *key,
                                                unsigned *counts, unsigned here, struct field f)
{
    unsigned one, from = first_of_tile();
    bool same = FULL;

#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        rank[k] = (unsigned)field_of(key[k], f);
    one = __shfl_sync(WARP, rank[0], 0);
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        same = same && rank[k] == one;
    if (__all_sync(WARP, same)) { /* one addition for the warp, as for sorted keys */
        unsigned first = threadIdx.x % 32 == 0 ? atomicAdd(&counts[one], 32 * ITEMS) : 0;

        first = __shfl_sync(WARP, first, 0) + threadIdx.x % 32;
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            rank[k] = one << 16 | (first + k * 32);
        return;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (FULL || from + k * 32 < here)
            rank[k] = rank[k] << 16 | atomicAdd(&counts[rank[k]], 1);
    }
}

/* What move_pieces has in shared memory besides the keys. */
struct places {
    unsigned counts[DIGITS], begin[DIGITS], shift[DIGITS];
};

/* Put a piece's keys in order by a digit in shared memory. How much further the keys of the
 * thread's digit go: next[d] is where the digit's next key does. */
template <bool FULL>
static __device__ __forceinline__ unsigned order_piece(element *keys, struct places *s,
                                                       const element *key, unsigned *next,
                                                       unsigned here, struct field f)
{
    unsigned rank[ITEMS], own, all, before, to;

    rank_any<FULL>(rank, key, s->counts, here, f);
    __syncthreads();
    own = threadIdx.x < DIGITS ? s->counts[threadIdx.x] : 0;
    to = own > 0 ? atomicAdd(&next[threadIdx.x], own) : 0;
    before = sum_before(own, &all);
    if (threadIdx.x < DIGITS) {
        s->begin[threadIdx.x] = before;
        s->counts[threadIdx.x] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (FULL || first_of_tile() + k * 32 < here)
            keys[s->begin[rank[k] >> 16] + (rank[k] & 0xffff)] = key[k];
    }
    return to - before;
}

/* Move pieces until there is none. PIECES says which is the next one, by which digit it is moved,
 * and where the next key of each of its digits goes. The next piece's keys are on their way while
 * those of this one are written. */
template <typename PIECES>
static __device__ __forceinline__ void move_pieces(element *y, const element *x, PIECES *pieces)
{
    extern __shared__ element4 memory[];
    __shared__ struct places places;
    element *keys = (element *)memory, key[ITEMS];
    struct piece p = pieces->take();

    if (threadIdx.x < DIGITS)
        places.counts[threadIdx.x] = 0;
    load_piece(key, x, p);
    __syncthreads();
    while (p.here > 0) {
        unsigned here = p.here, further, *next = pieces->next(p);
        struct field f = pieces->field(p);

        if (here == TILE)
            further = order_piece<true>(keys, &places, key, next, here, f);
        else
            further = order_piece<false>(keys, &places, key, next, here, f);
        p = pieces->take();
        load_piece(key, x, p);
        if (threadIdx.x < DIGITS)
            places.shift[threadIdx.x] = further;
        __syncthreads();
        if (here == TILE) {
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
                unsigned i = k * THREADS + threadIdx.x;
                element own = keys[i];

                y[places.shift[field_of(own, f)] + i] = own;
            }
        } else {
            for (unsigned i = threadIdx.x; i < here; i += THREADS)
                y[places.shift[field_of(keys[i], f)] + i] = keys[i];
        }
    }
}

#endif
