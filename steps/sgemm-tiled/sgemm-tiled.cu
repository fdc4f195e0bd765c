/*
 * sgemm-tiled: tiles of A and B in shared memory
 *
 * Idea      A block makes a square tile of C. It loads a tile of A and one of B into shared memory, waits,
 *           adds their product, and goes on along k. Each word from memory is then used as often as
 *           the tile is wide, not once.
 * Since     sgemm-naive read two words of global memory for each multiply-add.
 * Expect    Global loads fall to 1 / 16 or 1 / 32. But shared memory gives a multiprocessor, that is all its
 *           warps, 32 words per clock, and each multiply-add still needs a word of B from it, and four
 *           of them four words of A at once: that is the new limit.
 * Source    Kirk and Hwu, *Programming Massively Parallel Processors*.
 */
#include "families/gemm/gemm.h"

/* The tile of C whose number is the block's, of side x side elements, a thread each. Elements outside of
 * the matrices count as 0. */
static __device__ __forceinline__ void tile(const struct work &w, float *a, float *b, int side)
{
    size_t across = (w.n + side - 1) / side;
    int x = threadIdx.x % side, y = threadIdx.x / side;
    size_t row = blockIdx.x / across * side + y, col = blockIdx.x % across * side + x;
    float sum = 0;

    for (size_t l = 0; l < w.k; l += side) {
        a[y * side + x] = row < w.m && l + x < w.k ? w.a[row * w.lda + l + x] : 0;
        b[y * side + x] = l + y < w.k && col < w.n ? w.b[(l + y) * w.ldb + col] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < side; i += 4) {
            float4 four = *(const float4 *)&a[y * side + i];

            sum += four.x * b[i * side + x];
            sum += four.y * b[(i + 1) * side + x];
            sum += four.z * b[(i + 2) * side + x];
            sum += four.w * b[(i + 3) * side + x];
        }
        __syncthreads();
    }
    if (row < w.m && col < w.n) {
        float *c = &w.c[row * w.ldc + col];

        *c = w.beta == 0 ? w.alpha * sum : w.alpha * sum + w.beta * *c;
    }
}

__global__ void __launch_bounds__(256)
sgemm_tile16(struct work w)
{
    __shared__ __align__(16) float a[16 * 16], b[16 * 16];

    tile(w, a, b, 16);
}

__global__ void __launch_bounds__(1024)
sgemm_tile32(struct work w)
{
    __shared__ __align__(16) float a[32 * 32], b[32 * 32];

    tile(w, a, b, 32);
}

static unsigned tiles(const struct work *w, size_t side)
{
    return (unsigned)((w->m + side - 1) / side * ((w->n + side - 1) / side));
}

static void tile16(struct work *w)
{
    if (w->m > 0 && w->n > 0)
        sgemm_tile16<<<tiles(w, 16), 256>>>(*w);
}

static void tile32(struct work *w)
{
    if (w->m > 0 && w->n > 0)
        sgemm_tile32<<<tiles(w, 32), 1024>>>(*w);
}

static const struct variant variants[] = {
    {"tile16", "tiles of 16 x 16: a word is used 16 times", tile16, GRID_BY_SIZE | RATHER_SLOW,
     NULL, NULL, NULL, NULL, 256},
    {"tile32", "tiles of 32 x 32: 32 times", tile32, GRID_BY_SIZE | RATHER_SLOW, NULL, NULL, NULL,
     NULL, 1024},
};

STEP("sgemm-tiled", gemm_family, variants);
