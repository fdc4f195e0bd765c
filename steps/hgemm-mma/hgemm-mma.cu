/*
 * hgemm-mma: each lane's elements
 *
 * Idea      mma.sync says which lane holds which element. So a warp loads its fragments by ldmatrix, four
 *           matrices of 8 x 8 at once, from lines of 128 bytes whose chunks are swizzled: no conflicts, and
 *           no padding. Sums go from registers to C.
 * Since     hgemm-async, whose fragments are opaque: nvcc chose how they are loaded, lines were padded, and sums went
 *           through shared memory.
 * Expect    As many products, and a quarter of the wavefronts. Chunks that are there in part are copied too: k and n
 *           need not be multiples of 8. See docs/hgemm-mma.md.
 * Source    The PTX ISA: mma.sync, ldmatrix; CUTLASS: warp tiles of 64 x 64, lines of 128 bytes, swizzled.
 */
#include <cuda_pipeline.h>

#include "families/gemm/tensor_tile.h"

#include "harness/kit/device.h"

#define STAGES 3

/* Copies of half a stage. FULL: chunks are there as a whole, or, behind the last stage, none is. So no branch and no
 * comparison with an edge stands between the products. */
template <bool NT, bool FULL>
static __device__ __forceinline__ void begin_copy(struct stage *s, const struct copies &c,
                                                  const struct work &w, int steps, int half)
{
    if (FULL || c.aligned)
        copy_part<NT, FULL>(s, c, w, steps, half, 2);
    else if (half == 0)
        copy_slowly<NT>(s, c, w, steps);
}

static __device__ __forceinline__ int after(int stage)
{
    return stage + 1 == STAGES ? 0 : stage + 1;
}

/*
 * Four steps on a stage, each with fragments that were loaded a step before. The last of them loads those of the next
 * stage, which must have come; and then no warp needs this one any more. Amid the products of the first two the
 * copies of the stage STAGES - 1 ahead begin: it takes the place of the one before. Behind the last stage comes one of
 * zeros, because the last step of the last stage loads fragments, too.
 */
template <bool NT, bool FULL>
static __device__ __forceinline__ void add_stage(struct sums *sums, struct fragments two[2],
                                                 struct stage *stages, int now, struct copies *c,
                                                 const struct work &w, int steps)
{
    struct stage *in = &stages[now == 0 ? STAGES - 1 : now - 1];

#pragma unroll
    for (int step = 0; step < 4; step++) {
        if (step == 3) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads();
        }
        load_fragments<NT>(&two[(step + 1) % 2], &stages[step == 3 ? after(now) : now],
                           (step + 1) % 4);
        multiply_rows(sums, two[step % 2], 0, 2);
        if (step < 2)
            begin_copy<NT, FULL>(in, *c, w, steps, step);
        if (step == 1)
            __pipeline_commit();
        multiply_rows(sums, two[step % 2], 2, 4);
    }
    advance<NT>(c, w);
}

/* All stages, of which the first two come before the loop. */
template <bool NT, bool FULL>
static __device__ __forceinline__ void add_stages(struct sums *sums, struct stage *stages,
                                                  struct copies c, const struct work &w)
{
    struct fragments two[2];
    int now = 0;

    for (int s = 0; s < STAGES - 1; s++) {
        for (int half = 0; half < 2; half++)
            begin_copy<NT, FULL>(&stages[s], c, w, left(w.k, (size_t)s * DEEP, DEEP), half);
        __pipeline_commit();
        advance<NT>(&c, w);
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    load_fragments<NT>(&two[0], &stages[0], 0);
    for (size_t k = 0; k < w.k; k += DEEP) {
        add_stage<NT, FULL>(sums, two, stages, now, &c, w,
                            left(w.k, k + (STAGES - 1) * DEEP, DEEP));
        now = after(now);
    }
}

/* A tile inside C, whose pairs are aligned, where nothing is to be added: no comparisons. */
static __device__ __forceinline__ void store_inside(const struct work &w, const struct sums &sums,
                                                    size_t row, size_t col)
{
    int lane = threadIdx.x % 32;
    float *c = w.c + (row + warp_row() + lane / 4) * w.ldc + col + warp_col() + lane % 4 * 2;

#pragma unroll
    for (int i = 0; i < 8; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const float *sum = &sums.at[i / 2][j][i % 2 * 2];

            *(float2 *)(c + j * 8) = make_float2(w.alpha * sum[0], w.alpha * sum[1]);
        }
        c += 8 * w.ldc;
    }
}

template <bool NT> static __global__ void __launch_bounds__(THREADS)
hgemm(struct work w)
{
    extern __shared__ uint4 memory[];
    struct stage *stages = (struct stage *)memory;
    struct sums sums = {};
    size_t row, col;

    place_of(w, blockIdx.x, &row, &col);
    struct copies c = begin<NT>(w, row, col);

    if (c.inside && w.k % DEEP == 0)
        add_stages<NT, true>(&sums, stages, c, w);
    else
        add_stages<NT, false>(&sums, stages, c, w);
    if (c.inside && w.beta == 0 && (size_t)w.c % sizeof(float2) == 0 && w.ldc % 2 == 0)
        store_inside(w, sums, row, col);
    else
        store(w, &sums, row, col);
}

/* --- the launch ---------------------------------------------------------------------------------- */

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <bool NT> static void start(const struct work *w)
{
    static bool asked;

    if (!asked)
        asked = cudaFuncSetAttribute(hgemm<NT>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     STAGES * (int)sizeof(struct stage)) == cudaSuccess;
    if (asked)
        hgemm<NT><<<tiles(*w), THREADS, STAGES * sizeof(struct stage)>>>(*w);
}

static void swizzled_tiles(struct work *w)
{
    if (w->m == 0 || w->n == 0)
        return;
    if (w->transposed)
        start<true>(w);
    else
        start<false>(w);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    (void)s;
    return device_below(MMA_CAPABILITY, why, room) ||
           device_lacks_shared(STAGES * sizeof(struct stage), why, room);
}

static const struct variant variants[] = {
    {"mma", "fragments by ldmatrix from swizzled lines", swizzled_tiles, GRID_BY_SIZE,
     .threads = THREADS, .refuse = refuse},
};

STEP("hgemm-mma", hgemm_family, variants);
