/*
 * layernorm: two looks at a row in registers
 *
 * Idea      A row is shifted and scaled so that its mean is 0 and its variance 1; then each column has a
 *           weight and a bias. The variance needs the mean first. The row waits in registers, so the second
 *           look at it costs no load.
 * Since     softmax-registers kept a row in registers for its maximum and its sum. Here all rows share
 *           weights and biases, which each row loads again, out of a cache.
 * Expect    One load and one store per element of the row, and one of 16 bytes per four weights and four
 *           biases. With a load per weight and bias there are four times as many of these.
 * Source    Ba, Kiros and Hinton, "Layer Normalization", 2016; softmax-registers.
 */
#include "families/layernorm/layernorm.h"

#include "harness/kit/wide.h"

/* The thread's part of a row: vectors t, t + threads, ... of `length`. Of a row longer than what registers hold the
 * rest is loaded again each time. */
template <int COLS, int HELD>
static __device__ __forceinline__ void load(vector<COLS> (&held)[HELD], const vector<COLS> *from,
                                            size_t length, unsigned t, unsigned threads)
{
#pragma unroll
    for (int i = 0; i < HELD; i++) {
#pragma unroll
        for (int c = 0; c < COLS; c++)
            held[i].x[c] = 0.0f;
        if (t + i * threads < length)
            copy(&held[i], &from[t + i * threads]);
    }
}

/* The sum of the thread's elements. */
template <int COLS, int HELD>
static __device__ __forceinline__ float sum_of(const vector<COLS> (&held)[HELD],
                                               const vector<COLS> *row, size_t length, unsigned t,
                                               unsigned threads)
{
    vector<COLS> v;
    float sum = 0;

#pragma unroll
    for (int i = 0; i < HELD; i++)
#pragma unroll
        for (int c = 0; c < COLS; c++)
            sum += (float)held[i].x[c];
#pragma unroll 1
    for (size_t at = t + (size_t)HELD * threads; at < length; at += threads) {
        copy(&v, &row[at]);
        for (int c = 0; c < COLS; c++)
            sum += (float)v.x[c];
    }
    return sum;
}

/* From here on nvcc cannot know what is in the registers. Else it would keep each narrow element as the float that it
 * has made of it, in a register of its own, and not two in one as they were loaded. */
template <int COLS, int HELD>
static __device__ __forceinline__ void keep_packed(vector<COLS> (&held)[HELD])
{
#pragma unroll
    for (int i = 0; i < HELD; i++)
#pragma unroll
        for (int pair = 0; sizeof(element) == 2 && pair < COLS / 2; pair++)
            asm volatile("mov.b32 %0, %0;" : "+r"(((unsigned *)held[i].x)[pair]));
}

/* The sum of the squares of their differences from the mean. */
template <int COLS, int HELD>
static __device__ __forceinline__ float squares_of(const vector<COLS> (&held)[HELD],
                                                   const vector<COLS> *row, size_t length,
                                                   unsigned t, unsigned threads, float mean)
{
    vector<COLS> v;
    float sum = 0;

#pragma unroll
    for (int i = 0; i < HELD; i++)
        if (t + i * threads < length)
            for (int c = 0; c < COLS; c++) {
                float d = (float)held[i].x[c] - mean;

                sum += d * d;
            }
#pragma unroll 1
    for (size_t at = t + (size_t)HELD * threads; at < length; at += threads) {
        copy(&v, &row[at]);
        for (int c = 0; c < COLS; c++) {
            float d = (float)v.x[c] - mean;

            sum += d * d;
        }
    }
    return sum;
}

/* All threads' values of a row as one, in each of them: so many lanes of a warp that lie together, or a block. */
template <bool BLOCK> static __device__ float total(float value, unsigned threads)
{
    __shared__ float of_warp[32];

    for (unsigned k = (BLOCK ? 32 : threads) / 2; k > 0; k /= 2)
        value += __shfl_xor_sync(0xffffffff, value, k);
    if (!BLOCK)
        return value;
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x % 32 < blockDim.x / 32 ? of_warp[threadIdx.x % 32] : 0;
    for (unsigned k = 16; k > 0; k /= 2)
        value += __shfl_xor_sync(0xffffffff, value, k);
    __syncthreads(); /* before the warps write again */
    return value;
}

/* By one load, or with WORDS by one for each element. */
template <bool WORDS, int COLS>
static __device__ __forceinline__ void fetch(vector<COLS> *to, const vector<COLS> *from)
{
    if (!WORDS)
        copy(to, from);
    for (int c = 0; WORDS && c < COLS; c++)
        to->x[c] = from->x[c];
}

/* Store vector number `at` of a row. */
template <bool WORDS, int COLS>
static __device__ __forceinline__ void store(element *to, vector<COLS> v, const struct work &w,
                                             size_t at, float mean, float scale)
{
    vector<COLS> weight, bias;

    fetch<WORDS>(&weight, &((const vector<COLS> *)w.weight)[at]);
    fetch<WORDS>(&bias, &((const vector<COLS> *)w.bias)[at]);
    for (int c = 0; c < COLS; c++)
        v.x[c] = ((float)v.x[c] - mean) * scale * (float)weight.x[c] + (float)bias.x[c];
    copy(&((vector<COLS> *)to)[at], &v);
}

/* So many threads per row. All lanes of a warp go around as often, because the shuffles take all of them: where no row
 * is left, they have one without elements. */
template <int COLS, int HELD, bool BLOCK, bool WORDS> static __global__ void __launch_bounds__(1024)
layernorm(struct work w, unsigned threads)
{
    unsigned of_block = blockDim.x / threads, own = threadIdx.x / threads,
             t = threadIdx.x % threads;
    vector<COLS> held[HELD];

    for (size_t row = (size_t)blockIdx.x * of_block; row < w.rows;
         row += (size_t)gridDim.x * of_block) {
        bool there = row + own < w.rows;
        size_t first = there ? (row + own) * w.cols : 0, length = there ? w.cols / COLS : 0;
        const vector<COLS> *in = (const vector<COLS> *)(w.in + first);
        float mean, scale;

        load(held, in, length, t, threads);
        mean = total<BLOCK>(sum_of(held, in, length, t, threads), threads) / w.cols;
        keep_packed(held);
        scale = total<BLOCK>(squares_of(held, in, length, t, threads, mean), threads);
        keep_packed(held);
        scale = 1 / sqrtf(scale / w.cols + LAYERNORM_EPSILON);
#pragma unroll
        for (int i = 0; i < HELD; i++)
            if (t + i * threads < length)
                store<WORDS>(w.out + first, held[i], w, t + i * threads, mean, scale);
#pragma unroll 1
        for (size_t at = t + (size_t)HELD * threads; at < length; at += threads) {
            vector<COLS> v;

            copy(&v, &in[at]);
            store<WORDS>(w.out + first, v, w, at, mean, scale);
        }
    }
}

typedef void kernel(struct work, unsigned);

/* Vectors of 16 bytes, where all arrays' rows begin at multiples of that; else of one element. As many of them in
 * registers as are needed: 8 at most, which are 32 elements of f32 or 64 narrow ones; and 16 where each element is
 * loaded alone. */
template <bool BLOCK, bool WORDS> static void start(struct work *w, unsigned threads)
{
    size_t starts = (size_t)w->in | (size_t)w->out | (size_t)w->weight | (size_t)w->bias;
    size_t of_block = w->threads / threads, blocks = (w->rows + of_block - 1) / of_block;
    size_t each = (w->cols + threads - 1) / threads;
    bool wide = w->cols % WIDE == 0 && starts % (WIDE * sizeof(element)) == 0;
    kernel *few = wide ? layernorm<WIDE, 8 / WIDE, BLOCK, WORDS> : layernorm<1, 8, BLOCK, WORDS>;
    kernel *many = wide ? layernorm<WIDE, 32 / WIDE, BLOCK, WORDS> : layernorm<1, 16, BLOCK, WORDS>;
    kernel *most = wide ? layernorm<WIDE, 8, BLOCK, WORDS> : layernorm<1, 16, BLOCK, WORDS>;

    if (blocks > 0x7fffffff)
        blocks = 0x7fffffff;
    if (w->rows > 0) /* a grid without blocks is an error */
        (each <= 8 ? few : each <= 32 ? many : most)<<<(unsigned)blocks, w->threads>>>(*w, threads);
}

/* Lanes for a row: 8 elements in each, where that is not more than a warp. */
static void warp(struct work *w)
{
    unsigned lanes = 1;

    while (lanes < 32 && lanes * 8 < w->cols)
        lanes *= 2;
    start<false, false>(w, lanes);
}

static void words(struct work *w)
{
    start<true, true>(w, w->threads);
}

static void block(struct work *w)
{
    start<true, false>(w, w->threads);
}

static const struct variant variants[] = {
    {"warp", "lanes of a warp for a row, which need no barrier", warp, WHOLE_WARPS | ROUNDED},
    {"words", "a block per row; a load for each weight and each bias", words, WHOLE_WARPS | ROUNDED,
     .default_shape = layernorm_shape_block},
    {"block", "a block per row; a load for 16 bytes of weights, and of biases", block,
     WHOLE_WARPS | ROUNDED, .default_shape = layernorm_shape_block},
};

STEP("layernorm", layernorm_family, variants);
