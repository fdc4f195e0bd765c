/*
 * A producer and consumers around a ring of stages: what hgemm-tma, hgemm-cluster and hgemm-narrow
 * share. The barriers that count bytes, the copy of a box, the fall-back where no map can say how
 * rows lie, and the maps.
 */
#ifndef TENSOR_GROUP_TMA_H
#define TENSOR_GROUP_TMA_H

#include <limits.h>

#include "families/gemm/tensor_group.h"
#include "harness/kit/tma.h"

#define STAGES 4
#define CONSUMERS 2 /* warpgroups; the third one of a block is the producer */
#define BLOCK_THREADS ((CONSUMERS + 1) * GROUP)

/* In shared memory: the stages, which take turns, and two barriers for each. */
struct ring {
    struct stage stages[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

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
 * element of a stage of HIGH rows of A and WIDE columns of B. */
template <bool NT, int HIGH = ROWS, int WIDE = COLS, typename T>
static __device__ __forceinline__ void copy_stage(T *s, const struct work &w, size_t row,
                                                  size_t col, size_t k, uint64_t *full)
{
    int place = threadIdx.x % LINE;

#pragma unroll 4
    for (int line = threadIdx.x % GROUP / LINE; line < HIGH; line += GROUP / LINE)
        s->a[line][swizzled(line, place / CHUNK) + place % CHUNK] =
            row + line < w.m && k + place < w.k ? w.a[(row + line) * w.lda + k + place]
                                                : (element)0.0f;
#pragma unroll 4
    for (int line = threadIdx.x % GROUP / LINE; line < WIDE; line += GROUP / LINE) {
        size_t j = col + (NT ? line : line / DEEP * LINE + place),
               i = k + (NT ? place : line % DEEP);

        s->b[line][swizzled(line, place / CHUNK) + place % CHUNK] =
            j < w.n && i < w.k ? w.b[NT ? j * w.ldb + i : i * w.ldb + j] : (element)0.0f;
    }
    fence_memory();
    arrive(full);
}

/* --- maps ------------------------------------------------------------------------------------- */

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
static bool map_both(struct maps *maps, const struct work &w, int cols, int rows = ROWS)
{
    CUtensorMapDataType type = ELEMENT_NAME(MAP_);

    return map_matrix(&maps->a, type, w.a, w.k, w.m, w.lda, rows) &&
           (w.transposed ? map_matrix(&maps->b, type, w.b, w.k, w.n, w.ldb, cols)
                         : map_matrix(&maps->b, type, w.b, w.n, w.k, w.ldb, DEEP));
}

#endif
