/*
 * softmax-online: maximum and sum in one pass
 *
 * Idea      The sum need not wait for the maximum. A thread adds up exp(x - m) with the largest element m
 *           that it has seen so far. When a larger one comes, it multiplies the sum by exp(m - larger), and
 *           goes on. Two parts of a row are joined in the same way.
 * Since     softmax-naive read a row three times: for the maximum, for the sum, for the result.
 * Expect    Two loads per element instead of three, and one round of barriers instead of two. The sums are
 *           rounded more often.
 * Source    Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018, algorithm 3.
 */
#include "families/softmax/softmax.h"

/* What is known of a part of a row: its largest element, and the sum of all exp(x - max). */
struct part {
    float max, sum;
};

/* By what a sum for the maximum `from` is multiplied to be one for `to`. Of no elements, or of
 * -infinity alone, it is 0, where the difference would be NaN. */
static __device__ float factor(float from, float to)
{
    return from == -INFINITY ? 0 : expf(from - to);
}

static __device__ struct part with(struct part p, float x)
{
    float max = fmaxf(p.max, x);

    p.sum = p.sum * factor(p.max, max) + factor(x, max);
    p.max = max;
    return p;
}

static __device__ struct part joined(struct part a, struct part b)
{
    float max = fmaxf(a.max, b.max);

    a.sum = a.sum * factor(a.max, max) + b.sum * factor(b.max, max);
    a.max = max;
    return a;
}

static __device__ struct part warp_all(struct part p)
{
    for (int k = 16; k > 0; k /= 2) {
        struct part other = {__shfl_xor_sync(0xffffffff, p.max, k),
                             __shfl_xor_sync(0xffffffff, p.sum, k)};

        p = joined(p, other);
    }
    return p;
}

/* All parts of a block of whole warps as one, in each of its threads. */
static __device__ struct part block_all(struct part p)
{
    __shared__ struct part of_warp[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    p = warp_all(p);
    if (lane == 0)
        of_warp[warp] = p;
    __syncthreads();
    p.max = lane < blockDim.x / 32 ? of_warp[lane].max : -INFINITY;
    p.sum = lane < blockDim.x / 32 ? of_warp[lane].sum : 0;
    p = warp_all(p);
    __syncthreads(); /* before the next row's warps write */
    return p;
}

static __global__ void softmax_online(element *out, const element *in, size_t rows, size_t cols)
{
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const element *x = in + row * cols;
        struct part p = {-INFINITY, 0};

        for (size_t i = threadIdx.x; i < cols; i += blockDim.x)
            p = with(p, x[i]);
        p = block_all(p);
        for (size_t i = threadIdx.x; i < cols; i += blockDim.x)
            out[row * cols + i] = expf((float)x[i] - p.max) / p.sum;
    }
}

static void online(struct work *w)
{
    unsigned blocks = w->rows < 0x7fffffff ? (unsigned)w->rows : 0x7fffffff;

    if (w->rows > 0) /* a grid without blocks is an error */
        softmax_online<<<blocks, w->threads>>>(w->out, w->in, w->rows, w->cols);
}

static const struct variant variants[] = {
    {"online", "maximum and sum in one pass", online, WHOLE_WARPS | ROUNDED | RESCALES},
};

STEP("softmax-online", softmax_family, variants);
