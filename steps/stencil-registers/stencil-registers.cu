/*
 * stencil-registers: several rows per thread
 *
 * Idea      A thread computes ROWS elements of a column, or of four, one below the other. The row that it loads
 *           for one is the row above or below of the next: it stays in registers. All loads are issued before
 *           the first is used.
 * Since     stencil-tiled took one or two loads per thread, then a barrier, behind which nothing was in flight.
 * Expect    ROWS + 2 loads for ROWS rows, no barrier, and more bytes in flight: near the rate of a copy.
 * Source    Kirk and Hwu, on thread coarsening and register tiling of stencils.
 */
#include "families/stencil/stencil.h"

#define ROWS 4 /* of a thread */

/* What a thread has of a row: COLS elements side by side, which one load reads. */
template <int COLS> struct whole {
    typedef element type;
};

template <> struct whole<4> {
    typedef element4 type;
};

template <int COLS> struct alignas(COLS * sizeof(element)) part {
    element x[COLS];
};

/* As stencil-naive's at: 0 outside of the matrix. A part is inside or outside as a whole. */
template <int COLS>
static __device__ part<COLS> part_at(const element *in, size_t rows, size_t cols, size_t row,
                                     size_t col)
{
    part<COLS> part = {};

    if (row < rows && col < cols)
        *(typename whole<COLS>::type *)part.x =
            *(const typename whole<COLS>::type *)(in + row * cols + col);
    return part;
}

template <int COLS>
static __global__ void stencil_rows(element *out, const element *in, size_t rows, size_t cols)
{
    size_t col = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * COLS;
    size_t row = ((size_t)blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    part<COLS> x[ROWS + 2], sum;
    part<1> left[ROWS], right[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS + 2; r++)
        x[r] = part_at<COLS>(in, rows, cols, row + r - 1, col);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        left[r] = part_at<1>(in, rows, cols, row + r, col - 1);
        right[r] = part_at<1>(in, rows, cols, row + r, col + COLS);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int c = 0; c < COLS; c++)
            sum.x[c] = x[r + 1].x[c] + x[r].x[c] + x[r + 2].x[c] +
                       (c > 0 ? x[r + 1].x[c - 1] : left[r].x[0]) +
                       (c < COLS - 1 ? x[r + 1].x[c + 1] : right[r].x[0]);
        if (row + r < rows && col < cols)
            *(typename whole<COLS>::type *)(out + (row + r) * cols + col) =
                *(typename whole<COLS>::type *)sum.x;
    }
}

/* Blocks of 32 x threads / 32, over the matrix in parts of COLS x ROWS elements. */
template <int COLS> static void start(struct work *w)
{
    dim3 block(32, w->threads / 32);
    size_t across = block.x * COLS, down = block.y * ROWS;
    dim3 grid((unsigned)((w->cols + across - 1) / across), (unsigned)((w->rows + down - 1) / down));

    if (w->rows > 0 && w->cols > 0) /* a grid without blocks is an error */
        stencil_rows<COLS><<<grid, block>>>(w->out, w->in, w->rows, w->cols);
}

static void column(struct work *w)
{
    start<1>(w);
}

/* Where all rows begin at multiples of 16 bytes; else a part is one element. */
static void quads(struct work *w)
{
    size_t starts = (size_t)w->in | (size_t)w->out;

    return w->cols % 4 == 0 && starts % sizeof(element4) == 0 ? start<4>(w) : start<1>(w);
}

static const struct variant variants[] = {
    {"column", "a thread has 4 elements of a column", column, WHOLE_WARPS},
    {"quads", "of 4 columns: a load takes 4 elements", quads, WHOLE_WARPS},
};

STEP("stencil-registers", stencil_family, variants);
