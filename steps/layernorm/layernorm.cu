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
#include "families/layernorm/row.h"

/* A row, in elements from the arrays' begin: its vectors, or none where no row is left. */
struct line {
    size_t first, length;
};

static __device__ __forceinline__ struct line line_of(const struct work &w, size_t row, int cols)
{
    bool there = row < w.rows;

    return {there ? row * w.cols : 0, there ? w.cols / cols : 0};
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

/* So many threads per row, ROWS rows of theirs at once: all are loaded before the first is looked at. All lanes of a
 * warp go around as often, because the shuffles take all of them: where no row is left, they have one without
 * elements. WHOLE: registers hold a row. RESIDENT: a thread has so few of them that a multiprocessor holds so
 * many blocks of LAYERNORM_SMALL threads; 1: a block may have 1024 threads. */
template <int COLS, int HELD, int ROWS, bool BLOCK, bool WORDS, bool WHOLE, int RESIDENT>
static __global__ void __launch_bounds__(RESIDENT > 1 ? LAYERNORM_SMALL : 1024, RESIDENT)
layernorm(struct work w, unsigned threads)
{
    unsigned of_block = blockDim.x / threads, own = threadIdx.x / threads,
             t = threadIdx.x % threads;
    size_t stride = (size_t)gridDim.x * of_block * ROWS;
    vector<COLS> held[ROWS][HELD];
    struct line line[ROWS];

    for (size_t row = (size_t)blockIdx.x * of_block * ROWS; row < w.rows; row += stride) {
        if (NARROW)
            forget(&t);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            line[r] = line_of(w, row + own + r * of_block, COLS);
            load(held[r], (const vector<COLS> *)(w.in + line[r].first), line[r].length, t, threads);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const vector<COLS> *in = (const vector<COLS> *)(w.in + line[r].first);
            float mean, scale;

            mean = total<BLOCK>(sum_of<WHOLE>(held[r], in, line[r].length, t, threads), threads) /
                   w.cols;
            keep_packed(held[r]);
            scale = total<BLOCK>(squares_of<WHOLE>(held[r], in, line[r].length, t, threads, mean),
                                 threads);
            keep_packed(held[r]);
            scale = 1 / sqrtf(scale / w.cols + LAYERNORM_EPSILON);
            store_row<WORDS, WHOLE>(w.out + line[r].first, held[r], in, w, line[r].length, t,
                                    threads, mean, scale);
        }
    }
}

/* A kernel, and how many rows it takes at once. */
struct form {
    void (*kernel)(struct work, unsigned);
    int rows;
};

/* Vectors of 16 bytes, where all arrays' rows begin at multiples of that; else of one element. As many of them in
 * registers as are needed: 8 at most, which are 32 elements of f32 or 64 narrow ones, and 16 where each element is
 * loaded alone. Lanes of a warp that have two vectors of a row have two rows at once. Of floats no form of 8 vectors is
 * WHOLE: nvcc keeps fewer of them in registers then. */
template <bool BLOCK, bool WORDS> static struct form form_of(const struct work *w, unsigned threads)
{
    size_t starts = (size_t)w->in | (size_t)w->out | (size_t)w->weight | (size_t)w->bias;
    size_t each = (w->cols + threads - 1) / threads;
    const int rows = BLOCK ? 1 : 2;

    if (w->cols % WIDE != 0 || starts % (WIDE * sizeof(element)) != 0)
        return {each <= 8 ? layernorm<1, 8, 1, BLOCK, WORDS, true, 1>
                          : layernorm<1, 16, 1, BLOCK, WORDS, false, 1>,
                1};
    if constexpr (NARROW) {
        if (w->threads <= LAYERNORM_SMALL && each <= 2 * WIDE)
            return {layernorm<WIDE, 2, rows, BLOCK, WORDS, true, 5>, rows};
        if (w->threads <= LAYERNORM_SMALL && each <= 8 * WIDE)
            return {each <= 4 * WIDE ? layernorm<WIDE, 4, 1, BLOCK, WORDS, true, 5>
                                     : layernorm<WIDE, 8, 1, BLOCK, WORDS, true, 3>,
                    1};
    }
    if (each <= 2 * WIDE)
        return {layernorm<WIDE, 2, rows, BLOCK, WORDS, true, 1>, rows};
    return {each <= 32 ? layernorm<WIDE, 32 / WIDE, 1, BLOCK, WORDS, NARROW, 1>
                       : layernorm<WIDE, 8, 1, BLOCK, WORDS, false, 1>,
            1};
}

template <bool BLOCK, bool WORDS> static void start(struct work *w, unsigned threads)
{
    struct form form = form_of<BLOCK, WORDS>(w, threads);
    size_t at_once = (size_t)w->threads / threads * form.rows,
           blocks = (w->rows + at_once - 1) / at_once;

    if (blocks > 0x7fffffff)
        blocks = 0x7fffffff;
    if (w->rows > 0) /* a grid without blocks is an error */
        form.kernel<<<(unsigned)blocks, w->threads>>>(*w, threads);
}

/* Lanes for a row: two vectors in each, where that is not more than a warp; of narrow elements four, where that is not
 * less than four lanes. */
static void warp(struct work *w)
{
    size_t each = NARROW && w->cols >= 4 * 4 * WIDE ? 4 : 2;
    unsigned lanes = 1;

    while (lanes < 32 && lanes * each * WIDE < w->cols)
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
