/*
 * sgemm-column: columns of C in registers
 *
 * Idea      A block of 128 threads makes 16 x 256 elements of C. A thread owns two columns, 32 sums in its
 *           registers. Only A's tile of 16 x 32 goes through shared memory, where all lanes read the
 *           same word at once; a thread reads its own two words of a row of B and uses them 16 times.
 * Since     sgemm-tiled loaded two words of shared memory for each multiply-add.
 * Expect    For each row of B 16 words of A, four at a time, and one or two accesses of B for 32
 *           multiply-adds. Of global memory a product of M x N x K reads M N K (1 / 16 + 1 / 256) words.
 * Source    GPU programming principles.
 */
#include "families/gemm/gemm.h"

#define ROWS 16
#define COLS 256
#define DEPTH 32
#define THREADS 128

/* Two words of a row of B or C: side by side in `pairs`, else THREADS apart. */
static __device__ __forceinline__ float2 read(const float *p, bool first, bool second, bool pairs)
{
    if (pairs)
        return first ? *(const float2 *)p : make_float2(0, 0);
    return make_float2(first ? p[0] : 0, second ? p[THREADS] : 0);
}

/* An element of C, which is not read where beta is 0. */
static __device__ __forceinline__ void write(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

/* The block's tile of A, a row of 32 by each warp in turn. */
static __device__ __forceinline__ void load_a(float a[ROWS][DEPTH], const struct work &w,
                                              size_t row, size_t l)
{
    int x = threadIdx.x % DEPTH, y = threadIdx.x / DEPTH;

#pragma unroll
    for (int i = 0; i < ROWS; i += THREADS / DEPTH)
        a[i + y][x] = row + i + y < w.m && l + x < w.k ? w.a[(row + i + y) * w.lda + l + x] : 0;
}

/* Four more steps along k. */
static __device__ __forceinline__ void add(float2 sum[ROWS], const float a[ROWS][DEPTH], int l,
                                           const float2 b[4])
{
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        float4 four = *(const float4 *)&a[i][l];

        sum[i].x += four.x * b[0].x;
        sum[i].y += four.x * b[0].y;
        sum[i].x += four.y * b[1].x;
        sum[i].y += four.y * b[1].y;
        sum[i].x += four.z * b[2].x;
        sum[i].y += four.z * b[2].y;
        sum[i].x += four.w * b[3].x;
        sum[i].y += four.w * b[3].y;
    }
}

static __device__ __forceinline__ void column(const struct work &w, bool pairs)
{
    __shared__ __align__(16) float a[ROWS][DEPTH];
    size_t across = (w.n + COLS - 1) / COLS;
    size_t row = blockIdx.x / across * ROWS;
    size_t col = blockIdx.x % across * COLS + (pairs ? 2 : 1) * threadIdx.x;
    size_t other = col + (pairs ? 1 : THREADS);
    const float *from = w.b + col;
    float2 sum[ROWS] = {};

    for (size_t l = 0; l < w.k; l += DEPTH) {
        load_a(a, w, row, l);
        __syncthreads();
#pragma unroll 2
        for (int i = 0; i < DEPTH; i += 4) {
            float2 b[4];

#pragma unroll
            for (int j = 0; j < 4; j++)
                b[j] = read(from + (l + i + j) * w.ldb, l + i + j < w.k && col < w.n,
                            l + i + j < w.k && other < w.n, pairs);
            add(sum, a, i, b);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        float *c = w.c + (row + i) * w.ldc;

        if (row + i < w.m && col < w.n)
            write(c + col, sum[i].x, w.alpha, w.beta);
        if (row + i < w.m && other < w.n)
            write(c + other, sum[i].y, w.alpha, w.beta);
    }
}

__global__ void __launch_bounds__(THREADS)
sgemm_pairs(struct work w)
{
    column(w, true);
}

__global__ void __launch_bounds__(THREADS)
sgemm_words(struct work w)
{
    column(w, false);
}

static unsigned tiles(const struct work *w)
{
    return (unsigned)((w->m + ROWS - 1) / ROWS * ((w->n + COLS - 1) / COLS));
}

static void words(struct work *w)
{
    if (w->m > 0 && w->n > 0)
        sgemm_words<<<tiles(w), THREADS>>>(*w);
}

/* Where rows of B begin at odd words, there are no pairs. */
static void pairs(struct work *w)
{
    if ((size_t)w->b % sizeof(float2) != 0 || w->ldb % 2 != 0 || w->n % 2 != 0)
        words(w);
    else if (w->m > 0 && w->n > 0)
        sgemm_pairs<<<tiles(w), THREADS>>>(*w);
}

static const struct variant variants[] = {
    {"words", "a thread's columns lie 128 apart", words, GRID_BY_SIZE | RATHER_SLOW, NULL, NULL,
     NULL, NULL, THREADS},
    {"pairs", "side by side, read as a float2 (rows of B at odd words: as words)", pairs,
     GRID_BY_SIZE | RATHER_SLOW, NULL, NULL, NULL, NULL, THREADS},
};

STEP("sgemm-column", gemm_family, variants);
