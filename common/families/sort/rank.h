/*
 * Ranks within a tile, for the steps that move keys by a digit: how many keys of the tile with the
 * same digit come before. Device code. The keys of a tile lie as a warp reads them: warp w has
 * those from w * 32 * SORT_ITEMS on, in rows of 32, one per lane.
 */
#ifndef SORT_RANK_H
#define SORT_RANK_H

#include "families/sort/sort.h"

#define WARP 0xffffffffu

enum method { BALLOTS, MATCH, MASKS, ATOMICS };

/* The lanes whose digit is this lane's: of DIGIT_BITS bits, or one more where a lane has no key. A
 * ballot per bit says which lanes have it set; those that agree with this one in all bits remain.
 */
static __device__ __forceinline__ unsigned lanes_by_ballots(unsigned digit)
{
    unsigned same = WARP;

    for (int bit = 0; bit <= DIGIT_BITS; bit++) {
        unsigned set = __ballot_sync(WARP, digit >> bit & 1);

        same &= digit >> bit & 1 ? set : ~set;
    }
    return same;
}

/* The same by one instruction. */
static __device__ __forceinline__ unsigned lanes_by_match(unsigned digit)
{
    return __match_any_sync(WARP, digit);
}

/* The same by a word of shared memory per digit, in which each lane sets its bit. masks are the
 * warp's own, and zeros again behind it. */
static __device__ __forceinline__ unsigned lanes_by_masks(unsigned *masks, unsigned digit)
{
    unsigned lane = threadIdx.x % 32, same;

    atomicOr(&masks[digit], 1u << lane);
    __syncwarp();
    same = masks[digit];
    __syncwarp(); /* all have read it */
    if ((same & ((1u << lane) - 1)) == 0)
        masks[digit] = 0;
    return same;
}

/* How many keys of this warp with this digit come before this lane's, in the rows so far; counts
 * are the warp's own. `same` are the lanes of this row with the digit. */
static __device__ __forceinline__ unsigned rank_in_warp(unsigned *counts, unsigned digit,
                                                        unsigned same)
{
    unsigned lane = threadIdx.x % 32, before = __popc(same & ((1u << lane) - 1));
    unsigned earlier = counts[digit];

    __syncwarp(); /* all have read the count */
    if (before == 0)
        counts[digit] = earlier + __popc(same);
    __syncwarp(); /* before the next row reads it */
    return earlier + before;
}

/* The counts of the warps, each of so many digits and one for no key, become the sums over the
 * warps before. */
static __device__ void scan_warps(unsigned *counts, unsigned digits)
{
    for (unsigned d = threadIdx.x; d < digits; d += blockDim.x) {
        unsigned sum = 0;

        for (unsigned warp = 0; warp < blockDim.x / 32; warp++) {
            unsigned own = counts[warp * (digits + 1) + d];

            counts[warp * (digits + 1) + d] = sum;
            sum += own;
        }
    }
}

/* The counts of the warps of so many threads, each of so many digits and one for no key. Behind
 * them stand as many masks. */
static __host__ __device__ __forceinline__ unsigned warp_counts(unsigned threads, unsigned digits)
{
    return threads / 32 * (digits + 1);
}

/* Ranks within the warp, of the keys in its rows; lanes without a key have one digit more. */
static __device__ void rank_rows(unsigned *rank, unsigned *all_counts, const unsigned *digit,
                                 unsigned digits, enum method method)
{
    unsigned *counts = all_counts + threadIdx.x / 32 * (digits + 1);
    unsigned *masks = counts + warp_counts(blockDim.x, digits);

    for (int row = 0; row < SORT_ITEMS; row++) {
        unsigned d = digit[row];

        if (method == ATOMICS)
            rank[row] = atomicAdd(&counts[d], 1);
        else if (method == BALLOTS)
            rank[row] = rank_in_warp(counts, d, lanes_by_ballots(d));
        else if (method == MATCH)
            rank[row] = rank_in_warp(counts, d, lanes_by_match(d));
        else
            rank[row] = rank_in_warp(counts, d, lanes_by_masks(masks, d));
    }
}

#endif
