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

/* The largest value of so many lanes that lie together, a power of two, and the sum of theirs. */
static __device__ float lanes_max(float value, unsigned lanes)
{
    for (unsigned k = lanes / 2; k > 0; k /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, k));
    return value;
}

static __device__ float lanes_sum(float value, unsigned lanes)
{
    for (unsigned k = lanes / 2; k > 0; k /= 2)
        value += __shfl_xor_sync(0xffffffff, value, k);
    return value;
}

/* A row, by `threads` threads, of which this is number t: all of a block, or lanes of a warp. */
template <int COLS, int HELD, bool BLOCK>
static __device__ void softmax_row(vector<COLS> *out, const vector<COLS> *in, size_t length,
                                   unsigned t, unsigned threads)
{
    float held[HELD][COLS];
    struct part own = {load_row(held, in, length, t, threads), 0}, row;
    float base;

    if (!BLOCK) /* all lanes have the row's maximum before they sum */
        own.max = lanes_max(own.max, threads);
    base = own.max == -INFINITY ? 0 : own.max; /* -infinity minus itself would be NaN */
    own.sum = sum_row(held, in, length, t, threads, base);
    row = BLOCK ? block_all(own) : part{own.max, lanes_sum(own.sum, threads)};
    store_row(out, held, in, length, t, threads, base, factor(own.max, row.max) / row.sum);
}

/* So many threads per row. All lanes of a warp go around as often, because the shuffles take all of them: where no row
 * is left, they have one without elements. */
template <int COLS, int HELD, bool BLOCK> static __global__ void __launch_bounds__(1024)
softmax_registers(element *out, const element *in, size_t rows, size_t cols, unsigned threads)
{
    unsigned of_block = blockDim.x / threads, own = threadIdx.x / threads;

    for (size_t row = (size_t)blockIdx.x * of_block; row < rows;
         row += (size_t)gridDim.x * of_block) {
        bool there = row + own < rows;
        size_t first = there ? (row + own) * cols : 0;

        softmax_row<COLS, HELD, BLOCK>((vector<COLS> *)(out + first),
                                       (const vector<COLS> *)(in + first), there ? cols / COLS : 0,
                                       threadIdx.x % threads, threads);
    }
}

typedef void kernel(element *, const element *, size_t, size_t, unsigned);

/* Vectors of 16 bytes, where all rows begin at multiples of that; else of one element. As many of them in registers as
 * are needed: 32 elements at most, 16 where each is loaded alone. */
template <bool BLOCK> static void start(struct work *w, unsigned threads)
{
    size_t starts = (size_t)w->in | (size_t)w->out;
    size_t of_block = w->threads / threads, blocks = (w->rows + of_block - 1) / of_block;
    bool wide = w->cols % WIDE == 0 && starts % (WIDE * sizeof(element)) == 0;
    kernel *few = wide ? softmax_registers<WIDE, 8 / WIDE, BLOCK> : softmax_registers<1, 8, BLOCK>;
    kernel *many =
        wide ? softmax_registers<WIDE, 32 / WIDE, BLOCK> : softmax_registers<1, 16, BLOCK>;

    if (blocks > 0x7fffffff)
        blocks = 0x7fffffff;
    if (w->rows > 0) /* a grid without blocks is an error */
        (w->cols <= 8 * (size_t)threads ? few : many)<<<(unsigned)blocks, w->threads>>>(
            w->out, w->in, w->rows, w->cols, threads);
}

/* Lanes for a row: 8 elements in each, where that is not more than a warp. */
static void warp(struct work *w)
{
    unsigned lanes = 1;

    while (lanes < 32 && lanes * 8 < w->cols)
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
