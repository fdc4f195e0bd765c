/*
 * A segment in the shared memory of a block, which puts it in order by bins: what kernel 5 of
 * sort-msd and sort-crowded is made of. Device code.
 */
#ifndef SORT_HALL_H
#define SORT_HALL_H

#include "families/sort/counted.h"

#define SMALL 9  /* keys of a thread, of a segment of a usual array, */
#define LARGE 17 /* and of a large one, which is finished by twice as many threads */
#define BLOCKS_OF(threads) ((threads) > THREADS ? 1 : sizeof(number) > 4 ? 2 : 3)

/* A segment in shared memory, for a block of T threads with up to I keys each. Items are what is
 * compared: of keys alone their numbers; of pairs the bits that are left, and below them the slot
 * that the pair lies in. Behind the items there are some that are the highest. */
template <int I, int T, bool PAIRS> struct hall {
    number items[I * T + I];
    uint4 bins4[2 * T]; /* two bins per word: at first how many items, then where they begin */
    element keys[PAIRS ? I * T : 1];
    unsigned tags[PAIRS ? I * T : 1];
};

#define SLOT_BITS 13 /* of SMALL */

template <bool PAIRS>
static __device__ __forceinline__ number item_of(element key, unsigned slot, struct field f)
{
    return PAIRS ? field_of(key, f) << SLOT_BITS | slot : number_of(key) ^ (number)f.flip;
}

/* What a thread has of a segment: its keys, of which it has those k with k * T < left. */
template <int I, int T, bool PAIRS> struct load {
    element key[I];
    unsigned tag[PAIRS ? I : 1], base;
    int left;
};

template <bool SPREAD = false, int I, int T, bool PAIRS>
static __device__ __forceinline__ void load_segment(struct load<I, T, PAIRS> *l, struct arrays a,
                                                    const struct segments *s, unsigned segment)
{
    const element *from;

    l->base = begin_of<SPREAD>(s, segment);
    l->left = (int)(count_of<SPREAD>(s, segment) - threadIdx.x);
    from = (SPREAD && is_spread(s, segment) ? a.y : a.x) + l->base + threadIdx.x;
#pragma unroll
    for (int k = 0; k < I; k++)
        l->key[k] = k * T < l->left ? from[k * T] : 0;
#pragma unroll
    for (int k = 0; PAIRS && k < I; k++)
        l->tag[k] = k * T < l->left ? a.values[l->base + threadIdx.x + k * T] : 0;
}

#define ROUNDS(I) ((I) > 9 ? 7 : 5)

/* Put I items that lie together in order, if none has to go further than the rounds move it.
 * Whether they were not. */
template <int I> static __device__ __forceinline__ bool sort_window(number *items, bool ask)
{
    number own[I];
    bool unsorted = false;

#pragma unroll
    for (int k = 0; k < I; k++)
        own[k] = items[k];
    if (ask) {
#pragma unroll
        for (int k = 0; k + 1 < I; k++)
            unsorted = unsorted || own[k] > own[k + 1];
    }
#pragma unroll
    for (int round = 0; round < ROUNDS(I); round++) {
#pragma unroll
        for (int k = round % 2; k + 1 < I; k += 2) {
            number low = min(own[k], own[k + 1]);

            own[k + 1] = max(own[k], own[k + 1]);
            own[k] = low;
        }
    }
#pragma unroll
    for (int k = 0; k < I; k++)
        items[k] = own[k];
    return unsorted;
}

/* The segment from this one on, of those that are `step` apart, that a block has to finish. */
template <bool SPREAD = false>
static __device__ unsigned next_segment(const struct segments *s, unsigned all, unsigned segment,
                                        unsigned step)
{
    unsigned some = 0;

    if (segment >= all || count_of<SPREAD>(s, segment) - 1 < s->capacity)
        return segment;
    for (; segment < all && !some; segment += 32 * step) { /* a lane looks at each */
        unsigned at = segment + threadIdx.x % 32 * step;

        some = __ballot_sync(WARP, at < all && count_of<SPREAD>(s, at) - 1 < s->capacity);
        if (some)
            return segment + (__ffs((int)some) - 1) * step;
    }
    return all;
}

/* The item's bits where the mask has some, pushed together: the upper ones, as many as a bin has.
 */
template <int T> static __device__ __noinline__ unsigned gather(number item, number mask)
{
    unsigned bin = 0;

    for (unsigned k = 0; k < BIN_BITS(T) && mask != 0; k++) {
        number top = (number)1 << (width_of(mask) - 1);

        bin = bin << 1 | ((item & top) != 0);
        mask ^= top;
    }
    return bin;
}

/* Count the items in bins of the upper bits of `differ`; GATHER: others may lie between them.
 * Ranks, and above 16 bits the bins. Whether too many share one. */
template <int I, int T, bool PAIRS, bool GATHER>
static __device__ __forceinline__ bool count_bins(unsigned *rank, struct hall<I, T, PAIRS> *r,
                                                  const number *item, int left, number differ,
                                                  bool *exact, bool *together)
{
    unsigned width = width_of(differ), most = 0, *bins = (unsigned *)r->bins4;
    unsigned shift = width > BIN_BITS(T) ? width - BIN_BITS(T) : 0;
    bool between;

    if (PAIRS && shift < SLOT_BITS)
        shift = SLOT_BITS;
    between = GATHER && bits_of(differ >> shift) < width - shift;
    *exact = !PAIRS && (between ? bits_of(differ) <= BIN_BITS(T) : shift == 0);
    for (unsigned k = threadIdx.x; k < 2 * T; k += T)
        r->bins4[k] = make_uint4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < I; k++) {
        unsigned bin =
            between ? gather<T>(item[k], differ) : (unsigned)(item[k] >> shift) & BIN_MASK(T);
        unsigned high = bin % 2 * 16;

        rank[k] = bin << 16;
        if (k * T < left)
            rank[k] |= atomicAdd(&bins[bin / 2], 1u << high) >> high & 0xffff;
        most = max(most, rank[k] & 0xffff);
    }
    *together = __syncthreads_or(most >= ROUNDS(I));
    return *together && !*exact && __syncthreads_or(most >= CROWD);
}

/* What of a thread's keys is compared. Pairs are laid in their slots. */
template <int I, int T, bool PAIRS>
static __device__ __forceinline__ void take_items(number *item, struct hall<I, T, PAIRS> *r,
                                                  const struct load<I, T, PAIRS> *l, struct field f)
{
#pragma unroll
    for (int k = 0; k < I; k++) {
        item[k] = item_of<PAIRS>(l->key[k], k * T + threadIdx.x, f);
        if (PAIRS) {
            r->keys[k * T + threadIdx.x] = l->key[k];
            r->tags[k * T + threadIdx.x] = l->tag[k];
        }
    }
}

/* The bits in which a segment's items differ; one: any of its items. */
template <int I, int T, bool PAIRS>
static __device__ __forceinline__ number differing_items(const number *item, int left, number one)
{
    number differ = 0;

#pragma unroll
    for (int k = 0; k < I; k++)
        differ |= k * T < left ? item[k] ^ one : 0;
    if (PAIRS)
        differ = differ >> SLOT_BITS << SLOT_BITS;
    return differing(differ);
}

/* Put the items in the order of their bins, and behind them the highest ones. */
template <int I, int T, bool PAIRS>
static __device__ __forceinline__ void place_items(struct hall<I, T, PAIRS> *r, const number *item,
                                                   const unsigned *rank, int left)
{
    const unsigned short *begin = (const unsigned short *)r->bins4;

#pragma unroll
    for (int k = 0; k < I; k++) {
        if (k * T < left)
            r->items[begin[rank[k] >> 16] + (rank[k] & 0xffff)] = item[k];
        else
            r->items[k * T + threadIdx.x] = ~(number)0;
    }
}

/* Sort what shares a bin; `together`: until no neighbours change places, because it may be many. */
template <int I> static __device__ __forceinline__ void sort_bins(number *items, bool together)
{
    bool unsorted;

    do {
        unsorted = sort_window<I>(items + threadIdx.x * I, together);
        __syncthreads();
        unsorted = sort_window<I>(items + threadIdx.x * I + I / 2, together) || unsorted;
        __syncthreads();
    } while (together && __syncthreads_or(unsorted));
}

/* Write the thread's part of a segment: base is where its first key goes. */
template <int I, int T, bool PAIRS>
static __device__ __forceinline__ void write_items(struct arrays a, unsigned base,
                                                   const struct hall<I, T, PAIRS> *r, int left,
                                                   struct field f)
{
#pragma unroll
    for (int k = 0; k < I; k++) {
        if (k * T < left) {
            number own = r->items[k * T + threadIdx.x];

            a.y[base + k * T] = PAIRS ? r->keys[own % (1u << SLOT_BITS)] : to_key(own, f);
            if (PAIRS)
                a.y_values[base + k * T] = r->tags[own % (1u << SLOT_BITS)];
        }
    }
}

#endif
