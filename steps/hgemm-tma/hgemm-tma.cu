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
#include <limits.h>
#include <cudaTypedefs.h>

#include "families/gemm/tensor_group.h"

#define STAGES 4
#define CONSUMERS 2 /* warpgroups; the third one of a block is the producer */

/* How A and B lie in global memory, for the TMA. */
struct maps {
    CUtensorMap a, b;
};

/* In shared memory: the stages, which take turns, and two barriers for each. */
struct ring {
    struct stage stages[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

/* --- barriers that count bytes ------------------------------------------------------------------- */

/* A phase ends when so many threads have arrived, and all bytes that they expect have come. */
static __device__ __forceinline__ void begin_barrier(uint64_t *barrier, int arrivals)
{
    GROUP_ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
              "r"(arrivals)
              : "memory");
}

static __device__ __forceinline__ void arrive(uint64_t *barrier)
{
    GROUP_ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Arrive, and let the phase wait for so many bytes, too. */
static __device__ __forceinline__ void arrive_expecting(uint64_t *barrier, int bytes)
{
    GROUP_ASM(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

/* Has the phase of this parity ended? Of a new barrier the phase before, of parity 1, has. */
static __device__ __forceinline__ bool has_ended(uint64_t *barrier, int parity)
{
    int ended = 1;

    GROUP_ASM("{\n"
              ".reg .pred ended;\n"
              "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
              "selp.b32 %0, 1, 0, ended;\n"
              "}"
              : "=r"(ended)
              : "r"(shared_address(barrier)), "r"(parity)
              : "memory");
    return ended;
}

static __device__ __forceinline__ void wait(uint64_t *barrier, int parity)
{
    while (!has_ended(barrier, parity))
        ;
}

/* Which stage is next, and the parity of its phase: it changes each time around the ring. */
struct turn {
    int stage, parity;
};

static __device__ __forceinline__ void to_next(struct turn *t)
{
    if (++t->stage == STAGES) {
        t->stage = 0;
        t->parity ^= 1;
    }
}

/* --- the producer -------------------------------------------------------------------------------- */

/* The box of a map that begins at this element of this line comes to shared memory, and its bytes count there. What is
 * outside of the matrix comes as zeros. */
static __device__ __forceinline__ void load_box(element *to, const CUtensorMap *map, size_t at,
                                                size_t line, uint64_t *barrier)
{
    GROUP_ASM("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
              "[%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
              "l"(map), "r"((int)at), "r"((int)line), "r"(shared_address(barrier))
              : "memory");
}

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

/* The fall-back where no map can say how rows lie: each thread of the producer copies each 128th element. */
template <bool NT>
static __device__ __forceinline__ void copy_stage(struct stage *s, const struct work &w, size_t row,
                                                  size_t col, size_t k, uint64_t *full)
{
    int place = threadIdx.x % LINE;

#pragma unroll 4
    for (int line = threadIdx.x % GROUP / LINE; line < ROWS; line += GROUP / LINE)
        s->a[line][swizzled(line, place / CHUNK) + place % CHUNK] =
            row + line < w.m && k + place < w.k ? w.a[(row + line) * w.lda + k + place]
                                                : (element)0.0f;
#pragma unroll 4
    for (int line = threadIdx.x % GROUP / LINE; line < COLS; line += GROUP / LINE) {
        size_t j = col + (NT ? line : line / DEEP * LINE + place),
               i = k + (NT ? place : line % DEEP);

        s->b[line][swizzled(line, place / CHUNK) + place % CHUNK] =
            j < w.n && i < w.k ? w.b[NT ? j * w.ldb + i : i * w.ldb + j] : (element)0.0f;
    }
    fence_memory();
    arrive(full);
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
template <bool NT, bool MAPPED> static __global__ void __launch_bounds__((CONSUMERS + 1) * GROUP, 1)
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

/* The driver's function that makes a map, by its name, so that nothing is linked with the driver; NULL: it has none. */
static PFN_cuTensorMapEncodeTiled_v12000 map_maker()
{
    static void *found;

    if (!found) {
#if CUDART_VERSION >= 12050
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                         NULL);
#else
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault);
#endif
    }
    return (PFN_cuTensorMapEncodeTiled_v12000)found;
}

#define MAP_f16 CU_TENSOR_MAP_DATA_TYPE_FLOAT16
#define MAP_bf16 CU_TENSOR_MAP_DATA_TYPE_BFLOAT16

/* A matrix of lines that begin ld elements apart; each load takes 64 elements of so many lines. False: no map can say
 * how it lies. */
static bool map_matrix(CUtensorMap *map, const element *at, size_t length, size_t lines, size_t ld,
                       int box_lines)
{
    cuuint64_t size[] = {length, lines}, stride[] = {ld * sizeof(element)};
    cuuint32_t box[] = {LINE, (cuuint32_t)box_lines}, step[] = {1, 1};

    return length > 0 && length <= INT_MAX && lines <= INT_MAX && is_aligned(at, ld) &&
           map_maker()(map, ELEMENT_NAME(MAP_), 2, (void *)at, size, stride, box, step,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                       CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static bool map_both(struct maps *maps, const struct work &w)
{
    return map_matrix(&maps->a, w.a, w.k, w.m, w.lda, ROWS) &&
           (w.transposed ? map_matrix(&maps->b, w.b, w.k, w.n, w.ldb, COLS)
                         : map_matrix(&maps->b, w.b, w.n, w.k, w.ldb, DEEP));
}

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <bool NT, bool MAPPED> static void start(const struct work *w, const struct maps &maps)
{
    static bool asked;

    if (!asked)
        asked = cudaFuncSetAttribute(hgemm<NT, MAPPED>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)sizeof(struct ring)) == cudaSuccess;
    if (asked)
        hgemm<NT, MAPPED><<<tiles(*w), (CONSUMERS + 1) * GROUP, sizeof(struct ring)>>>(*w, maps);
}

static void tma(struct work *w)
{
    struct maps maps = {};

    if (w->m == 0 || w->n == 0)
        return;
    if (map_both(&maps, *w))
        w->transposed ? start<true, true>(w, maps) : start<false, true>(w, maps);
    else
        w->transposed ? start<true, false>(w, maps) : start<false, false>(w, maps);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    (void)s;
    if (refuse_group((const void *)hgemm<false, true>, sizeof(struct ring), why, room))
        return true;
    if (!map_maker())
        snprintf(why, room, "needs tensor maps, which this driver cannot make: update it");
    return !map_maker();
}

static const struct variant variants[] = {
    {"tma", "one thread loads boxes, two warpgroups multiply", tma, GRID_BY_SIZE,
     .threads = (CONSUMERS + 1) * GROUP, .refuse = refuse},
};

STEP("hgemm-tma", hgemm_family, variants);
