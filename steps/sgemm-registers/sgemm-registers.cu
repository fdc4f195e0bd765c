/*
 * sgemm-registers: a square of C in registers
 *
 * Idea      A thread owns 8 x 8 elements of C, a block of 256 threads 128 x 128. For each step along k a
 *           thread reads 8 words of A and 8 of B from shared memory, as four float4s, and makes 64
 *           multiply-adds of them. A's tile lies transposed, so that its words, too, lie together.
 * Since     sgemm-column owned a strip of 16 x 2, which reads 18 words for 32 multiply-adds: a square has
 *           the least edge for its area. And B came from global memory, once for every 16 rows.
 * Expect    One load instruction for 16 multiply-adds, and the next tile is in flight while this one is
 *           worked on. How a thread's 8 columns lie decides about bank conflicts.
 * Source    V. Volkov, J. Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", 2008; MAGMA.
 */
#include "families/gemm/gemm.h"

#define SIDE 128 /* of a block's tile of C */
#define DEPTH 8  /* of the tiles of A and B */
#define SQUARE 8 /* of a thread */
#define THREADS 256
#define PITCH (SIDE + 4) /* of a row of the turned tile of A: stores of a warp go to other banks */

struct tiles {
    float a[DEPTH][PITCH], b[DEPTH][SIDE];
};

/* Four words of a row, of which `left` are inside of the matrix; together where the rows allow it. */
static __device__ __forceinline__ float4 quad(const float *p, long long left, bool quads)
{
    if (quads && left >= 4)
        return *(const float4 *)p;
    return make_float4(left > 0 ? p[0] : 0, left > 1 ? p[1] : 0, left > 2 ? p[2] : 0,
                       left > 3 ? p[3] : 0);
}

/* A thread's share of the next tiles: four words of a row of A, and four of a row of B. */
struct share {
    float4 a, b;
};

static __device__ __forceinline__ struct share fetch(const struct work &w, size_t row, size_t col,
                                                     size_t l, bool quads)
{
    int t = threadIdx.x;
    size_t i = row + t / 2, j = col + t % 32 * 4, la = l + t % 2 * 4, lb = l + t / 32;
    long long left_a = i < w.m ? (long long)(w.k - la) : 0;
    long long left_b = lb < w.k ? (long long)(w.n - j) : 0;

    return {quad(w.a + i * w.lda + la, left_a, quads), quad(w.b + lb * w.ldb + j, left_b, quads)};
}

/* Put it into shared memory: A's words one below the other. */
static __device__ __forceinline__ void put(struct tiles *to, const struct share &s)
{
    int t = threadIdx.x, i = t / 2, l = t % 2 * 4;

    to->a[l][i] = s.a.x;
    to->a[l + 1][i] = s.a.y;
    to->a[l + 2][i] = s.a.z;
    to->a[l + 3][i] = s.a.w;
    *(float4 *)&to->b[t / 32][t % 32 * 4] = s.b;
}

/* 8 words of a row of a tile: side by side from 8 t, or two fours, half a tile apart. */
static __device__ __forceinline__ void eight(float x[SQUARE], const float *row, int t, bool split)
{
    float4 low = *(const float4 *)&row[split ? 4 * t : 8 * t];
    float4 high = *(const float4 *)&row[split ? SIDE / 2 + 4 * t : 8 * t + 4];

    x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
    x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
}

static __device__ __forceinline__ int place(int t, int e, bool split)
{
    return split ? e / 4 * (SIDE / 2) + 4 * t + e % 4 : 8 * t + e;
}

static __device__ __forceinline__ void multiply(const struct work &w, bool split, bool quads)
{
    __shared__ __align__(16) struct tiles tiles[2];
    size_t across = (w.n + SIDE - 1) / SIDE;
    size_t row = blockIdx.x / across * SIDE, col = blockIdx.x % across * SIDE;
    int x = threadIdx.x % 16, y = threadIdx.x / 16, now = 0;
    float sum[SQUARE][SQUARE] = {};

    if (w.k > 0)
        put(&tiles[0], fetch(w, row, col, 0, quads));
    __syncthreads();
    for (size_t l = 0; l < w.k; l += DEPTH, now ^= 1) {
        struct share next = {};

        if (l + DEPTH < w.k)
            next = fetch(w, row, col, l + DEPTH, quads);
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            float a[SQUARE], b[SQUARE];

            eight(a, tiles[now].a[step], y, split);
            eight(b, tiles[now].b[step], x, split);
#pragma unroll
            for (int i = 0; i < SQUARE; i++)
#pragma unroll
                for (int j = 0; j < SQUARE; j++)
                    sum[i][j] += a[i] * b[j];
        }
        if (l + DEPTH < w.k)
            put(&tiles[now ^ 1], next);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < SQUARE; i++)
#pragma unroll
        for (int j = 0; j < SQUARE; j++) {
            size_t r = row + place(y, i, split), s = col + place(x, j, split);
            float *c = w.c + r * w.ldc + s;

            if (r < w.m && s < w.n)
                *c = w.beta == 0 ? w.alpha * sum[i][j] : w.alpha * sum[i][j] + w.beta * *c;
        }
}

__global__ void __launch_bounds__(THREADS)
sgemm_together(struct work w, bool quads)
{
    multiply(w, false, quads);
}

__global__ void __launch_bounds__(THREADS)
sgemm_split(struct work w, bool quads)
{
    multiply(w, true, quads);
}

static unsigned blocks(const struct work *w)
{
    return (unsigned)((w->m + SIDE - 1) / SIDE * ((w->n + SIDE - 1) / SIDE));
}

/* Whether rows of A and B begin at multiples of 16 bytes. */
static bool aligned(const struct work *w)
{
    return ((size_t)w->a | (size_t)w->b) % sizeof(float4) == 0 && (w->lda | w->ldb) % 4 == 0;
}

static void together(struct work *w)
{
    if (w->m > 0 && w->n > 0)
        sgemm_together<<<blocks(w), THREADS>>>(*w, aligned(w));
}

static void split(struct work *w)
{
    if (w->m > 0 && w->n > 0)
        sgemm_split<<<blocks(w), THREADS>>>(*w, aligned(w));
}

static const struct variant variants[] = {
    {"together", "a thread's 8 columns lie side by side: bank conflicts", together, GRID_BY_SIZE,
     NULL, NULL, NULL, NULL, THREADS},
    {"split", "two fours, half a tile apart: none", split, GRID_BY_SIZE, NULL, NULL, NULL, NULL,
     THREADS},
};

STEP("sgemm-registers", gemm_family, variants);
