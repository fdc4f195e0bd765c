/*
 * softmax-registers: a row is read once
 *
 * Idea      A row waits in registers while its maximum and its sum are found. Each thread loads its part, up
 *           to 32 elements, before it looks at any. A short row has some lanes of a warp, which need no
 *           barrier; a long one a block.
 * Since     softmax-online read each row twice.
 * Expect    One load per element, of 16 bytes where rows begin at multiples of 16 bytes: near the rate of a
 *           copy, as long as a row fits. What does not fit is read three times.
 * Source    Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018, section 5.
 */
#include "families/softmax/softmax.h"

/* COLS elements side by side, which one load reads. */
template <int COLS> struct alignas(COLS * sizeof(element)) part {
    element x[COLS];
};

static __device__ element larger(element a, element b)
{
    return fmaxf(a, b);
}

static __device__ element total(element a, element b)
{
    return a + b;
}

/* All values of LANES lanes that lie together, or of a block of whole warps where that is 0, as one in each of these
 * threads. nothing: what changes no value. */
template <int LANES, element JOIN(element, element)>
static __device__ element all(element value, element nothing)
{
    __shared__ element of_warp[32];
    unsigned lane = threadIdx.x % 32;

    for (int k = LANES ? LANES / 2 : 16; k > 0; k /= 2)
        value = JOIN(value, __shfl_xor_sync(0xffffffff, value, k));
    if (LANES)
        return value;
    if (lane == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = lane < blockDim.x / 32 ? of_warp[lane] : nothing;
    for (int k = 16; k > 0; k /= 2)
        value = JOIN(value, __shfl_xor_sync(0xffffffff, value, k));
    __syncthreads(); /* before the next value's warps write */
    return value;
}

/*
 * A row of `parts` parts, by `threads` threads of which this is number t, and has the parts t, t + threads, ... The
 * first HELD of them stay in registers; in place of those that are not there is -infinity, whose exponential is 0.
 */
template <int COLS, int HELD, int LANES>
static __device__ void softmax_row(part<COLS> *out, const part<COLS> *in, size_t parts, size_t t,
                                   size_t threads)
{
    size_t rest = t + HELD * threads;
    element max = -INFINITY, sum = 0;
    part<COLS> held[HELD];

#pragma unroll
    for (int i = 0; i < HELD; i++) {
#pragma unroll
        for (int c = 0; c < COLS; c++)
            held[i].x[c] = -INFINITY;
        if (t + i * threads < parts)
            held[i] = in[t + i * threads];
    }
#pragma unroll
    for (int i = 0; i < HELD; i++)
#pragma unroll
        for (int c = 0; c < COLS; c++)
            max = fmaxf(max, held[i].x[c]);
    for (size_t at = rest; at < parts; at += threads)
        for (int c = 0; c < COLS; c++)
            max = fmaxf(max, in[at].x[c]);
    max = all<LANES, larger>(max, -INFINITY);

#pragma unroll
    for (int i = 0; i < HELD; i++)
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            held[i].x[c] = expf(held[i].x[c] - max);
            sum += held[i].x[c];
        }
    for (size_t at = rest; at < parts; at += threads)
        for (int c = 0; c < COLS; c++)
            sum += expf(in[at].x[c] - max);
    sum = 1 / all<LANES, total>(sum, 0);

#pragma unroll
    for (int i = 0; i < HELD; i++) {
#pragma unroll
        for (int c = 0; c < COLS; c++)
            held[i].x[c] *= sum;
        if (t + i * threads < parts)
            out[t + i * threads] = held[i];
    }
    for (size_t at = rest; at < parts; at += threads) {
        part<COLS> p = in[at];

        for (int c = 0; c < COLS; c++)
            p.x[c] = expf(p.x[c] - max) * sum;
        out[at] = p;
    }
}

/* LANES lanes per row; 0: a block. All lanes of a warp go around as often, because the shuffles take all of them: where
 * no row is left, they have one without elements. */
template <int COLS, int HELD, int LANES>
static __global__ void __launch_bounds__(1024)
    softmax_registers(element *out, const element *in, size_t rows, size_t cols)
{
    size_t threads = LANES ? LANES : blockDim.x, of_block = blockDim.x / threads;
    size_t parts = cols / COLS, own = threadIdx.x / threads;

    for (size_t row = blockIdx.x * of_block; row < rows; row += gridDim.x * of_block) {
        size_t first = (row + own) * cols;
        bool there = row + own < rows;

        softmax_row<COLS, HELD, LANES>((part<COLS> *)(out + (there ? first : 0)),
                                       (const part<COLS> *)(in + (there ? first : 0)),
                                       there ? parts : 0, threadIdx.x % threads, threads);
    }
}

typedef void kernel(element *, const element *, size_t, size_t);

/* Parts of 16 bytes, where all rows begin at multiples of that; else of one element. As many of them in registers as
 * are needed: 32 elements at most, 16 where each is loaded alone. */
template <int LANES> static void start(struct work *w)
{
    size_t starts = (size_t)w->in | (size_t)w->out, threads = LANES ? LANES : w->threads;
    size_t of_block = w->threads / threads, blocks = (w->rows + of_block - 1) / of_block;
    bool quads = w->cols % 4 == 0 && starts % (4 * sizeof(element)) == 0;
    kernel *few = quads ? softmax_registers<4, 2, LANES> : softmax_registers<1, 8, LANES>;
    kernel *many = quads ? softmax_registers<4, 8, LANES> : softmax_registers<1, 16, LANES>;

    if (blocks > 0x7fffffff)
        blocks = 0x7fffffff;
    if (w->rows > 0) /* a grid without blocks is an error */
        (w->cols <= 8 * threads ? few : many)<<<(unsigned)blocks, w->threads>>>(w->out, w->in,
                                                                               w->rows, w->cols);
}

static void warp(struct work *w)
{
    return w->cols <= 64 ? start<8>(w) : start<32>(w);
}

static void block(struct work *w)
{
    start<0>(w);
}

static const struct variant variants[] = {
    {"warp", "a warp per row; of at most 64 elements four rows per warp", warp, WHOLE_WARPS,
     softmax_depth_warp},
    {"block", "a block per row, of as many threads as the row takes", block, WHOLE_WARPS, 0, 0,
     softmax_shape_registers},
};

STEP("softmax-registers", softmax_family, variants);
