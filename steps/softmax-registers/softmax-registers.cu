/*
 * softmax-registers: a row is read once
 *
 * Idea      A row waits in registers while its maximum and its sum are found. Each thread loads its part, up
 *           to 32 elements, before it looks at any. A short row has some lanes of a warp, which need no
 *           barrier. A long one has a block, whose threads' maxima and sums are joined as softmax-online joins
 *           them.
 * Since     softmax-online read each row twice.
 * Expect    One load per element, of 16 bytes where rows begin at multiples of 16 bytes: near the rate of a
 *           copy, as long as a row fits. What does not fit is read three times.
 * Source    Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; reduce-float4 on bytes
 *           in flight.
 */
#include "families/softmax/row.h"

/* All parts of a block of whole warps as one, in each of its threads. */
static __device__ struct part block_all(struct part p)
{
    __shared__ struct part of_warp[32];

    p = warp_all(p);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = p;
    __syncthreads();
    p = all_of(of_warp, blockDim.x / 32);
    __syncthreads(); /* before the next row's warps write */
    return p;
}

/* A row, in elements from the arrays' begin: its vectors, or none where no row is left. */
struct line {
    size_t first, length;
};

static __device__ __forceinline__ struct line line_of(size_t row, size_t rows, size_t cols,
                                                      int vector)
{
    bool there = row < rows;

    return {there ? row * cols : 0, there ? cols / vector : 0};
}

/* A row that is loaded, by `threads` threads, of which this is number t: all of a block, or lanes of a warp. */
template <int COLS, int HELD, bool BLOCK>
static __device__ __forceinline__ void softmax_row(vector<COLS> *out, float (&held)[HELD][COLS],
                                                   float max, const vector<COLS> *in, size_t length,
                                                   unsigned t, unsigned threads)
{
    struct part own = {BLOCK ? max : lanes_max(max, threads), 0},
                row; /* lanes have the row's maximum before they sum */
    float base = own.max == -INFINITY ? 0 : own.max; /* -infinity minus itself would be NaN */

    own.sum = sum_row(held, in, length, t, threads, base);
    row = BLOCK ? block_all(own) : part{own.max, lanes_sum(own.sum, threads)};
    store_row(out, held, in, length, t, threads, base, factor(own.max, row.max) / row.sum);
}

/* So many threads per row, ROWS rows of theirs at once: all are loaded before the first is looked at. All lanes of a
 * warp go around as often, because the shuffles take all of them: where no row is left, they have one without
 * elements. */
template <int COLS, int HELD, int ROWS, bool BLOCK> static __global__ void __launch_bounds__(1024)
softmax_registers(element *out, const element *in, size_t rows, size_t cols, unsigned threads)
{
    unsigned of_block = blockDim.x / threads, own = threadIdx.x / threads,
             t = threadIdx.x % threads;
    size_t stride = (size_t)gridDim.x * of_block * ROWS;
    float held[ROWS][HELD][COLS], max[ROWS];
    struct line line[ROWS];

    for (size_t row = (size_t)blockIdx.x * of_block * ROWS; row < rows; row += stride) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            line[r] = line_of(row + own + r * of_block, rows, cols, COLS);
            max[r] = load_row(held[r], (const vector<COLS> *)(in + line[r].first), line[r].length,
                              t, threads);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            softmax_row<COLS, HELD, BLOCK>((vector<COLS> *)(out + line[r].first), held[r], max[r],
                                           (const vector<COLS> *)(in + line[r].first),
                                           line[r].length, t, threads);
        }
    }
}

/* A kernel, and how many rows it takes at once. */
struct form {
    void (*kernel)(element *, const element *, size_t, size_t, unsigned);
    int rows;
};

/* Vectors of 16 bytes, where all rows begin at multiples of that; else of one element. As many of them in registers as
 * are needed: 32 elements at most, 16 where each is loaded alone. Lanes of a warp that have two vectors of a row have
 * two rows at once. */
template <bool BLOCK> static struct form form_of(const struct work *w, unsigned threads)
{
    size_t starts = (size_t)w->in | (size_t)w->out, each = (w->cols + threads - 1) / threads;

    if (w->cols % WIDE != 0 || starts % (WIDE * sizeof(element)) != 0)
        return {each <= 8 ? softmax_registers<1, 8, 1, BLOCK> : softmax_registers<1, 16, 1, BLOCK>,
                1};
    if (!BLOCK && each <= 2 * WIDE)
        return {softmax_registers<WIDE, 2, 2, BLOCK>, 2};
    return {each <= 16 ? softmax_registers<WIDE, 16 / WIDE, 1, BLOCK>
                       : softmax_registers<WIDE, 32 / WIDE, 1, BLOCK>,
            1};
}

template <bool BLOCK> static void start(struct work *w, unsigned threads)
{
    struct form form = form_of<BLOCK>(w, threads);
    size_t at_once = (size_t)w->threads / threads * form.rows,
           blocks = (w->rows + at_once - 1) / at_once;

    if (blocks > 0x7fffffff)
        blocks = 0x7fffffff;
    if (w->rows > 0) /* a grid without blocks is an error */
        form.kernel<<<(unsigned)blocks, w->threads>>>(w->out, w->in, w->rows, w->cols, threads);
}

/* Lanes for a row: two vectors in each, where that is not more than a warp. */
static void warp(struct work *w)
{
    unsigned lanes = 1;

    while (lanes < 32 && lanes * 2 * WIDE < w->cols)
        lanes *= 2;
    start<false>(w, lanes);
}

static void block(struct work *w)
{
    start<true>(w, w->threads);
}

static const struct variant variants[] = {
    {"warp", "lanes of a warp for a row, which need no barrier", warp, WHOLE_WARPS | ROUNDED,
     softmax_depth_warp},
    {"block", "a block per row, of as many threads as the row takes", block,
     WHOLE_WARPS | ROUNDED | RESCALES, 0, 0, softmax_shape_registers},
};

STEP("softmax-registers", softmax_family, variants);
