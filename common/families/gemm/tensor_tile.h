/*
 * Tiles of C between global memory and what tensor.h has: which tile a block has, which chunks a
 * thread copies, and the stores.
 */
#ifndef TENSOR_TILE_H
#define TENSOR_TILE_H

#include "families/gemm/left.h"
#include "families/gemm/tensor.h"

/* --- tiles ---------------------------------------------------------------------------------------
 */

#define BAND 16 /* tiles of so many rows follow each other, and share what is in the L2 cache */

/* How many tiles lie below each other, and how many C has; with so many at a time, the last ones
 * may lie below C. */
template <int AT_A_TIME = 1>
static __host__ __device__ __forceinline__ unsigned tiles_down(const struct work &w)
{
    return (unsigned)((w.m - 1) / (ROWS * AT_A_TIME) + 1) * AT_A_TIME;
}

template <int AT_A_TIME = 1>
static __host__ __device__ __forceinline__ unsigned tiles(const struct work &w)
{
    return tiles_down<AT_A_TIME>(w) * (unsigned)((w.n - 1) / COLS + 1);
}

/* Where tile number `tile` begins: down a band of BAND tiles, then to the right. */
template <int AT_A_TIME = 1>
static __device__ __forceinline__ void place_of(const struct work &w, unsigned tile, size_t *row,
                                                size_t *col)
{
    unsigned across = (unsigned)((w.n - 1) / COLS + 1), down = tiles_down<AT_A_TIME>(w);
    unsigned band = tile / (BAND * across), rest = tile % (BAND * across);
    unsigned high = down - band * BAND < BAND ? down - band * BAND : BAND;

    *row = (size_t)(band * BAND + rest % high) * ROWS;
    *col = (size_t)(rest / high) * COLS;
}

/* Two sums that lie side by side; with one left the first alone. */
static __device__ __forceinline__ void store_pair(const struct work &w, float *c, float x, float y,
                                                  bool two, bool at_once)
{
    float2 old = {0, 0};

    if (two && at_once) {
        if (w.beta != 0)
            old = *(const float2 *)c;
        *(float2 *)c =
            w.beta == 0 ? make_float2(w.alpha * x, w.alpha * y)
                        : make_float2(w.alpha * x + w.beta * old.x, w.alpha * y + w.beta * old.y);
        return;
    }
    c[0] = w.beta == 0 ? w.alpha * x : w.alpha * x + w.beta * c[0];
    if (two)
        c[1] = w.beta == 0 ? w.alpha * y : w.alpha * y + w.beta * c[1];
}

/* A lane has four sums of each 16 x 8: elements 2 (lane % 4) and the next of row lane / 4, and
 * those of the row 8 below. Four lanes store a sector. */
static __device__ __forceinline__ void store(const struct work &w, const struct sums *sums,
                                             size_t first_row, size_t first_col)
{
    int lane = threadIdx.x % 32, row = warp_row() + lane / 4, col = warp_col() + lane % 4 * 2;
    int rows = left(w.m, first_row, ROWS), cols = left(w.n, first_col, COLS);
    bool at_once = (size_t)w.c % sizeof(float2) == 0 && w.ldc % 2 == 0;
    float *c = w.c + (first_row + row) * w.ldc + first_col + col;

#pragma unroll
    for (int i = 0; i < 8; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const float *sum = &sums->at[i / 2][j][i % 2 * 2];

            if (row + i * 8 < rows && col + j * 8 < cols)
                store_pair(w, c + i * 8 * w.ldc + j * 8, sum[0], sum[1], col + j * 8 + 1 < cols,
                           at_once);
        }
    }
}

/* --- copies --- */

/* Where a thread's chunks come from: A's and B's first, and what is left of rows and columns from
 * there. Thread t copies chunk t % 8 of each 32nd line from t / 8 on. */
struct copies {
    const element *a, *b;
    int rows, cols;
    bool aligned; /* all rows begin at multiples of 16 bytes */
    bool inside;  /* and no row or column of the tile is beyond the edges */
};

template <typename T>
static __host__ __device__ __forceinline__ bool is_aligned(const T *at, size_t ld)
{
    return (size_t)at % sizeof(uint4) == 0 && ld * sizeof(T) % sizeof(uint4) == 0;
}

template <bool NT>
static __device__ __forceinline__ struct copies begin(const struct work &w, size_t row, size_t col)
{
    int line = threadIdx.x / 8, chunk = threadIdx.x % 8 * CHUNK;
    bool aligned = is_aligned(w.a, w.lda) && is_aligned(w.b, w.ldb);

    return {w.a + (row + line) * w.lda + chunk,
            NT ? w.b + (col + line) * w.ldb + chunk : w.b + line * w.ldb + col + chunk,
            left(w.m, row + line, ROWS),
            NT ? left(w.n, col + line, COLS) : left(w.n, col + chunk, COLS),
            aligned,
            aligned && row + ROWS <= w.m && col + COLS <= w.n};
}

/* Where chunk i of A, or of B, comes from; how many elements it has, with `steps` left along k. */
static __device__ __forceinline__ const element *
from_a(const struct copies &c, const struct work &w, int steps, int i, int *there)
{
    *there = i * 32 < c.rows ? steps - (int)threadIdx.x % 8 * CHUNK : 0;
    return c.a + i * 32 * w.lda;
}

template <bool NT>
static __device__ __forceinline__ const element *
from_b(const struct copies &c, const struct work &w, int steps, int i, int *there)
{
    if (NT) {
        *there = i * 32 < c.cols ? steps - (int)threadIdx.x % 8 * CHUNK : 0;
        return c.b + i * 32 * w.ldb;
    }
    /* Two of 32 rows, then the next line. */
    *there = (int)threadIdx.x / 8 + i % 2 * 32 < steps ? c.cols - i / 2 * LINE : 0;
    return c.b + i % 2 * 32 * w.ldb + i / 2 * LINE;
}

/* To the next stage. */
template <bool NT>
static __device__ __forceinline__ void advance(struct copies *c, const struct work &w)
{
    c->a += DEEP;
    c->b += NT ? DEEP : DEEP * w.ldb;
}

/* A chunk by cp.async, of which so many elements are there, and zeros for the others, which are not
 * read; FULL: all are there, or none. */
template <bool FULL>
static __device__ __forceinline__ void copy_chunk(element *to, const element *from, int there)
{
#if __CUDA_ARCH__ >= 800
    int most = FULL && there > 0 ? CHUNK : there;
    int bytes = (most < 0 ? 0 : most < CHUNK ? most : CHUNK) * (int)sizeof(element);

    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(to)), "l"(from), "r"(bytes)
                 : "memory");
#endif
}

/* Part number `part` of so many parts of a stage's chunks, of which the matrices have so many
 * steps; FULL: whole chunks, or none. */
template <bool NT, bool FULL>
static __device__ __forceinline__ void copy_part(struct stage *s, const struct copies &c,
                                                 const struct work &w, int steps, int part,
                                                 int parts)
{
    int first = threadIdx.x / 8, place = swizzled(first, threadIdx.x % 8), there;

#pragma unroll
    for (int i = part * ROWS / 32 / parts; i < (part + 1) * ROWS / 32 / parts; i++) {
        const element *from = from_a(c, w, steps, i, &there);

        copy_chunk<FULL>(&s->a[first + i * 32][place], from, FULL ? steps : there);
    }
#pragma unroll
    for (int i = part * COLS / 32 / parts; i < (part + 1) * COLS / 32 / parts; i++) {
        const element *from = from_b<NT>(c, w, steps, i, &there);

        copy_chunk<FULL>(&s->b[first + i * 32][place], from, FULL ? steps : there);
    }
}

/* The fall-back where rows are not aligned: element by element. */
static __device__ __noinline__ void copy_elements(element *to, const element *from, int there)
{
    for (int e = 0; e < CHUNK; e++)
        to[e] = e < there ? from[e] : (element)0.0f;
}

template <bool NT>
static __device__ __forceinline__ void copy_slowly(struct stage *s, const struct copies &c,
                                                   const struct work &w, int steps)
{
    int first = threadIdx.x / 8, place = swizzled(first, threadIdx.x % 8), there;

#pragma unroll 1
    for (int i = 0; i < ROWS / 32; i++) {
        const element *from = from_a(c, w, steps, i, &there);

        copy_elements(&s->a[first + i * 32][place], from, there);
    }
#pragma unroll 1
    for (int i = 0; i < COLS / 32; i++) {
        const element *from = from_b<NT>(c, w, steps, i, &there);

        copy_elements(&s->b[first + i * 32][place], from, there);
    }
}

#endif
