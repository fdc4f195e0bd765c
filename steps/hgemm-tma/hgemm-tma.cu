/*
 * hgemm-tma: one thread loads, two warpgroups multiply
 *
 * Idea      The Tensor Memory Accelerator copies a whole box of a matrix, swizzled, by one instruction of one thread. A
 *           barrier in shared memory counts the bytes that have come. So the warps divide the work: a producer only
 *           loads, consumers only multiply, and for each stage one barrier says "full" and another one "empty".
 * Since     hgemm-wgmma, where each thread computed addresses and copied chunks of 16 bytes, and all threads met at a
 *           barrier for each stage.
 * Expect    No loads from global memory by the threads, no barrier of the whole block in the loop, and products that
 *           follow each other without a gap. Only GPUs of compute capability 9.0 have wgmma. See docs/hgemm-tma.md.
 * Source    The PTX ISA: cp.async.bulk.tensor, mbarrier. The CUDA C++ Programming Guide: Tensor Memory Access. CUTLASS:
 *           warp specialization, with a producer and two consumers.
 */
#include "families/gemm/tensor_group_tma.h"

/* --- the producer -------------------------------------------------------------------------------- */

/* By one thread: rows of A, and of B columns, or 64 rows of each 64 columns. */
template <bool NT>
static __device__ __forceinline__ void load_stage(struct stage *s, const struct maps &maps,
                                                  size_t row, size_t col, size_t k, uint64_t *full)
{
    arrive_expecting(full, sizeof(struct stage));
    load_box(s->a[0], &maps.a, k, row, full);
    if (NT)
        load_box(s->b[0], &maps.b, k, col, full);
    else
        for (int j = 0; j < COLS; j += LINE)
            load_box(s->b[j], &maps.b, col + j, k, full);
}

template <bool NT, bool MAPPED>
static __device__ __forceinline__ void produce(struct ring *ring, const struct work &w,
                                               const struct maps &maps, size_t row, size_t col)
{
    struct turn t = {0, 0};

    if (MAPPED && threadIdx.x % GROUP != 0)
        return;
    for (size_t k = 0; k < w.k; k += DEEP) {
        wait(&ring->empty[t.stage], t.parity ^ 1);
        if (MAPPED)
            load_stage<NT>(&ring->stages[t.stage], maps, row, col, k, &ring->full[t.stage]);
        else
            copy_stage<NT>(&ring->stages[t.stage], w, row, col, k, &ring->full[t.stage]);
        to_next(&t);
    }
}

/* --- a consumer ---------------------------------------------------------------------------------- */

/* While the products of a stage run, those of the stage before end, and it is empty. */
template <bool NT>
static __device__ __forceinline__ void consume(struct ring *ring, const struct work &w,
                                               float (&sums)[GROUP_SUMS])
{
    struct turn t = {0, 0};
    int before = 0;

    for (size_t k = 0; k < w.k; k += DEEP) {
        wait(&ring->full[t.stage], t.parity);
        begin_products<NT>(sums, &ring->stages[t.stage], k > 0);
        wait_products<1>();
        if (k > 0 && threadIdx.x % GROUP == 0)
            arrive(&ring->empty[before]);
        before = t.stage;
        to_next(&t);
    }
    wait_products<0>();
    for (int i = 0; i < GROUP_SUMS && w.k == 0; i++)
        sums[i] = 0;
}

/* --- the kernel ---------------------------------------------------------------------------------- */

/* With MAPPED a thread arrives at "full" for all bytes that come, else all that copy do. */
template <bool NT, bool MAPPED> static __global__ void __launch_bounds__(BLOCK_THREADS, 1)
hgemm(struct work w, const __grid_constant__ struct maps maps)
{
    extern __shared__ __align__(1024) uint4 memory[];
    struct ring *ring = (struct ring *)memory;
    float sums[GROUP_SUMS];
    size_t row, col;

    place_of(w, blockIdx.x, &row, &col);
    for (int s = 0; s < STAGES && threadIdx.x == 0; s++) {
        begin_barrier(&ring->full[s], MAPPED ? 1 : GROUP);
        begin_barrier(&ring->empty[s], CONSUMERS);
    }
    fence_memory();
    __syncthreads();
    if (threadIdx.x >= CONSUMERS * GROUP) {
        produce<NT, MAPPED>(ring, w, maps, row, col);
    } else {
        consume<NT>(ring, w, sums);
        store_group(w, sums, row, col);
    }
}

/* --- the launch ---------------------------------------------------------------------------------- */

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <bool NT, bool MAPPED> static void start(const struct work *w, const struct maps &maps)
{
    static bool asked;

    if (!asked)
        asked = cudaFuncSetAttribute(hgemm<NT, MAPPED>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)sizeof(struct ring)) == cudaSuccess;
    if (asked)
        hgemm<NT, MAPPED><<<tiles(*w), BLOCK_THREADS, sizeof(struct ring)>>>(*w, maps);
}

static void tma(struct work *w)
{
    struct maps maps = {};

    if (w->m == 0 || w->n == 0)
        return;
    if (map_both(&maps, *w, COLS))
        w->transposed ? start<true, true>(w, maps) : start<false, true>(w, maps);
    else
        w->transposed ? start<true, false>(w, maps) : start<false, false>(w, maps);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    (void)s;
    return refuse_tma((const void *)hgemm<false, true>, sizeof(struct ring), why, room);
}

static const struct variant variants[] = {
    {"tma", "one thread loads boxes, two warpgroups multiply", tma, GRID_BY_SIZE,
     .threads = BLOCK_THREADS, .refuse = refuse},
};

STEP("hgemm-tma", hgemm_family, variants);
