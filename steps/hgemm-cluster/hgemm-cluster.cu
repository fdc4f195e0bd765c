/*
 * hgemm-cluster: a block stays for several tiles, and two blocks load for each other
 *
 * Idea      No product hides the store of C in hgemm-tma. Here C goes through shared memory, and the TMA stores it. A
 *           block stays: while its consumers store a tile, its producer already loads the next one. And two blocks
 *           below each other, a cluster, need the same columns of B: each loads half of them for both, by multicast.
 * Since     hgemm-tma, where a block ended with its tile, and each block loaded all that it needs.
 * Expect    Fewer stores, of whole lines; fewer moments without products; of B half as many bytes from the L2 cache.
 *           See docs/hgemm-cluster.md.
 * Source    The PTX ISA: cp.async.bulk.tensor with .multicast::cluster, mapa, mbarrier, barrier.cluster. CUTLASS:
 *           persistent kernels, clusters, and the arrival that frees a slot in another block.
 */
#include "families/gemm/tensor_group_store.h"

#define WARPS (CONSUMERS * GROUP / 32) /* that store */
#define PAIR 2                         /* blocks of a cluster */

/* In shared memory: what a warp stores, two pieces in turn, and the stages. */
struct room {
    float pieces[WARPS][2][16][PIECE];
    struct ring ring;
};

/* --- a cluster ----------------------------------------------------------------------------------- */

/* All threads of a block, or of the cluster, are here. Where the cluster is a block, the first is cheaper. */
template <int BLOCKS> static __device__ __forceinline__ void meet()
{
    if (BLOCKS == 1)
        __syncthreads();
    else
        GROUP_ASM("barrier.cluster.arrive.release.aligned;\n"
                  "barrier.cluster.wait.acquire.aligned;" ::
                      : "memory");
}

/* The barriers that this thread has begun are there for the TMA, and for the other block. */
template <int BLOCKS> static __device__ __forceinline__ void publish_barriers()
{
    fence_memory();
    if (BLOCKS > 1)
        show_barriers();
}

/* Arrive at the barrier that lies at the same place in a block of the cluster. Without a scope, which is the block's:
 * with .release.cluster nvcc makes MEMBAR.ALL.GPU of it, once per stage, and a third of the rate is lost. Nothing that
 * this thread has written is handed over, so that none is needed. */
static __device__ __forceinline__ void arrive_at(uint64_t *barrier, int rank)
{
    GROUP_ASM("{\n"
              ".reg .b32 there;\n"
              "mapa.shared::cluster.u32 there, %0, %1;\n"
              "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
              "}" ::"r"(shared_address(barrier)),
              "r"(rank)
              : "memory");
}

/* As load_box, at the same place in both blocks; in each the bytes count at the barrier there. */
static __device__ __forceinline__ void load_box_for_both(element *to, const CUtensorMap *map,
                                                         size_t at, size_t line, uint64_t *barrier)
{
    GROUP_ASM("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
              ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
              "l"(map), "r"((int)at), "r"((int)line), "r"(shared_address(barrier)), "h"((short)3)
              : "memory");
}

/* --- the producer -------------------------------------------------------------------------------- */

template <int BLOCKS>
static __device__ __forceinline__ void load_columns(element *to, const CUtensorMap *map, size_t at,
                                                    size_t line, uint64_t *full)
{
    if (BLOCKS == 1)
        load_box(to, map, at, line, full);
    else
        load_box_for_both(to, map, at, line, full);
}

/* By one thread: the block's own rows of A, and of B the part that it loads for all blocks of the cluster. So a stage
 * has as many bytes as before, of which the others load some. */
template <bool NT, int BLOCKS>
static __device__ __forceinline__ void load_stage(struct stage *s, const struct maps &maps,
                                                  size_t row, size_t col, size_t k, uint64_t *full)
{
    int part = COLS / BLOCKS, first = blockIdx.x % BLOCKS * part;

    arrive_expecting(full, sizeof(struct stage));
    load_box(s->a[0], &maps.a, k, row, full);
    if (NT)
        load_columns<BLOCKS>(s->b[first], &maps.b, k, col + first, full);
    else
        for (int j = first; j < first + part; j += LINE)
            load_columns<BLOCKS>(s->b[j], &maps.b, col + j, k, full);
}

/* The stages of all tiles of the block follow each other. */
template <bool NT, int MAPS, int BLOCKS>
static __device__ __forceinline__ void produce(struct ring *ring, const struct work &w,
                                               const struct maps &maps)
{
    struct turn t = {0, 0};
    size_t row, col;

    if (MAPS > 0 && threadIdx.x % GROUP != 0)
        return;
    for (unsigned tile = blockIdx.x; tile < tiles<BLOCKS>(w); tile += gridDim.x) {
        place_of<BLOCKS>(w, tile, &row, &col);
        for (size_t k = 0; k < w.k; k += DEEP) {
            struct stage *s = &ring->stages[t.stage];

            wait(&ring->empty[t.stage], t.parity ^ 1);
            if (MAPS > 0)
                load_stage<NT, BLOCKS>(s, maps, row, col, k, &ring->full[t.stage]);
            else
                copy_stage<NT>(s, w, row, col, k, &ring->full[t.stage]);
            to_next(&t);
        }
    }
}

/* --- a consumer ---------------------------------------------------------------------------------- */

/* This warpgroup is done with a stage: for the producers of all blocks of the cluster, who load into it. */
template <int BLOCKS> static __device__ __forceinline__ void release(uint64_t *empty)
{
    int rank = threadIdx.x % GROUP;

    if (BLOCKS == 1 && rank == 0)
        arrive(empty);
    if (BLOCKS > 1 && rank < BLOCKS)
        arrive_at(empty, rank);
}

/* The sums of a tile. With the last stage empty, too, the producer can load for the next tile. */
template <bool NT, int MAPS, int BLOCKS>
static __device__ __forceinline__ void consume(struct ring *ring, const struct work &w,
                                               struct turn *t, float (&sums)[GROUP_SUMS])
{
    int before = 0;

    for (size_t k = 0; k < w.k; k += DEEP) {
        wait(&ring->full[t->stage], t->parity);
        begin_products<NT>(sums, &ring->stages[t->stage], k > 0);
        wait_products<1>();
        if (k > 0)
            release<BLOCKS>(&ring->empty[before]);
        before = t->stage;
        to_next(t);
    }
    wait_products<0>();
    if (MAPS > 0 || w.k > 0)
        release<BLOCKS>(&ring->empty[before]);
    for (int i = 0; i < GROUP_SUMS && MAPS == 0 && w.k == 0; i++)
        sums[i] = 0;
}

/* --- stores -------------------------------------------------------------------------------------- */

/* A warp stores its 16 x 256 sums in pieces: one is written while the TMA reads the other. */
static __device__ __forceinline__ void store_pieces(struct room *room, const struct work &w,
                                                    const CUtensorMap *map,
                                                    const float (&sums)[GROUP_SUMS], size_t row,
                                                    size_t col)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

#pragma unroll
    for (int i = 0; i < COLS / PIECE; i++) {
        float(&piece)[16][PIECE] = room->pieces[warp][i % 2];

        if (lane == 0)
            wait_read<1>();
        __syncwarp();
        write_piece(piece, w, sums + i * PIECE / 2);
        fence_memory();
        __syncwarp();
        if (lane == 0)
            store_box(piece, map, col + i * PIECE, row + warp * 16);
    }
}

/* --- the kernel ---------------------------------------------------------------------------------- */

template <bool NT, int MAPS, int BLOCKS>
static __device__ __forceinline__ void consume_tiles(struct room *room, const struct work &w,
                                                     const CUtensorMap &c)
{
    struct turn t = {0, 0};
    size_t row, col;

    for (unsigned tile = blockIdx.x; tile < tiles<BLOCKS>(w); tile += gridDim.x) {
        float sums[GROUP_SUMS];

        place_of<BLOCKS>(w, tile, &row, &col);
        consume<NT, MAPS, BLOCKS>(&room->ring, w, &t, sums);
        if (MAPS == 3)
            store_pieces(room, w, &c, sums, row, col);
        else
            store_group(w, sums, row, col);
    }
    if (MAPS == 3 && threadIdx.x % 32 == 0)
        wait_read<0>();
}

/* Blocks take tiles in turn. MAPS: how many matrices have maps. No block of a cluster ends before the other one, which
 * may still load into its stages. */
template <bool NT, int MAPS, int BLOCKS> static __global__ void __launch_bounds__(BLOCK_THREADS, 1)
hgemm(struct work w, const __grid_constant__ struct maps maps,
      const __grid_constant__ CUtensorMap c)
{
    extern __shared__ __align__(1024) uint4 memory[];
    struct room *room = (struct room *)memory;

    for (int s = 0; s < STAGES && threadIdx.x == 0; s++) {
        begin_barrier(&room->ring.full[s], MAPS > 0 ? 1 : GROUP);
        begin_barrier(&room->ring.empty[s], CONSUMERS * BLOCKS);
    }
    publish_barriers<BLOCKS>();
    meet<BLOCKS>();
    if (threadIdx.x >= CONSUMERS * GROUP)
        produce<NT, MAPS, BLOCKS>(&room->ring, w, maps);
    else
        consume_tiles<NT, MAPS, BLOCKS>(room, w, c);
    if (BLOCKS > 1) {
        __syncwarp();
        meet<BLOCKS>();
    }
}

/* --- the launch ---------------------------------------------------------------------------------- */

/* Makes those maps that can say how a matrix lies. Returns how many: of A, B and C, of A and B, or none. If something
 * is to be added to what C holds its map is of no use: a store does not add. */
static int map_all(struct maps *maps, CUtensorMap *c, const struct work &w, int blocks)
{
    if (!map_both(maps, w, COLS / blocks))
        return 0;
    return w.beta == 0 && map_matrix(c, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, w.c, w.n, w.m, w.ldc, 16)
               ? 3
               : 2;
}

/* In clusters of so many blocks. A cluster of one block takes longer where it is marked as one. A block may have so
 * much shared memory only if that was asked for; once is enough. */
template <bool NT, int MAPS, int BLOCKS>
static void start(const struct work *w, const struct maps &maps, const CUtensorMap &c,
                  unsigned grid)
{
    static bool asked;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster = {};

    if (!asked)
        asked = cudaFuncSetAttribute(hgemm<NT, MAPS, BLOCKS>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)sizeof(struct room)) == cudaSuccess;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = BLOCKS;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = grid;
    config.blockDim = BLOCK_THREADS;
    config.dynamicSmemBytes = sizeof(struct room);
    config.attrs = &cluster;
    config.numAttrs = BLOCKS > 1;
    if (asked)
        cudaLaunchKernelEx(&config, hgemm<NT, MAPS, BLOCKS>, *w, maps, c);
}

/* Where A and B have no map, each block copies by itself. */
template <bool NT, int BLOCKS> static void launch(const struct work *w, unsigned grid)
{
    struct maps maps = {};
    CUtensorMap c = {};

    switch (map_all(&maps, &c, *w, BLOCKS)) {
    case 3:
        return start<NT, 3, BLOCKS>(w, maps, c, grid);
    case 2:
        return start<NT, 2, BLOCKS>(w, maps, c, grid);
    default:
        return start<NT, 0, 1>(w, maps, c, grid);
    }
}

template <int BLOCKS> static void launch_any(const struct work *w, unsigned grid)
{
    if (w->m > 0 && w->n > 0)
        w->transposed ? launch<true, BLOCKS>(w, grid) : launch<false, BLOCKS>(w, grid);
}

static void stores(struct work *w)
{
    launch_any<1>(w, w->m > 0 && w->n > 0 ? tiles(*w) : 0);
}

static void persistent(struct work *w)
{
    launch_any<1>(w, (unsigned)w->blocks);
}

static void multicast(struct work *w)
{
    launch_any<PAIR>(w, (unsigned)w->blocks);
}

/* A block per multiprocessor, but no more than there are tiles. */
template <int BLOCKS> static void stay(struct shape *s)
{
    struct work w = {};
    int most = BLOCKS;

    if (s->blocks > 0)
        return;
    gemm_one_each(s);
    w.m = s->axis[GEMM_M];
    w.n = s->axis[GEMM_N];
    if (w.m > 0 && w.n > 0 && tiles<BLOCKS>(w) > BLOCKS)
        most = (int)tiles<BLOCKS>(w);
    s->blocks = s->blocks < most ? s->blocks / BLOCKS * BLOCKS : most;
    if (s->blocks == 0)
        s->blocks = BLOCKS;
}

template <int BLOCKS> static bool refuse(const struct shape *s, char *why, size_t room)
{
    if (s->blocks % BLOCKS != 0) {
        snprintf(why, room, "needs clusters of %d blocks; got %d blocks", BLOCKS, s->blocks);
        return true;
    }
    return refuse_tma((const void *)hgemm<false, 3, BLOCKS>, sizeof(struct room), why, room);
}

static const struct variant variants[] = {
    {"stores", "C goes through shared memory, stored by the TMA", stores, GRID_BY_SIZE,
     .threads = BLOCK_THREADS, .refuse = refuse<1>},
    {"persistent", "and a block stays for several tiles", persistent, .default_shape = stay<1>,
     .threads = BLOCK_THREADS, .refuse = refuse<1>},
    {"multicast", "and two blocks load B for each other", multicast, .default_shape = stay<PAIR>,
     .threads = BLOCK_THREADS, .refuse = refuse<PAIR>},
};

/* Blocks that make several tiles, where the grid of a small C would have a block for each. Tiles of a single step along
 * k, more than there are stages. */
static const struct launches launches[] = {
    {COUNTED, {"-n 256x512x64 -b 2 -v persistent -v multicast"}},
    {SANITIZED, {"-n 130x264x328 -b 2 -v persistent -v multicast"}},
    {MUTATED,
     {"-n 385x520x72 -b 2 -v persistent -v multicast", "-n 513x264x328 -b 4 -v multicast",
      "-n 513x1x1 -b 1 -v persistent"}},
    {CHECKED,
     {"-n 385x264x136 -b 2 -v persistent -v multicast",
      "-n 130x520x328 -b 2 -v multicast --layout NT"}},
    {TESTED,
     {"-n 300x521x265 -b 2 -v persistent -v multicast",
      "-n 300x520x264 -b 3 -v persistent --beta 2 --pad 8",
      "-n 641x520x72 -b 4 -v multicast --layout NT --pad 4"}},
    {0},
};

STEP("hgemm-cluster", hgemm_family, variants, launches);
