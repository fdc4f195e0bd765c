/*
 * A producer and two consumers around a ring of stages: what hgemm-tma and hgemm-cluster share. The
 * barriers that count bytes, the copy of a box, the fall-back where no map can say how rows lie,
 * and the maps.
 */
#ifndef TENSOR_GROUP_TMA_H
#define TENSOR_GROUP_TMA_H

#include <limits.h>
#include <cudaTypedefs.h>

#include "families/gemm/tensor_group.h"

#define STAGES 4
#define CONSUMERS 2 /* warpgroups; the third one of a block is the producer */
#define BLOCK_THREADS ((CONSUMERS + 1) * GROUP)

/* In shared memory: the stages, which take turns, and two barriers for each. */
struct ring {
    struct stage stages[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

/* --- barriers that count bytes ---------------------------------------------------------------- */

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

/* --- a stage ---------------------------------------------------------------------------------- */

/* The box of a map that begins at this element of this line comes to shared memory, and its bytes
 * count there. What is outside of the matrix comes as zeros. */
static __device__ __forceinline__ void load_box(element *to, const CUtensorMap *map, size_t at,
                                                size_t line, uint64_t *barrier)
{
    GROUP_ASM("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
              "[%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
              "l"(map), "r"((int)at), "r"((int)line), "r"(shared_address(barrier))
              : "memory");
}

/* The fall-back where no map can say how rows lie: each thread of the producer copies each 128th
 * element. */
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

/* --- maps ------------------------------------------------------------------------------------- */

/* The driver's function that makes a map, by its name, so that nothing is linked with the driver;
 * NULL: it has none. */
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

/* How A and B lie in global memory, for the TMA. */
struct maps {
    CUtensorMap a, b;
};

/* A matrix of lines that begin ld elements apart; a box is 128 bytes of so many lines. False: no
 * map can say how it lies. */
template <typename T>
static bool map_matrix(CUtensorMap *map, CUtensorMapDataType type, const T *at, size_t length,
                       size_t lines, size_t ld, int box_lines)
{
    cuuint64_t size[] = {length, lines}, stride[] = {ld * sizeof(T)};
    cuuint32_t box[] = {128 / sizeof(T), (cuuint32_t)box_lines}, step[] = {1, 1};

    return length > 0 && length <= INT_MAX && lines <= INT_MAX && is_aligned(at, ld) &&
           map_maker()(map, type, 2, (void *)at, size, stride, box, step,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                       CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* A's box is a tile's rows. B's is so many columns of the transpose, or 64 rows of 64 columns. */
static bool map_both(struct maps *maps, const struct work &w, int cols)
{
    CUtensorMapDataType type = ELEMENT_NAME(MAP_);

    return map_matrix(&maps->a, type, w.a, w.k, w.m, w.lda, ROWS) &&
           (w.transposed ? map_matrix(&maps->b, type, w.b, w.k, w.n, w.ldb, cols)
                         : map_matrix(&maps->b, type, w.b, w.n, w.k, w.ldb, DEEP));
}

/* True with one line in why if the device cannot run a kernel with such products and maps. */
static bool refuse_tma(const void *kernel, size_t shared_bytes, char *why, size_t room)
{
    if (refuse_group(kernel, shared_bytes, why, room))
        return true;
    if (!map_maker())
        snprintf(why, room, "needs tensor maps, which this driver cannot make: update it");
    return !map_maker();
}

#endif
