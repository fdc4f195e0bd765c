/*
 * layernorm: what all rows share stays in registers, too
 *
 * Idea      A row is shifted and scaled so that its mean is 0 and its variance 1; then each column has a
 *           weight and a bias. The row waits in registers, so it can be looked at twice, for the mean and then
 *           for the variance. The weights and biases are the same for all rows: a block stays for many rows,
 *           and loads them once.
 * Since     softmax-registers kept a row in registers, and a block had one row.
 * Expect    One load and one store per element. Without the second half of the idea, each row loads weights and
 *           biases again, two more loads per element, which the caches answer.
 * Source    Ba, Kiros and Hinton, "Layer Normalization", 2016; softmax-registers.
 */
#include "families/layernorm/layernorm.h"

#include "harness/kit/device.h"

#define MAX_GRID 0x7fffffff

/* COLS elements side by side, and the type that one load reads, or one store writes. */
template <int COLS> struct whole {
    typedef element type;
};

template <> struct whole<4> {
    typedef element4 type;
};

template <int COLS> struct vector {
    alignas(COLS * sizeof(element)) element x[COLS];
};

template <int COLS> static __device__ void copy(vector<COLS> *to, const vector<COLS> *from)
{
    *(typename whole<COLS>::type *)to->x = *(const typename whole<COLS>::type *)from->x;
}

/* The thread's part of a row or of what all rows share: vectors t, t + threads, ... of `length`. Of a row longer than
 * what registers hold the rest is loaded again each time. */
template <int COLS, int HELD>
static __device__ __forceinline__ void load(vector<COLS> (&held)[HELD], const element *from,
                                            size_t length, unsigned t, unsigned threads)
{
#pragma unroll
    for (int i = 0; i < HELD; i++) {
#pragma unroll
        for (int c = 0; c < COLS; c++)
            held[i].x[c] = 0;
        if (t + i * threads < length)
            copy(&held[i], &((const vector<COLS> *)from)[t + i * threads]);
    }
}

/* The sum of the thread's elements. */
template <int COLS, int HELD>
static __device__ __forceinline__ element sum_of(const vector<COLS> (&held)[HELD],
                                                 const element *row, size_t length, unsigned t,
                                                 unsigned threads)
{
    vector<COLS> v;
    element sum = 0;

#pragma unroll
    for (int i = 0; i < HELD; i++)
#pragma unroll
        for (int c = 0; c < COLS; c++)
            sum += held[i].x[c];
#pragma unroll 1
    for (size_t at = t + (size_t)HELD * threads; at < length; at += threads) {
        copy(&v, &((const vector<COLS> *)row)[at]);
        for (int c = 0; c < COLS; c++)
            sum += v.x[c];
    }
    return sum;
}

/* The sum of the squares of their differences from the mean, which those in registers become. */
template <int COLS, int HELD>
static __device__ __forceinline__ element squares_of(vector<COLS> (&held)[HELD], const element *row,
                                                     size_t length, unsigned t, unsigned threads,
                                                     element mean)
{
    vector<COLS> v;
    element sum = 0;

#pragma unroll
    for (int i = 0; i < HELD; i++)
        if (t + i * threads < length)
            for (int c = 0; c < COLS; c++) {
                held[i].x[c] -= mean;
                sum += held[i].x[c] * held[i].x[c];
            }
#pragma unroll 1
    for (size_t at = t + (size_t)HELD * threads; at < length; at += threads) {
        copy(&v, &((const vector<COLS> *)row)[at]);
        for (int c = 0; c < COLS; c++)
            sum += (v.x[c] - mean) * (v.x[c] - mean);
    }
    return sum;
}

/* All threads' values of a row as one, in each of them: so many lanes of a warp that lie together, or a block. */
template <bool BLOCK> static __device__ element total(element value, unsigned threads)
{
    __shared__ element of_warp[32];

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

/* A vector of a row, of which the mean is off already, with its weights and biases. */
template <int COLS>
static __device__ vector<COLS> finished(vector<COLS> v, element scale, const vector<COLS> &weight,
                                        const vector<COLS> &bias)
{
    for (int c = 0; c < COLS; c++)
        v.x[c] = v.x[c] * scale * weight.x[c] + bias.x[c];
    return v;
}

/* Store the thread's part of a row. weight, bias: those of the vectors in registers, if STAYS; else they are loaded. */
template <bool STAYS, int COLS, int HELD>
static __device__ __forceinline__ void
store(element *to, const element *from, const vector<COLS> (&held)[HELD],
      const vector<COLS> (&weight)[HELD], const vector<COLS> (&bias)[HELD], const struct work &w,
      size_t length, unsigned t, unsigned threads, element mean, element scale)
{
    const vector<COLS> *weights = (const vector<COLS> *)w.weight,
                       *biases = (const vector<COLS> *)w.bias;
    vector<COLS> v, own, other;

#pragma unroll
    for (int i = 0; i < HELD; i++) {
        unsigned at = t + i * threads;

        if (!STAYS && at < length) {
            copy(&own, &weights[at]);
            copy(&other, &biases[at]);
        }
        if (at < length) {
            v = STAYS ? finished(held[i], scale, weight[i], bias[i])
                      : finished(held[i], scale, own, other);
            copy(&((vector<COLS> *)to)[at], &v);
        }
    }
#pragma unroll 1
    for (size_t at = t + (size_t)HELD * threads; at < length; at += threads) {
        copy(&v, &((const vector<COLS> *)from)[at]);
        copy(&own, &weights[at]);
        copy(&other, &biases[at]);
        for (int c = 0; c < COLS; c++)
            v.x[c] -= mean;
        v = finished(v, scale, own, other);
        copy(&((vector<COLS> *)to)[at], &v);
    }
}

/* So many threads per row. All lanes of a warp go around as often, because the shuffles take all of them: where no row
 * is left, they have one without elements. */
template <int COLS, int HELD, bool BLOCK, bool STAYS, int THREADS>
static __global__ void __launch_bounds__(THREADS)
layernorm(struct work w, unsigned threads)
{
    unsigned of_block = blockDim.x / threads, own = threadIdx.x / threads,
             t = threadIdx.x % threads;
    vector<COLS> weight[HELD], bias[HELD], held[HELD];

    if (STAYS) {
        load(weight, w.weight, w.cols / COLS, t, threads);
        load(bias, w.bias, w.cols / COLS, t, threads);
    }
    for (size_t row = (size_t)blockIdx.x * of_block; row < w.rows;
         row += (size_t)gridDim.x * of_block) {
        bool there = row + own < w.rows;
        size_t first = there ? (row + own) * w.cols : 0, length = there ? w.cols / COLS : 0;
        element mean, scale;

        load(held, w.in + first, length, t, threads);
        mean = total<BLOCK>(sum_of(held, w.in + first, length, t, threads), threads) / w.cols;
        scale = total<BLOCK>(squares_of(held, w.in + first, length, t, threads, mean), threads);
        scale = 1 / sqrtf(scale / w.cols + LAYERNORM_EPSILON);
        store<STAYS>(w.out + first, w.in + first, held, weight, bias, w, length, t, threads, mean,
                     scale);
    }
}

typedef void kernel(struct work, unsigned);

/* Blocks of up to so many threads. Vectors of 16 bytes, where all arrays' rows begin at multiples of that; else of one
 * element. As many of them in registers as a thread of such a block has place for. */
template <bool BLOCK, bool STAYS, int THREADS>
static void start(struct work *w, unsigned threads, size_t most)
{
    enum { HELD = STAYS && THREADS > 512 ? 4 : 8 };
    size_t starts = (size_t)w->in | (size_t)w->out | (size_t)w->weight | (size_t)w->bias;
    size_t of_block = w->threads / threads, blocks = (w->rows + of_block - 1) / of_block;
    bool quads = w->cols % 4 == 0 && starts % (4 * sizeof(element)) == 0;
    kernel *few =
        quads ? layernorm<4, 2, BLOCK, STAYS, THREADS> : layernorm<1, 8, BLOCK, STAYS, THREADS>;
    kernel *many =
        quads ? layernorm<4, HELD, BLOCK, STAYS, THREADS> : layernorm<1, 16, BLOCK, STAYS, THREADS>;

    if (blocks > most)
        blocks = most;
    if (w->rows > 0) /* a grid without blocks is an error */
        (w->cols <= 8 * (size_t)threads ? few : many)<<<(unsigned)blocks, w->threads>>>(*w,
                                                                                        threads);
}

/* As many blocks as the device has place for: each has the weights and biases once. */
template <bool BLOCK> static void start_few(struct work *w, unsigned threads)
{
    size_t blocks = (size_t)device_full_grid(w->threads);

    w->threads > 512 ? start<BLOCK, true, 1024>(w, threads, blocks)
                     : start<BLOCK, true, 512>(w, threads, blocks);
}

/* Lanes for a row: 8 elements in each, where that is not more than a warp. */
static void warp(struct work *w)
{
    unsigned lanes = 1;

    while (lanes < 32 && lanes * 8 < w->cols)
        lanes *= 2;
    start_few<false>(w, lanes);
}

static void block(struct work *w)
{
    start<true, false, 1024>(w, w->threads, MAX_GRID);
}

static void stays(struct work *w)
{
    start_few<true>(w, w->threads);
}

static const struct variant variants[] = {
    {"warp", "lanes of a warp for a row; weights and biases stay", warp, WHOLE_WARPS | ROUNDED},
    {"block", "a block per row", block, WHOLE_WARPS | ROUNDED,
     .default_shape = layernorm_shape_block},
    {"stays", "a block stays for many rows, with weights and biases in registers", stays,
     WHOLE_WARPS | ROUNDED, .default_shape = layernorm_shape_stays},
};

STEP("layernorm", layernorm_family, variants);
