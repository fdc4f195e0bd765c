/*
 * hgemm-narrow: a small C is cut into small tiles
 *
 * Idea      A C of 1024 x 1024 is 32 tiles of 128 x 256, and 100 of 132 multiprocessors have nothing to do. Cut into
 *           tiles of 64 x 128 it is 128, so that nearly each multiprocessor has one; cut into 64 x 64, a C of
 *           512 x 512 still is 64. So a block is one warpgroup that multiplies, and one that loads.
 * Since     hgemm-cluster, whose tiles make the most of what is loaded, so that a large C takes the least time.
 * Expect    A tile has a fourth or an eighth of the products, so that a small C takes less time. Each byte that is
 *           loaded takes part in fewer products, so that a large C takes longer. See docs/hgemm-narrow.md.
 * Source    The PTX ISA: wgmma with n128 and n64. cuBLAS, whose kernels for small products have small tiles.
 */
#include "families/gemm/tensor_group_store.h"

#define HIGH 64            /* rows of a tile, those of a warpgroup */
#define SLOTS 8            /* of a ring */
#define BOTH (2 * GROUP)   /* threads: the consumer, and the producer */
#define WARPS (GROUP / 32) /* that store */

template <int WIDE> struct slot {
    element a[HIGH][LINE], b[WIDE][LINE];
};

/* In shared memory: the stages, two barriers for each, and what a warp stores. */
template <int WIDE> struct narrow_room {
    struct slot<WIDE> slots[SLOTS];
    float pieces[WARPS][WIDE / PIECE][16][PIECE];
    uint64_t full[SLOTS], empty[SLOTS];
};

/* Which slot stage number s is in, and the parity of its phase there. */
static __device__ __forceinline__ int slot_of(size_t s)
{
    return s % SLOTS;
}

static __device__ __forceinline__ int parity_of(size_t s)
{
    return s / SLOTS % 2;
}

/* --- tiles --------------------------------------------------------------------------------------- */

template <int WIDE> static unsigned narrow_tiles(const struct work &w)
{
    return (unsigned)((w.m - 1) / HIGH + 1) * (unsigned)((w.n - 1) / WIDE + 1);
}

/* Tiles follow each other down C, then to the right. */
template <int WIDE>
static __device__ __forceinline__ void place_of(const struct work &w, size_t *row, size_t *col)
{
    unsigned down = (unsigned)((w.m - 1) / HIGH + 1);

    *row = (size_t)(blockIdx.x % down) * HIGH;
    *col = (size_t)(blockIdx.x / down) * WIDE;
}

/* --- the producer -------------------------------------------------------------------------------- */

/* By one thread, as in hgemm-tma. */
template <bool NT, int WIDE>
static __device__ __forceinline__ void load_slot(struct slot<WIDE> *s, const struct maps &maps,
                                                 size_t row, size_t col, size_t k, uint64_t *full)
{
    arrive_expecting(full, sizeof(*s));
    load_box(s->a[0], &maps.a, k, row, full);
    if (NT)
        load_box(s->b[0], &maps.b, k, col, full);
    else
        for (int j = 0; j < WIDE; j += LINE)
            load_box(s->b[j], &maps.b, col + j, k, full);
}

template <bool NT, bool MAPPED, int WIDE>
static __device__ __forceinline__ void produce(struct narrow_room<WIDE> *room, const struct work &w,
                                               const struct maps &maps, size_t row, size_t col)
{
    if (MAPPED && threadIdx.x % GROUP != 0)
        return;
    for (size_t s = 0; s * DEEP < w.k; s++) {
        struct slot<WIDE> *slot = &room->slots[slot_of(s)];
        uint64_t *full = &room->full[slot_of(s)];

        wait(&room->empty[slot_of(s)], parity_of(s) ^ 1);
        if (MAPPED)
            load_slot<NT>(slot, maps, row, col, s * DEEP, full);
        else
            copy_stage<NT, HIGH, WIDE>(slot, w, row, col, s * DEEP, full);
    }
}

/* --- the consumer -------------------------------------------------------------------------------- */

/* As multiply_group of tensor_group.h, whose B is 256 columns wide: here B is 16 x 128, and D 64 x 128. */
template <int ROWS_OF_B>
static __device__ __forceinline__ void multiply_narrow(float (&d)[64], uint64_t a, uint64_t b,
                                                       bool add)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.ne.b32 add, %66, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n128k16.f32." PTX_TYPE "." PTX_TYPE " {"
              "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
              "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
              "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "
              "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "
              "%58, %59, %60, %61, %62, %63"
              "}, %64, %65, add, 1, 1, 0, %67;\n"
              "}"
              : SUMS_64(0)
              : "l"(a), "l"(b), "r"((int)add), "n"(ROWS_OF_B));
}

/* B is 16 x 64, and D 64 x 64. */
template <int ROWS_OF_B>
static __device__ __forceinline__ void multiply_narrow(float (&d)[32], uint64_t a, uint64_t b,
                                                       bool add)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.ne.b32 add, %34, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n64k16.f32." PTX_TYPE "." PTX_TYPE " {"
              "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
              "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
              "%30, %31"
              "}, %32, %33, add, 1, 1, 0, %35;\n"
              "}"
              : SUMS_16(0), SUMS_16(16)
              : "l"(a), "l"(b), "r"((int)add), "n"(ROWS_OF_B));
}

/* Four products, each with 16 steps along k, begin as one group. */
template <bool NT, int WIDE>
static __device__ __forceinline__ void begin_slot(float (&sums)[WIDE / 2],
                                                  const struct slot<WIDE> *s, bool add)
{
    fence_registers();
#pragma unroll
    for (int step = 0; step < DEEP; step += 16)
        multiply_narrow<!NT>(sums, descriptor(&s->a[0][step]),
                             descriptor(NT ? &s->b[0][step] : &s->b[step][0]), add || step > 0);
    commit_products();
}

/* As in hgemm-tma: while the products of a stage run, those of the stage before end, and it is empty. */
template <bool NT, int WIDE>
static __device__ __forceinline__ void consume(struct narrow_room<WIDE> *room, const struct work &w,
                                               float (&sums)[WIDE / 2])
{
    for (size_t s = 0; s * DEEP < w.k; s++) {
        wait(&room->full[slot_of(s)], parity_of(s));
        begin_slot<NT>(sums, &room->slots[slot_of(s)], s > 0);
        wait_products<1>();
        if (s > 0 && threadIdx.x == 0)
            arrive(&room->empty[slot_of(s - 1)]);
    }
    wait_products<0>();
    for (int i = 0; i < WIDE / 2 && w.k == 0; i++)
        sums[i] = 0;
}

/* A warp has 16 rows of sums. There is a place for each piece of them, so that none is waited for before the end. */
template <int WIDE>
static __device__ __forceinline__ void
store_pieces(struct narrow_room<WIDE> *room, const struct work &w, const CUtensorMap *map,
             const float (&sums)[WIDE / 2], size_t row, size_t col)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

#pragma unroll
    for (int i = 0; i < WIDE / PIECE; i++) {
        write_piece(room->pieces[warp][i], w, sums + i * PIECE / 2);
        fence_memory();
        __syncwarp();
        if (lane == 0)
            store_box(room->pieces[warp][i], map, col + i * PIECE, row + warp * 16);
    }
    if (lane == 0)
        wait_read<0>();
}

/* --- the kernel ---------------------------------------------------------------------------------- */

/* A map is read from memory, too: this asks for it before it is needed. */
static __device__ __forceinline__ void ask_for(const CUtensorMap *map)
{
    GROUP_ASM("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* MAPPED: A and B have maps; boxes: C has one, too. */
template <bool NT, bool MAPPED, int WIDE> static __global__ void __launch_bounds__(BOTH, 1)
hgemm(struct work w, const __grid_constant__ struct maps maps,
      const __grid_constant__ CUtensorMap c, bool boxes)
{
    extern __shared__ __align__(1024) uint4 memory[];
    struct narrow_room<WIDE> *room = (struct narrow_room<WIDE> *)memory;
    size_t row, col;

    if (!HAS_GROUPS)
        return;
    if (MAPPED && threadIdx.x == GROUP) {
        ask_for(&maps.a);
        ask_for(&maps.b);
        if (boxes)
            ask_for(&c);
    }
    place_of<WIDE>(w, &row, &col);
    for (int s = 0; s < SLOTS && threadIdx.x == 0; s++) {
        begin_barrier(&room->full[s], MAPPED ? 1 : GROUP);
        begin_barrier(&room->empty[s], 1);
    }
    fence_memory();
    __syncthreads();
    if (threadIdx.x >= GROUP) {
        produce<NT, MAPPED>(room, w, maps, row, col);
        return;
    }

    float sums[WIDE / 2];

    consume<NT>(room, w, sums);
    if (boxes)
        store_pieces(room, w, &c, sums, row, col);
    else
        store_group(w, sums, row, col);
}

/* --- the launch ---------------------------------------------------------------------------------- */

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <bool NT, bool MAPPED, int WIDE>
static void start(const struct work *w, const struct maps &maps, const CUtensorMap &c, bool boxes)
{
    static bool asked;

    if (!asked)
        asked = cudaFuncSetAttribute(hgemm<NT, MAPPED, WIDE>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)sizeof(struct narrow_room<WIDE>)) == cudaSuccess;
    if (asked)
        hgemm<NT, MAPPED, WIDE><<<narrow_tiles<WIDE>(*w), BOTH, sizeof(struct narrow_room<WIDE>)>>>(
            *w, maps, c, boxes);
}

/* Where something is to be added to what C holds its map is of no use: a store does not add. */
template <int WIDE> static void launch(struct work *w)
{
    struct maps maps = {};
    CUtensorMap c = {};
    bool boxes;

    if (w->m == 0 || w->n == 0)
        return;
    if (!map_both(&maps, *w, WIDE, HIGH)) {
        w->transposed ? start<true, false, WIDE>(w, maps, c, false)
                      : start<false, false, WIDE>(w, maps, c, false);
        return;
    }
    boxes = w->beta == 0 &&
            map_matrix(&c, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, w->c, w->n, w->m, w->ldc, 16);
    w->transposed ? start<true, true, WIDE>(w, maps, c, boxes)
                  : start<false, true, WIDE>(w, maps, c, boxes);
}

template <int WIDE> static bool refuse(const struct shape *s, char *why, size_t room)
{
    (void)s;
    return refuse_tma((const void *)hgemm<false, true, WIDE>, sizeof(struct narrow_room<WIDE>), why,
                      room, WIDE / 2);
}

static const struct variant variants[] = {
    {"narrow", "tiles of 64 x 128", launch<128>, GRID_BY_SIZE, .threads = BOTH,
     .refuse = refuse<128>},
    {"square", "tiles of 64 x 64", launch<64>, GRID_BY_SIZE, .threads = BOTH, .refuse = refuse<64>},
};

/* More stages than there are slots, so that a slot has phases of both parities. */
static const struct launches launches[] = {
    {SANITIZED, {"-n 66x130x1096"}},
    {MUTATED,
     {"-n 72x136x1096", "-n 66x70x1100 --layout NT --pad 1 --beta 2",
      "-n 64x136x584 --layout NT --pad 8"}},
    {CHECKED, {"-n 72x136x1096", "-n 66x130x584 --layout NT"}},
    {TESTED,
     {"-n 130x264x1101 --pad 3", "-n 65x136x1032 --layout NT --beta 2", "-n 65x70x1030 --pad 1"}},
    {0},
};

STEP("hgemm-narrow", hgemm_family, variants, launches);
