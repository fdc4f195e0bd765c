/*
 * softmax-naive: three passes over a row
 *
 * Idea      softmax turns a row of numbers into shares of 1: exp(x) over the sum of all exp(x). exp(89) is
 *           too large for a float, so the row's largest element m is subtracted first: exp(x - m) is 1 at
 *           most. One pass finds m, one adds up exp(x - m), one writes exp(x - m) over the sum.
 * Since     reduce7 made one number of an array. Here each row has two, its maximum and its sum, and all of its
 *           elements need both.
 * Expect    With a thread per row the lanes of a warp read 32 rows, 32 sectors per request. With a block per
 *           row a request has 4. Each element is loaded three times, and stored once.
 * Source    Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018, algorithm 2.
 */
#include "families/softmax/softmax.h"

static __global__ void softmax_thread(element *out, const element *in, size_t rows, size_t cols)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += stride) {
        const element *x = in + row * cols;
        float max = -INFINITY, sum = 0;

        for (size_t i = 0; i < cols; i++)
            max = fmaxf(max, (float)x[i]);
        for (size_t i = 0; i < cols; i++)
            sum += expf((float)x[i] - max);
        for (size_t i = 0; i < cols; i++)
            out[row * cols + i] = expf((float)x[i] - max) / sum;
    }
}

static __device__ float larger(float a, float b)
{
    return fmaxf(a, b);
}

static __device__ float total(float a, float b)
{
    return a + b;
}

/* All values of a block of whole warps as one, in each of its threads: by shuffles in each warp, then of the warps'.
 * nothing: what changes no value. */
template <float JOIN(float, float)> static __device__ float block_all(float value, float nothing)
{
    __shared__ float of_warp[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (int k = 16; k > 0; k /= 2)
        value = JOIN(value, __shfl_xor_sync(0xffffffff, value, k));
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    value = lane < blockDim.x / 32 ? of_warp[lane] : nothing;
    for (int k = 16; k > 0; k /= 2)
        value = JOIN(value, __shfl_xor_sync(0xffffffff, value, k));
    __syncthreads(); /* before the next row's warps write */
    return value;
}

static __global__ void softmax_block(element *out, const element *in, size_t rows, size_t cols)
{
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const element *x = in + row * cols;
        float max = -INFINITY, sum = 0;

        for (size_t i = threadIdx.x; i < cols; i += blockDim.x)
            max = fmaxf(max, (float)x[i]);
        max = block_all<larger>(max, -INFINITY);
        for (size_t i = threadIdx.x; i < cols; i += blockDim.x)
            sum += expf((float)x[i] - max);
        sum = block_all<total>(sum, 0);
        for (size_t i = threadIdx.x; i < cols; i += blockDim.x)
            out[row * cols + i] = expf((float)x[i] - max) / sum;
    }
}

#define MAX_GRID 0x7fffffff

static void thread(struct work *w)
{
    size_t blocks = (w->rows + w->threads - 1) / w->threads;

    if (blocks > MAX_GRID)
        blocks = MAX_GRID;
    if (w->rows > 0) /* a grid without blocks is an error */
        softmax_thread<<<(unsigned)blocks, w->threads>>>(w->out, w->in, w->rows, w->cols);
}

static void block(struct work *w)
{
    unsigned blocks = w->rows < MAX_GRID ? (unsigned)w->rows : MAX_GRID;

    if (w->rows > 0)
        softmax_block<<<blocks, w->threads>>>(w->out, w->in, w->rows, w->cols);
}

static const struct variant variants[] = {
    {"thread", "a thread per row", thread, ROUNDED, softmax_depth_row},
    {"block", "a block per row", block, WHOLE_WARPS | ROUNDED},
};

STEP("softmax-naive", softmax_family, variants);
