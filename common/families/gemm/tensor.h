/*
 * A tile of C on tensor cores, by inline PTX: where elements lie in shared memory, how the lanes of
 * a warp get them, and the products. Device code of hgemm-mma; tensor_tile.h has the way there from
 * global memory, and that of the sums to C.
 *
 * A block's tile is ROWS x COLS, and each stage of it DEEP steps along k. A warp has 64 x 64 of
 * that: 4 x 8 products of 16 x 8. In shared memory all is lines of 64 elements, 128 bytes, which is
 * once through all banks: a row of A, DEEP long; of B a row of 64 columns, or, where B is
 * transposed, a column, DEEP long.
 */
#ifndef TENSOR_H
#define TENSOR_H

#include "families/gemm/gemm.h"
#include "harness/kit/mma.h"

#define ROWS 128
#define COLS 256
#define DEEP 64
#define THREADS 256

struct stage {
    element a[ROWS][LINE], b[COLS][LINE];
};

/* What a lane holds of its warp's sums: 4 x 8 fragments of 4 floats. */
struct sums {
    float at[4][8][4];
};

/* --- products ------------------------------------------------------------------------------------
 */

static __device__ __forceinline__ int warp_row()
{
    return threadIdx.x / 128 * 64;
}

static __device__ __forceinline__ int warp_col()
{
    return threadIdx.x / 32 % 4 * 64;
}

/* Rows i * 16 and on of the warp's A, in its 16 steps from step * 16 on: four matrices, two rows of
 * them below each other, and two side by side. */
static __device__ __forceinline__ void load_a(unsigned a[4], const struct stage *s, int step, int i)
{
    int lane = threadIdx.x % 32, line = warp_row() + i * 16 + lane % 16;

    load_matrices(a, &s->a[line][swizzled(line, step * 2 + lane / 16)]);
}

/* Columns j * 16 and on of the warp's B, in the same steps: two fragments of 8 columns. */
template <bool NT>
static __device__ __forceinline__ void load_b(unsigned b[4], const struct stage *s, int step, int j)
{
    int lane = threadIdx.x % 32;

    if (NT) {
        int line = warp_col() + j * 16 + lane / 16 * 8 + lane % 8;

        load_matrices(b, &s->b[line][swizzled(line, step * 2 + lane / 8 % 2)]);
    } else {
        int line = warp_col() + step * 16 + lane % 16;

        load_transposed(b, &s->b[line][swizzled(line, j * 2 + lane / 16)]);
    }
}

/* What a lane holds of its warp's rows of A and columns of B, in 16 steps along k. */
struct fragments {
    unsigned a[4][4], b[8][2];
};

/* 8 loads of a warp. */
template <bool NT>
static __device__ __forceinline__ void load_fragments(struct fragments *f, const struct stage *s,
                                                      int step)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        load_a(f->a[i], s, step, i);
#pragma unroll
    for (int j = 0; j < 4; j++)
        load_b<NT>(f->b[2 * j], s, step, j);
}

/* 8 products for each 16 rows, from the first on: 32 for all four. */
static __device__ __forceinline__ void multiply_rows(struct sums *sums, const struct fragments &f,
                                                     int first, int end)
{
#pragma unroll
    for (int i = first; i < end; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++)
            multiply(sums->at[i][j], f.a[i], f.b[j]);
    }
}

#endif
