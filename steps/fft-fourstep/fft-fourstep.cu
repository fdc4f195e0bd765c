/*
 * fft-fourstep: vectors that no block can hold, in two or three kernels
 *
 * Idea      A vector of N1 x N2 points is a matrix. Transform its columns, multiply by roots of unity,
 *           transform its rows: that is the transform of the whole, but for a transpose. These are the four
 *           steps of the method's name; here the transpose costs nothing: it is the order in which blocks
 *           load and store.
 * Since     fft-block ends where a vector no longer fits a block's shared memory.
 * Expect    A kernel for columns and one for rows read and write all points once each: half the copy's rate
 *           with two, a third with three.
 * Source    GPU programming principles; Gentleman and Sande, 1966; Bailey, "FFTs in external or hierarchical
 *           memory", 1990.
 */
#include "families/fft/parts.h"

#define SIDE 16 /* columns or rows of a block: 128 bytes side by side */

/* What the second of three kernels multiplies by besides, see three_parts: [k1][n2], [k1][n3], and how many
 * k1 there are. */
struct first_turns {
    const c32 *before, *one;
    size_t rows;
};

/* Which kernel this is: they differ in what they multiply by. */
enum part { FIRST_OF_TWO, FIRST_OF_THREE, SECOND_OF_THREE };

/* A block transforms C columns side by side, of as many matrices of N rows as the grid says. */
template <int N, int C, int PART, int BLOCKS>
__global__ void __launch_bounds__(C *threads(N), BLOCKS)
fft_columns(c32 *to, const c32 *from, size_t columns, float sign, struct stage_roots roots,
            struct turns w, struct first_turns v)
{
    extern __shared__ c32 places[];
    const int P = points(N), T = threads(N);
    int c = threadIdx.x % C, t = threadIdx.x / C;
    size_t tiles = columns / C, j = blockIdx.x % tiles * C + c, matrix = blockIdx.x / tiles;
    size_t base = matrix * N * columns + j, k1 = matrix % v.rows;
    c32 x[P], fine, *own = places + c * room(N);

#pragma unroll
    for (int i = 0; i < P; i++) {
        c32 point = from[base + (t + T * i) * columns];

        x[i] = PART == SECOND_OF_THREE ? multiply(point, __ldg(&v.before[k1 * N + t + T * i]))
                                       : conjugate(point, sign);
    }
    transform_part<N>(x, t, t, own, own, product_roots{roots});
    if (PART != FIRST_OF_THREE)
        fine = __ldg(&w.fine[t * columns + j]);
    if (PART == SECOND_OF_THREE)
        fine = multiply(fine, __ldg(&v.one[k1 * columns + j]));
#pragma unroll
    for (int i = 0; i < P; i++) {
        if (PART != FIRST_OF_THREE)
            x[i] =
                multiply(x[i], i == 0 ? fine : multiply(fine, __ldg(&w.coarse[i * columns + j])));
        to[base + (t + T * i) * columns] = x[i];
    }
}

/*
 * A block transforms C rows. Row r of R is one of `middle` that follow each other, and its point k goes to
 * place (k middle + m) R + r of the result. So threads that load neighbours of a row store neighbours of
 * different rows: the last exchange hands the points over.
 */
template <int N, int C, int BLOCKS> __global__ void __launch_bounds__(C *threads(N), BLOCKS)
fft_rows(c32 *out, const c32 *from, size_t rows, size_t middle, float sign,
         struct stage_roots roots)
{
    extern __shared__ c32 places[];
    const int P = points(N), T = threads(N);
    int c = threadIdx.x / T, t = threadIdx.x % T;
    int next_c = threadIdx.x % C, next_t = threadIdx.x / C;
    size_t tiles = rows / C, first = blockIdx.x % tiles * C, m = blockIdx.x / tiles % middle;
    size_t vector = blockIdx.x / tiles / middle * (rows * middle * N);
    c32 x[P];

#pragma unroll
    for (int i = 0; i < P; i++)
        x[i] = from[vector + ((first + c) * middle + m) * N + t + T * i];
    transform_part<N>(x, t, next_t, places + c * room(N), places + next_c * room(N),
                      product_roots{roots});
#pragma unroll
    for (int i = 0; i < P; i++)
        out[vector + ((next_t + T * i) * middle + m) * rows + first + next_c] =
            conjugate(x[i], sign);
}

/* So many columns or rows per block, which has 1024 threads at most. */
static constexpr int side_of(int n)
{
    return n > 2048 ? SIDE / 4 : n > 1024 ? SIDE / 2 : SIDE;
}

/* Blocks a multiprocessor that have registers enough, 64 a thread, or 128 with 32 points. */
static constexpr int blocks_of(int n)
{
    return 16384 / (side_of(n) * n) > 8   ? 8
           : 16384 / (side_of(n) * n) > 1 ? 16384 / (side_of(n) * n)
                                          : 1;
}

template <int N, int PART>
static void columns(c32 *to, const c32 *from, const struct work *w, size_t others, float sign,
                    struct turns turns, struct first_turns before)
{
    const int C = side_of(N), shared = C * room(N) * sizeof(c32);

    cudaFuncSetAttribute(fft_columns<N, side_of(N), PART, blocks_of(N)>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    fft_columns<N, side_of(N), PART, blocks_of(N)>
        <<<(unsigned)(w->batch * (w->length / N) / C), C * threads(N), shared>>>(
            to, from, others, sign, roots_of(N), turns, before);
}

template <int N>
static void rows(c32 *to, const c32 *from, const struct work *w, size_t count, size_t middle)
{
    const int C = side_of(N), shared = C * room(N) * sizeof(c32);

    cudaFuncSetAttribute(fft_rows<N, side_of(N), blocks_of(N)>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    fft_rows<N, side_of(N), blocks_of(N)>
        <<<(unsigned)(w->batch * (w->length / N) / C), C * threads(N), shared>>>(
            to, from, count, middle, w->sign, roots_of(N));
}

template <int N1, int N2> static void two_parts(struct work *w)
{
    columns<N1, FIRST_OF_TWO>(w->between, w->in, w, N2, w->sign, turns_of<N1>(N2), {NULL, NULL, 1});
    rows<N2>(w->out, w->between, w, N1, 1);
}

static void two(struct work *w)
{
    if (w->batch == 0)
        return;
    switch (w->length) {
    case 1 << 13:
        return two_parts<64, 128>(w);
    case 1 << 16:
        return two_parts<256, 256>(w);
    case 1 << 18:
        return two_parts<512, 512>(w);
#ifndef BACKEND_CPU
    case 1 << 14:
        return two_parts<128, 128>(w);
    case 1 << 15:
        return two_parts<128, 256>(w);
    case 1 << 17:
        return two_parts<256, 512>(w);
    case 1 << 19:
        return two_parts<512, 1024>(w);
    case 1 << 20:
        return two_parts<1024, 1024>(w);
    case 1 << 21:
        return two_parts<1024, 2048>(w);
    case 1 << 22:
        return two_parts<2048, 2048>(w);
    case 1 << 23:
        return two_parts<2048, 4096>(w);
#endif
    }
}

/*
 * n = (n1 N2 + n2) N3 + n3 and k = k1 + N1 (k2 + N2 k3). After the first kernel a point lies at (k1, n2,
 * n3), and lacks exp(-2 pi i k1 (n2 N3 + n3) / length), which is before[k1][n2] one[k1][n3]: the second
 * kernel multiplies by the one when it loads, by the other when it stores.
 */
template <int N1, int N2, int N3> static void three_parts(struct work *w)
{
    struct turns turns = turns_of<N2>(N3);
    struct first_turns before = {fft_roots(N1, N2, N1 * N2), fft_roots(N1, N3, w->length), N1};

    columns<N1, FIRST_OF_THREE>(w->between, w->in, w, N2 * N3, w->sign, turns, before);
    columns<N2, SECOND_OF_THREE>(w->between, w->between, w, N3, 1, turns, before);
    rows<N3>(w->out, w->between, w, N1, N2);
}

static void three(struct work *w)
{
    if (w->batch == 0)
        return;
    switch (w->length) {
    case 1 << 18:
        return three_parts<64, 64, 64>(w);
#ifndef BACKEND_CPU
    case 1 << 21:
        return three_parts<128, 128, 128>(w);
    case 1 << 22:
        return three_parts<128, 128, 256>(w);
    case 1 << 23:
        return three_parts<128, 256, 256>(w);
    case 1 << 24:
        return three_parts<256, 256, 256>(w);
#endif
    }
}

/* The largest of two or three parts. */
static int largest(size_t length, int parts)
{
    int part = 64;

    while ((size_t)part * part * (parts == 3 ? part : 1) < length)
        part *= 2;
    return part;
}

/* The kernel of the largest part has the most threads per block, and the most shared memory. */
static void shape(struct shape *s, int parts)
{
    int part = largest(s->axis[FFT_LENGTH], parts);

    if (s->threads == 0)
        s->threads = side_of(part) * threads(part);
}

static void shape_two(struct shape *s)
{
    shape(s, 2);
}

static void shape_three(struct shape *s)
{
    shape(s, 3);
}

static bool refuse_two(const struct shape *s, char *why, size_t size)
{
    int part = largest(s->axis[FFT_LENGTH], 2);

    return device_lacks_shared(side_of(part) * room(part) * sizeof(c32), why, size);
}

/* A kernel is made for its length, so each costs time to compile: the CPU device has a few, of each kind. */
#ifdef BACKEND_CPU
#define TWO "8192 65536 262144"
#define THREE "262144"
#else
#define TWO "8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 8388608"
#define THREE "262144 2097152 4194304 8388608 16777216"
#endif

static const struct variant variants[] = {
    {"two", "columns, then rows: a kernel each", two, THREADS_BY_SIZE | BETWEEN,
     .default_shape = shape_two, .only = TWO, .refuse = refuse_two},
    {"three", "columns, the columns of each row, and their rows", three, THREADS_BY_SIZE | BETWEEN,
     .default_shape = shape_three, .only = THREE},
};

STEP("fft-fourstep", fft_family, variants);
