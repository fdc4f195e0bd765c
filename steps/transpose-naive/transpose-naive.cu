/*
 * transpose-naive: one side of the copy does not coalesce
 *
 * Idea      A transpose is a copy that reads along rows and writes down columns. With a thread for each
 *           element, the lanes of a warp stand side by side either in the input or in the output.
 * Since     Nothing: the family begins here, on the host and then with a thread for each row.
 * Expect    Scattered, the 32 words of a warp's access lie in 32 sectors instead of 4. Stores suffer
 *           more than loads, though no thread waits for them. Likely the warps of a block find the
 *           rest of a loaded sector in L1. A thread per row has too few threads to fill the device.
 * Source    Parallel algorithms; Ruetsch and Micikevicius, 2009: docs/sources.md.
 */
#include "families/transpose/transpose.h"

static void host(struct work *w)
{
    for (size_t row = 0; row < w->rows; row++)
        for (size_t col = 0; col < w->cols; col++)
            w->host_out[col * w->rows + row] = w->host_in[row * w->cols + col];
}

/* One thread per row of the input: the lanes read down a column and write along a row. */
__global__ void transpose_rows(float *out, const float *in, size_t rows, size_t cols)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows) {
        for (size_t col = 0; col < cols; col++)
            out[col * rows + row] = in[row * cols + col];
    }
}

/* Blocks stack up along y, and along z once there are more than y takes. */
static __device__ size_t first_down(unsigned height)
{
    return ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * height;
}

/* One thread per element. The lanes of a warp read 32 neighbours of a row of the input. */
__global__ void transpose_reading(float *out, const float *in, size_t rows, size_t cols)
{
    size_t col = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t row = first_down(blockDim.y) + threadIdx.y;

    if (row < rows && col < cols)
        out[col * rows + row] = in[row * cols + col];
}

/* The same with the grid laid over the output: the lanes write 32 neighbours of a row of it. */
__global__ void transpose_writing(float *out, const float *in, size_t rows, size_t cols)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t col = first_down(blockDim.y) + threadIdx.y;

    if (row < rows && col < cols)
        out[col * rows + row] = in[row * cols + col];
}

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* Blocks of 32 x height threads over a plane of width x depth; y and z take 65535 blocks each. */
static dim3 grid_over(size_t width, size_t depth, size_t height)
{
    size_t down = ceiling(depth, height), layers = ceiling(down, 65535);

    return dim3((unsigned)ceiling(width, 32), (unsigned)ceiling(down, layers), (unsigned)layers);
}

static void rows(struct work *w)
{
    if (w->rows == 0 || w->cols == 0) /* a grid cannot be empty */
        return;
    transpose_rows<<<(unsigned)ceiling(w->rows, w->threads), w->threads>>>(w->out, w->in, w->rows,
                                                                           w->cols);
}

static void reading(struct work *w)
{
    dim3 block(32, w->threads / 32);

    if (w->rows == 0 || w->cols == 0)
        return;
    transpose_reading<<<grid_over(w->cols, w->rows, block.y), block>>>(w->out, w->in, w->rows,
                                                                       w->cols);
}

static void writing(struct work *w)
{
    dim3 block(32, w->threads / 32);

    if (w->rows == 0 || w->cols == 0)
        return;
    transpose_writing<<<grid_over(w->rows, w->cols, block.y), block>>>(w->out, w->in, w->rows,
                                                                       w->cols);
}

static const struct variant variants[] = {
    {"host", "two loops on the host, one core", host, ON_HOST},
    {"rows", "a thread a row of the input", rows, 0},
    {"reads-coalesced", "a thread an element, lanes along the input", reading, WHOLE_WARPS},
    {"writes-coalesced", "a thread an element, lanes along the output", writing, WHOLE_WARPS},
};

STEP("transpose-naive", transpose_family, variants);
