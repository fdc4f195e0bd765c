/*
 * sgemm-naive: a thread per element of C
 *
 * Idea      C[i][j] is the product of row i of A and column j of B: k multiply-adds, and a thread for
 *           each. Which element a thread takes decides what a warp reads at once.
 * Since     The first step. Here arithmetic is the aim, where other ladders are bound by memory.
 * Expect    Two loads for each multiply-add. With neighbours along a row of C a warp reads one word of A,
 *           which all lanes share, and 32 words of B that lie together; with neighbours down a column it
 *           reads 32 words of A from as many sectors. See docs/sgemm-naive.md.
 * Source    The definition; the kernel of GPU programming principles begins where this ends.
 */
#include "families/gemm/gemm.h"

/* An element of C. If beta is 0 it is not read, whatever it holds. */
static __device__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

static __device__ float product(const float *a, const float *b, size_t k, size_t ldb)
{
    float sum = 0;

    for (size_t l = 0; l < k; l++)
        sum += a[l] * b[l * ldb];
    return sum;
}

/* Neighbouring threads take neighbours in a row of C. */
__global__ void sgemm_rows(float *c, const float *a, const float *b, size_t m, size_t n, size_t k,
                           size_t lda, size_t ldb, size_t ldc, float alpha, float beta)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < m * n; e += stride) {
        size_t i = e / n, j = e % n;

        store(&c[i * ldc + j], product(&a[i * lda], &b[j], k, ldb), alpha, beta);
    }
}

/* Neighbouring threads take neighbours in a column of C. */
__global__ void sgemm_columns(float *c, const float *a, const float *b, size_t m, size_t n,
                              size_t k, size_t lda, size_t ldb, size_t ldc, float alpha, float beta)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < m * n; e += stride) {
        size_t i = e % m, j = e / m;

        store(&c[i * ldc + j], product(&a[i * lda], &b[j], k, ldb), alpha, beta);
    }
}

/* A thread per element, as long as a grid takes so many blocks. */
static unsigned grid(const struct work *w)
{
    size_t blocks = (w->m * w->n + (size_t)w->threads - 1) / (size_t)w->threads;

    return (unsigned)(blocks < 2147483647 ? blocks : 2147483647);
}

static void rows(struct work *w)
{
    if (w->m > 0 && w->n > 0)
        sgemm_rows<<<grid(w), w->threads>>>(w->c, w->a, w->b, w->m, w->n, w->k, w->lda, w->ldb,
                                            w->ldc, w->alpha, w->beta);
}

static void columns(struct work *w)
{
    if (w->m > 0 && w->n > 0)
        sgemm_columns<<<grid(w), w->threads>>>(w->c, w->a, w->b, w->m, w->n, w->k, w->lda, w->ldb,
                                               w->ldc, w->alpha, w->beta);
}

static const struct variant variants[] = {
    {"columns", "neighbours down a column of C: a warp reads 32 rows of A", columns,
     GRID_BY_SIZE | SLOW},
    {"rows", "neighbours along a row of C: a warp reads together", rows, GRID_BY_SIZE},
};

STEP("sgemm-naive", gemm_family, variants);
