/*
 * The error of a sum of products of floats that tensor cores make of parts, as attention-tf32 does.
 *
 * A float x is big + small + rest. Let u = 2^-24. `big` is the nearest tf32 number, which has 11
 * bits of x's 24: |x - big| <= 2^-11 |x|. That is a float, of 12 bits and a sign or a power of 2,
 * and `small` is its first 11 bits, so |rest| <= 2 u |x|. Where `small` is below the smallest
 * normal float, it may count as 0: then |rest| <= FLT_MIN.
 *
 * Of x y = (big + small + rest) (big' + small' + rest') three products are added up. They lack
 *
 *     small small' + rest y + (x - rest) rest',
 *
 * which is at most (2^-22 + 2 u + 2 u (1 + 2 u)) |x y| < 9 u |x y|, and FLT_MIN (|x| + |y|) more
 * where parts count as 0. The magnitudes of the three are at most (1 + 2^-9) |x y| together. They
 * are exact, and kit/sums.h has what their sum loses. For that an element counts as 2^11 FLT_MIN at
 * least, so that its small part counts as FLT_MIN, the least that has the bits of its exponent.
 */
#ifndef ATTENTION_SPLIT_PRODUCTS_H
#define ATTENTION_SPLIT_PRODUCTS_H

#include <float.h>

#include "harness/kit/sums.h"

#define SPLIT_LEAST (0x1p11 * FLT_MIN)

/* As so many roundings by 2^-24 of its magnitude a sum of `depth` products of floats counts. */
HOST_DEVICE static inline double split_roundings(size_t depth)
{
    return (1 + 0x1p-9) * tensor_roundings(3 * depth) + 9;
}

/* What a sum of `depth` products is off by, whose magnitudes add up to `magnitude` where elements
 * count as SPLIT_LEAST at least, and whose factors' magnitudes add up to `factors`. */
HOST_DEVICE static inline double split_bound(size_t depth, double magnitude, double factors)
{
    return tensor_bound(3 * depth, (1 + 0x1p-9) * magnitude) + 9 * 0x1p-24 * magnitude +
           FLT_MIN * factors;
}

#endif
