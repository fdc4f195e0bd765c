/*
 * The rim of C: its last few rows and columns, where a tile would have nearly no work. Device code,
 * and what it takes on an H200.
 */
#ifndef GEMM_RIM_H
#define GEMM_RIM_H

#include "families/gemm/pipeline.h"

#define RIM 4 /* rows or columns at most */
#define RIM_WARPS 32
#define RIM_LOADS 16   /* of a lane, in flight */
#define RIM_CHUNK 2048 /* steps along k of which a block keeps the rim's side in shared memory */

/* How far whole tiles reach, if what is behind them is few enough for a rim. */
static inline size_t body_of(size_t all, size_t tile)
{
    size_t rest = all % tile;

    return rest <= RIM && rest < all ? all - rest : all;
}

/* The words of the rim's side, of so many steps from `from` on: they are
 * at + i * next + k * step. */
static __device__ void keep_side(float *side, const float *at, size_t step, size_t next,
                                 size_t there, size_t from, size_t k)
{
    __syncthreads(); /* nobody reads the ones before any more */
#pragma unroll
    for (int i = 0; i < RIM; i++)
        for (int t = threadIdx.x; t < RIM_CHUNK; t += 32 * RIM_WARPS)
            side[i * RIM_CHUNK + t] =
                (size_t)i < there && from + t < k ? at[i * next + (from + t) * step] : 0;
    __syncthreads();
}

/* The last rows: a block has 32 columns of C, whose sums its warps share along k. */
static __device__ void rim_rows(const struct work &w, float *side, size_t first, size_t col)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum[RIM] = {};

    col += lane;
    for (size_t from = 0; from < w.k; from += RIM_CHUNK) {
        int end = left(w.k, from, RIM_CHUNK);

        keep_side(side, w.a + first * w.lda, 1, w.lda, w.m - first, from, w.k);
        for (int k = warp; k < end; k += RIM_WARPS * RIM_LOADS) {
            float b[RIM_LOADS];

#pragma unroll
            for (int e = 0; e < RIM_LOADS; e++)
                b[e] = k + e * RIM_WARPS < end && col < w.n
                           ? w.b[(from + k + e * RIM_WARPS) * w.ldb + col]
                           : 0;
#pragma unroll
            for (int e = 0; e < RIM_LOADS; e++)
#pragma unroll
                for (int i = 0; i < RIM; i++)
                    sum[i] += k + e * RIM_WARPS < end
                                  ? side[i * RIM_CHUNK + k + e * RIM_WARPS] * b[e]
                                  : 0;
        }
    }
    __syncthreads(); /* the sums go where the side was */
#pragma unroll
    for (int i = 0; i < RIM; i++)
        side[(i * RIM_WARPS + warp) * 32 + lane] = sum[i];
    __syncthreads();
    if (warp < RIM && first + warp < w.m && col < w.n) {
        float all = 0;

        for (int k = 0; k < RIM_WARPS; k++)
            all += side[(warp * RIM_WARPS + k) * 32 + lane];
        put({w.c, w.ldc, (int)w.m, (int)w.n, w.alpha, w.beta}, (int)(first + warp), (int)col, all);
    }
}

/* The last columns: a warp per row of A. */
static __device__ void rim_cols(const struct work &w, float *side, size_t first, size_t row,
                                size_t rows)
{
    int lane = threadIdx.x % 32;
    float sum[RIM] = {};

    row += threadIdx.x / 32;
    for (size_t from = 0; from < w.k; from += RIM_CHUNK) {
        int end = left(w.k, from, RIM_CHUNK);

        keep_side(side, w.b + first, w.ldb, 1, w.n - first, from, w.k);
        for (int k = lane; k < end; k += 32 * RIM_LOADS) {
            float a[RIM_LOADS];

#pragma unroll
            for (int e = 0; e < RIM_LOADS; e++)
                a[e] = k + e * 32 < end && row < rows ? w.a[row * w.lda + from + k + e * 32] : 0;
#pragma unroll
            for (int e = 0; e < RIM_LOADS; e++)
#pragma unroll
                for (int j = 0; j < RIM; j++)
                    sum[j] += k + e * 32 < end ? a[e] * side[j * RIM_CHUNK + k + e * 32] : 0;
        }
    }
#pragma unroll
    for (int j = 0; j < RIM; j++) {
        for (int d = 16; d > 0; d /= 2)
            sum[j] += __shfl_xor_sync(0xffffffffu, sum[j], d);
        if (lane == 0 && row < rows && first + j < w.n)
            put({w.c, w.ldc, (int)w.m, (int)w.n, w.alpha, w.beta}, (int)row, (int)(first + j),
                sum[j]);
    }
}

/* Rows from m on and columns from n on, of C. */
static __global__ void __launch_bounds__(32 * RIM_WARPS)
sgemm_rim(struct work w, size_t m, size_t n, unsigned blocks_of_rows)
{
    __shared__ float side[RIM * RIM_CHUNK];

    if (blockIdx.x < blocks_of_rows)
        rim_rows(w, side, m, (size_t)blockIdx.x * 32);
    else
        rim_cols(w, side, n, (size_t)(blockIdx.x - blocks_of_rows) * RIM_WARPS, m);
}

static inline unsigned rim_blocks(size_t there, size_t of, size_t all)
{
    return there < of ? (unsigned)ceiling(all, 32) : 0;
}

static void launch_rim(const struct work *w, size_t m, size_t n)
{
    unsigned rows = rim_blocks(m, w->m, w->n), cols = rim_blocks(n, w->n, m);

    if (rows + cols > 0)
        sgemm_rim<<<rows + cols, 32 * RIM_WARPS>>>(*w, m, n, rows);
}

/* ns: a launch, each round of blocks along k, and the words of A and B that are read. */
static double rim_time(const size_t axis[], size_t m, size_t n)
{
    unsigned rows = rim_blocks(m, axis[GEMM_M], axis[GEMM_N]);
    unsigned cols = rim_blocks(n, axis[GEMM_N], m);
    double k = (double)axis[GEMM_K], words = 32.0 * (rows + cols) * k;

    if (rows + cols == 0)
        return 0;
    return 6000 + ceil((rows + cols) / (double)gemm_multiprocessors(0)) * k * 1.2 + words / 1000;
}

#endif
