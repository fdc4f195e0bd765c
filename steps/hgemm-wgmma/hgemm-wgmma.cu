/*
 * hgemm-wgmma: four warps multiply, straight from shared memory
 *
 * Idea      wgmma: a warpgroup, four warps, multiplies 64 x 16 by 16 x 256. Both operands stay in shared memory; two
 *           descriptors say how they lie there. The warps go on at once, and wait for the sums later.
 * Since     hgemm-mma, where each warp loaded fragments of both operands into registers, and multiplied 16 x 8.
 * Expect    No loads from shared memory, an instruction for 128, and products that run on while a thread copies and
 *           waits at the barrier. Only GPUs of compute capability 9.0 have wgmma. See docs/hgemm-wgmma.md.
 * Source    The PTX ISA: wgmma. CUTLASS: which offsets of a descriptor count in which layout.
 */
#include <cuda_pipeline.h>

#include "families/gemm/tensor_group.h"

#define STAGES 4

/* --- copies, as in hgemm-mma --------------------------------------------------------------------- */

/* A stage begins to come; behind the last one there is none. */
template <bool NT>
static __device__ __forceinline__ void begin_copy(struct stage *s, struct copies *c,
                                                  const struct work &w, int steps)
{
    if (c->inside && steps == DEEP)
        copy_part<NT, true>(s, *c, w, steps, 0, 1);
    else if (c->aligned && steps > 0)
        copy_part<NT, false>(s, *c, w, steps, 0, 1);
    else if (steps > 0)
        copy_slowly<NT>(s, *c, w, steps);
    __pipeline_commit();
    advance<NT>(c, w);
}

/* --- products ------------------------------------------------------------------------------------ */

static __device__ __forceinline__ int after(int stage)
{
    return stage + 1 == STAGES ? 0 : stage + 1;
}

/*
 * While the tensor cores do a stage's products, the warps wait for those of the stage before, and for the next stage to
 * come. At the barrier both are so for all warps: the stage before may be overwritten, and the next one be multiplied.
 */
template <bool NT> static __global__ void __launch_bounds__(THREADS, 1)
hgemm(struct work w)
{
    extern __shared__ __align__(1024) uint4 memory[];
    struct stage *stages = (struct stage *)memory;
    float sums[GROUP_SUMS];
    size_t row, col;

    place_of(w, blockIdx.x, &row, &col);
    struct copies c = begin<NT>(w, row, col);

    for (int s = 0; s < STAGES - 1; s++)
        begin_copy<NT>(&stages[s], &c, w, left(w.k, (size_t)s * DEEP, DEEP));
    __pipeline_wait_prior(STAGES - 2);
    fence_memory();
    __syncthreads();
    int now = 0, before = STAGES - 1;
    for (size_t k = 0; k < w.k; k += DEEP) {
        begin_products<NT>(sums, &stages[now], k > 0);
        wait_products<1>();
        __pipeline_wait_prior(STAGES - 3);
        fence_memory();
        __syncthreads();
        begin_copy<NT>(&stages[before], &c, w, left(w.k, k + (STAGES - 1) * DEEP, DEEP));
        before = now;
        now = after(now);
    }
    wait_products<0>();
    for (int i = 0; i < GROUP_SUMS && w.k == 0; i++)
        sums[i] = 0;
    store_group(w, sums, row, col);
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

static void wgmma(struct work *w)
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
    return refuse_group((const void *)hgemm<false>, STAGES * sizeof(struct stage), why, room);
}

static const struct variant variants[] = {
    {"wgmma", "four warps multiply from shared memory", wgmma, GRID_BY_SIZE, .threads = THREADS,
     .refuse = refuse},
};

STEP("hgemm-wgmma", hgemm_family, variants);
