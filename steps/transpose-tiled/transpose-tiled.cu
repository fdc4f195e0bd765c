/*
 * transpose-tiled: turn a tile in shared memory
 *
 * Idea      A block reads a tile along the rows of the input and writes it along the rows of the
 *           output: both sides of the copy coalesce, and the turn costs only shared memory.
 * Since     transpose-naive scattered one side of the copy over memory.
 * Expect    With conflicts a warp's store to the tile takes 32 wavefronts; rows padded by one word,
 *           or swizzled columns, bring it down to 1. Then the loads that a thread has in flight are
 *           the limit: four-rows has four, and comes nearer to the copy.
 * Source    Parallel algorithms; Ruetsch and Micikevicius, 2009: docs/sources.md.
 */
#include "families/transpose/transpose.h"

#define SIDE 32                /* of a tile */
#define THREADS 256            /* of a block of four-rows */
#define LINES (THREADS / SIDE) /* of a tile that it has a thread for at a time */

/* A block's tile. Blocks stack up along y and, once there are more than y takes, along z. */
static __device__ size_t first_row()
{
    return ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * SIDE;
}

static __device__ size_t first_col()
{
    return (size_t)blockIdx.x * SIDE;
}

/* The tile lies turned in shared memory: x, the lane, counts its rows. With rows of 32 words all
 * lanes store into one bank; with rows of 33 they store into 32. */
__global__ void transpose_tile(float *out, const float *in, size_t rows, size_t cols, unsigned pitch)
{
    extern __shared__ float tile[];
    size_t row = first_row(), col = first_col();
    unsigned x = threadIdx.x;

    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + y < rows && col + x < cols)
            tile[x * pitch + y] = in[(row + y) * cols + col + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + x < rows && col + y < cols)
            out[(col + y) * rows + row + x] = tile[y * pitch + x];
}

/* No word to spare: row y holds column x at x ^ y, so rows and columns both cover all the banks. */
__global__ void transpose_swizzled(float *out, const float *in, size_t rows, size_t cols)
{
    __shared__ float tile[SIDE][SIDE];
    size_t row = first_row(), col = first_col();
    unsigned x = threadIdx.x;

    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + y < rows && col + x < cols)
            tile[y][x ^ y] = in[(row + y) * cols + col + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + x < rows && col + y < cols)
            out[(col + y) * rows + row + x] = tile[x][y ^ x];
}

/* Not a transpose: what the way through the tile costs, with nothing turned. */
__global__ void copy_tile(float *out, const float *in, size_t rows, size_t cols)
{
    __shared__ float tile[SIDE][SIDE];
    size_t row = first_row(), col = first_col();
    unsigned x = threadIdx.x;

    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + y < rows && col + x < cols)
            tile[y][x] = in[(row + y) * cols + col + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + y < rows && col + x < cols)
            out[(row + y) * cols + col + x] = tile[y][x];
}

/* Not a transpose either, and no tile. */
__global__ void copy_plain(float *out, const float *in, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

/* Four rows per thread, and no bounds in the loops' heads that only the launch knows: all four loads are
 * under way before the first is waited for. */
__global__ void __launch_bounds__(THREADS) transpose_rows(float *out, const float *in, size_t rows,
                                                          size_t cols)
{
    __shared__ float tile[SIDE][SIDE + 1];
    size_t row = first_row(), col = first_col();
    unsigned x = threadIdx.x, y = threadIdx.y;
    float v[SIDE / LINES];

#pragma unroll
    for (unsigned j = 0; j < SIDE / LINES; j++) {
        size_t r = row + y + j * LINES;

        v[j] = r < rows && col + x < cols ? in[r * cols + col + x] : 0;
    }
#pragma unroll
    for (unsigned j = 0; j < SIDE / LINES; j++)
        tile[x][y + j * LINES] = v[j];
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < SIDE / LINES; j++) {
        size_t c = col + y + j * LINES;

        if (row + x < rows && c < cols)
            out[c * rows + row + x] = tile[y + j * LINES][x];
    }
}

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* A block a tile; y and z take 65535 blocks each. */
static dim3 grid(const struct work *w)
{
    size_t down = ceiling(w->rows, SIDE), layers = ceiling(down, 65535);

    return dim3((unsigned)ceiling(w->cols, SIDE), (unsigned)ceiling(down, layers), (unsigned)layers);
}

static dim3 block(const struct work *w)
{
    return dim3(SIDE, w->threads / SIDE);
}

static bool empty(const struct work *w) /* a grid cannot be */
{
    return w->rows == 0 || w->cols == 0;
}

static void conflicts(struct work *w)
{
    if (!empty(w))
        transpose_tile<<<grid(w), block(w), SIDE * SIDE * sizeof(float)>>>(w->out, w->in, w->rows,
                                                                          w->cols, SIDE);
}

static void padded(struct work *w)
{
    if (!empty(w))
        transpose_tile<<<grid(w), block(w), SIDE * (SIDE + 1) * sizeof(float)>>>(
            w->out, w->in, w->rows, w->cols, SIDE + 1);
}

static void swizzled(struct work *w)
{
    if (!empty(w))
        transpose_swizzled<<<grid(w), block(w)>>>(w->out, w->in, w->rows, w->cols);
}

static void four_rows(struct work *w)
{
    if (!empty(w))
        transpose_rows<<<grid(w), dim3(SIDE, LINES)>>>(w->out, w->in, w->rows, w->cols);
}

static void through_tile(struct work *w)
{
    if (!empty(w))
        copy_tile<<<grid(w), block(w)>>>(w->out, w->in, w->rows, w->cols);
}

static void plain(struct work *w)
{
    size_t n = w->rows * w->cols;

    if (!empty(w))
        copy_plain<<<(unsigned)ceiling(n, w->threads), w->threads>>>(w->out, w->in, n);
}

static const struct variant variants[] = {
    {"conflicts", "the lanes store into one bank of the tile", conflicts, WHOLE_WARPS},
    {"padded", "a word more a row of the tile: 32 banks", padded, WHOLE_WARPS},
    {"swizzled", "columns exchanged instead: no word more", swizzled, WHOLE_WARPS},
    {"four-rows", "four rows per thread, all loaded before one is stored", four_rows, 0, NULL, NULL,
     NULL, NULL, THREADS},
    {"copy-tile", "a copy through the tile, to compare with", through_tile, WHOLE_WARPS | CEILING},
    {"copy", "a copy without it, to compare with", plain, CEILING},
};

STEP("transpose-tiled", transpose_family, variants);
