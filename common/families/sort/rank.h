/*
 * Ranks within a tile, for the steps that move keys by a digit: how many keys of the tile with the
 * same digit come before. Device code. The keys of a tile lie as a warp reads them: warp w has
 * those from w * 32 * SORT_ITEMS on, in rows of 32, one per lane.
 */
#ifndef SORT_RANK_H
#define SORT_RANK_H

#include "families/sort/sort.h"

#define WARP 0xffffffffu

enum method { BALLOTS, MATCH, ATOMICS };

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

/* Ranks within the warp, of the keys in its rows; lanes without a key have one digit more.
 */
static __device__ void rank_rows(unsigned *rank, unsigned *counts, const unsigned *digit,
                                 enum method method)
{
    for (int row = 0; row < SORT_ITEMS; row++) {
        if (method == ATOMICS)
            rank[row] = atomicAdd(&counts[digit[row]], 1);
        else if (method == BALLOTS)
            rank[row] = rank_in_warp(counts, digit[row], lanes_by_ballots(digit[row]));
        else
            rank[row] = rank_in_warp(counts, digit[row], lanes_by_match(digit[row]));
    }
}

#endif
