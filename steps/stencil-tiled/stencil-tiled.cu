/*
 * stencil-tiled: a tile and its halo in shared memory
 *
 * Idea      The threads of a block load what all of them need into shared memory, once: their own
 *           elements, a tile, and around it a halo of one element on each side. After a barrier each
 *           thread finds its neighbours there.
 * Since     stencil-naive loaded each element five times, and left the sharing to the L1 cache.
 * Expect    The sectors of global loads fall to about a third, because a block loads each element of its
 *           tile once; shared loads and a barrier are added.
 * Source    Kirk and Hwu, on tiled convolution and stencils.
 */
#include "families/stencil/stencil.h"

/* stencil-naive's: the element at (row, col), and 0 outside of the matrix. */
static __device__ element at(const element *in, size_t rows, size_t cols, size_t row, size_t col)
{
    return row < rows && col < cols ? in[row * cols + col] : 0;
}

/* From the filled tile: the sum of element i of the tile and its four neighbours. */
static __device__ element sum_of_tile(const element *tile, unsigned i, unsigned pitch)
{
    return tile[i] + tile[i - pitch] + tile[i + pitch] + tile[i - 1] + tile[i + 1];
}

/* Each thread loads its own element; those at the block's edges also the one beside it. */
__global__ void stencil_edges(element *out, const element *in, size_t rows, size_t cols)
{
    extern __shared__ element tile[]; /* blockDim.y + 2 rows of blockDim.x + 2 */
    size_t col = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t row = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    unsigned pitch = blockDim.x + 2, i = (threadIdx.y + 1) * pitch + threadIdx.x + 1;

    tile[i] = at(in, rows, cols, row, col);
    if (threadIdx.y == 0)
        tile[i - pitch] = at(in, rows, cols, row - 1, col);
    if (threadIdx.y == blockDim.y - 1)
        tile[i + pitch] = at(in, rows, cols, row + 1, col);
    if (threadIdx.x == 0)
        tile[i - 1] = at(in, rows, cols, row, col - 1);
    if (threadIdx.x == blockDim.x - 1)
        tile[i + 1] = at(in, rows, cols, row, col + 1);
    __syncthreads();
    if (row < rows && col < cols)
        out[row * cols + col] = sum_of_tile(tile, i, pitch);
}

/* The threads fill tile and halo together, one element after the other, wherever it lies. */
__global__ void stencil_loop(element *out, const element *in, size_t rows, size_t cols)
{
    extern __shared__ element tile[];
    size_t left = (size_t)blockIdx.x * blockDim.x, col = left + threadIdx.x;
    size_t top = (size_t)blockIdx.y * blockDim.y, row = top + threadIdx.y;
    unsigned pitch = blockDim.x + 2, thread = threadIdx.y * blockDim.x + threadIdx.x;

    for (unsigned i = thread; i < pitch * (blockDim.y + 2); i += blockDim.x * blockDim.y)
        tile[i] = at(in, rows, cols, top + i / pitch - 1, left + i % pitch - 1);
    __syncthreads();
    if (row < rows && col < cols)
        out[row * cols + col] =
            sum_of_tile(tile, (threadIdx.y + 1) * pitch + threadIdx.x + 1, pitch);
}

static dim3 grid_over(size_t width, size_t height, dim3 block)
{
    return dim3((unsigned)((width + block.x - 1) / block.x),
                (unsigned)((height + block.y - 1) / block.y));
}

static size_t tile_bytes(dim3 block)
{
    return (block.x + 2) * (block.y + 2) * sizeof(element);
}

static void edges(struct work *w)
{
    dim3 block(32, w->threads / 32);

    if (w->rows > 0 && w->cols > 0) /* a grid without blocks is an error */
        stencil_edges<<<grid_over(w->cols, w->rows, block), block, tile_bytes(block)>>>(
            w->out, w->in, w->rows, w->cols);
}

static void loop(struct work *w)
{
    dim3 block(32, w->threads / 32);

    if (w->rows > 0 && w->cols > 0)
        stencil_loop<<<grid_over(w->cols, w->rows, block), block, tile_bytes(block)>>>(
            w->out, w->in, w->rows, w->cols);
}

static const struct variant variants[] = {
    {"edges", "threads at the block's edges load the halo beside them", edges, WHOLE_WARPS},
    {"loop", "all threads fill tile and halo in turn", loop, WHOLE_WARPS},
};

STEP("stencil-tiled", stencil_family, variants);
