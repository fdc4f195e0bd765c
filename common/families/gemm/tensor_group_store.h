/*
 * Sums go to C by the Tensor Memory Accelerator, in pieces: what hgemm-cluster and hgemm-narrow
 * share.
 */
#ifndef TENSOR_GROUP_STORE_H
#define TENSOR_GROUP_STORE_H

#include "families/gemm/tensor_group_tma.h"

#define PIECE 32 /* columns of C, 128 bytes */

/* A box goes to its place in C, but for what is outside of C. Its group can be waited for. */
static __device__ __forceinline__ void store_box(const void *from, const CUtensorMap *map,
                                                 size_t at, size_t line)
{
    GROUP_ASM("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
              "cp.async.bulk.commit_group;" ::"l"(map),
              "r"((int)at), "r"((int)line), "r"(shared_address(from))
              : "memory");
}

/* Until at most so many boxes that this thread stored are still to be read from shared memory. */
template <int BOXES> static __device__ __forceinline__ void wait_read()
{
    GROUP_ASM("cp.async.bulk.wait_group.read %0;" ::"n"(BOXES) : "memory");
}

/* Sums of 16 x 32, swizzled as the map has it. Odd rows take the halves of the piece in the other
 * order, because rows 0 and 1 would meet in the same banks. */
static __device__ __forceinline__ void write_piece(float (&to)[16][PIECE], const struct work &w,
                                                   const float *d)
{
    int lane = threadIdx.x % 32, row = lane / 4;
    bool odd = row % 2;

#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int j = 0; j < PIECE / 8; j++) {
            int chunk = ((odd ? j ^ 2 : j) * 2 + lane % 4 / 2) ^ row;
            const float *even_sum = d + 4 * j + 2 * i, *odd_sum = d + 4 * (j ^ 2) + 2 * i;

            *(float2 *)&to[row + i * 8][chunk * 4 + lane % 2 * 2] =
                make_float2(w.alpha * (odd ? odd_sum[0] : even_sum[0]),
                            w.alpha * (odd ? odd_sum[1] : even_sum[1]));
        }
    }
}

#endif
