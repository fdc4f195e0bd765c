/*
 * sgemm-shapes: tiles that fit
 *
 * Idea      The shape of a tile follows from that of C. There are six: one of 128 x 256 that is alone on its
 *           multiprocessor, and five smaller ones, two blocks of which share one: while one stores its sums, the
 *           other one multiplies. A model of their times, with constants that were measured, chooses.
 * Since     Most of sgemm-pipelined's one tile was wasted where C is narrow; where k is small, its multiply-adds
 *           waited for the stores; and a small C had fewer tiles than there are multiprocessors.
 * Expect    At each shape the time of the best tile, less than sgemm-pipelined's. A round of tiles that fills a
 *           part of the device still takes as long as a full one. See docs/sgemm-shapes.md.
 * Source    CUTLASS's tile shapes, and the heuristics by which libraries choose among kernels.
 */
#include "families/gemm/pipeline.h"

/* With 4 WORDS for rows of B that begin at multiples of 16 bytes and have a multiple of 4 words. */
template <typename T, int WORDS, bool EDGES>
__global__ void __launch_bounds__(T::threads, T::blocks)
sgemm(struct work w, struct tiling tiling)
{
    extern __shared__ float4 shared[];
    float *memory = (float *)shared;
    size_t tile = blockIdx.x, tiles = tiling.across * tiling.down;
    struct segment now = {0, 0, 0, tiling.depth}, next = now;
    struct copies copies;

    place<T>(&now, tiling, tile);
    begin<T, WORDS, EDGES>(&copies, memory, now, w, tiling.end);
    while (tile < tiles) {
        float sum[DOWN][ACROSS] = {};

        accumulate<T, WORDS, EDGES>(sum, memory, &copies, (int)tiling.depth, tiling.end, w);
        /* The next tile's first stages come while this one's sums are stored. */
        tile += gridDim.x;
        if (tile < tiles) {
            place<T>(&next, tiling, tile);
            begin<T, WORDS, EDGES>(&copies, memory, next, w, tiling.end);
        }
        store<T>(sum, memory, part_of_c<T>(w, now));
        now = next;
    }
}

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <typename T, int WORDS, bool EDGES>
static void start(const struct work *w, const struct tiling &tiling)
{
    static const int shared = T::words * (int)sizeof(float);
    static bool asked;
    size_t tiles = tiling.across * tiling.down;
    size_t blocks = tiles < (size_t)w->blocks ? tiles : (size_t)w->blocks;

    if (!asked)
        asked = cudaFuncSetAttribute(sgemm<T, WORDS, EDGES>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     shared) == cudaSuccess;
    if (asked)
        sgemm<T, WORDS, EDGES><<<(unsigned)blocks, T::threads, shared>>>(*w, tiling);
}

template <typename T> static void launch_tiles(struct work *w, const struct tiling &tiling)
{
    if (quads_of(w) && all_whole<T>(w))
        start<T, 4, !T::apart>(w, tiling);
    else if (quads_of(w))
        start<T, 4, true>(w, tiling);
    else
        start<T, 1, true>(w, tiling);
}

typedef struct choice<void(struct work *, const struct tiling &)> tile_choice;

#define CHOICE(T) choice_of<T>(launch_tiles<T>)
static const tile_choice choices[] = {ALL_TILES(CHOICE)};

/* Rounds of tiles: in each a block makes one. */
static double time_of(const tile_choice &c, const size_t axis[], size_t blocks)
{
    struct tiling t = tiling_of(c, axis);

    return c.product +
           (double)ceiling(t.across * t.down, blocks) * ((double)axis[GEMM_K] * c.step + c.whole);
}

static void fitted(struct work *w)
{
    size_t axis[] = {w->m, w->n, w->k};
    const tile_choice &c = quickest(choices, w->threads, axis, time_of);

    if (w->m > 0 && w->n > 0)
        c.launch(w, tiling_of(c, axis));
}

static void fitted_shape(struct shape *s)
{
    shape_for(s, quickest(choices, s->threads, s->axis, time_of));
}

static const struct variant variants[] = {
    {"fitted", "the shape of tiles is chosen by that of C", fitted, THREADS_BY_SIZE, NULL,
     resident_tiles, fitted_shape},
};

static const struct launches launches[] = {
    {RECORD | GPU_ONLY, {"-n 16384 -r 3 -w 1 -v fitted -v cublas"}},
    {MUTATED, {"-n 900x100x288 -b 5 -v fitted"}}, /* eight tiles for five blocks */
    {0},
};

STEP("sgemm-shapes", gemm_family, variants, launches);
