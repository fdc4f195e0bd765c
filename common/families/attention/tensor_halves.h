/*
 * What the steps with queries, keys and values of f16 or bf16 have beside tensor_rows.h.
 */
#ifndef ATTENTION_TENSOR_HALVES_H
#define ATTENTION_TENSOR_HALVES_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

#include "families/attention/tensor_rows.h"
#include "harness/kit/sums.h"

/* Two floats, rounded, as a register of a fragment: the first one is its lower half. */
static __device__ __forceinline__ unsigned rounded(float low, float high)
{
    element two[2] = {(element)low, (element)high};
    unsigned bits;

    memcpy(&bits, two, sizeof(bits));
    return bits;
}

/* --- the error bound -------------------------------------------------------------------------- */

#define FEWEST_KEYS 64 /* of a tile */

/* What tensor cores lose, as kit/sums.h has it; and the sums are multiplied again with each tile,
 * by a power that is off by 4 roundings. */
static double depth(const struct shape *s)
{
    double length = (double)s->axis[ATTENTION_LENGTH];

    return tensor_roundings(s->axis[ATTENTION_LENGTH]) + 5 * (length / FEWEST_KEYS + 1) + 4;
}

#endif
