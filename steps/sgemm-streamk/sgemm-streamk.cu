/*
 * sgemm-streamk: all blocks end together
 *
 * Idea      A tile of C need not be made by one block: what does not go evenly around the blocks is cut along
 *           k, and each makes an equal part. Blocks of one tile leave their sums in memory, wait for each
 *           other, and add up a share of the tile each.
 * Since     The last round of sgemm-shapes' tiles filled a part of the device, and so did a small C.
 * Expect    The same main loop; its time is what the area of C and its depth say, at any shape. See
 *           docs/sgemm-streamk.md.
 * Source    M. Osama et al., "Stream-K", 2023.
 */
#include <cuda/atomic>

#include "families/gemm/rim.h"

#define PART 64     /* steps along k at least of a tile that is cut */
#define UNEVEN 5000 /* ns that it takes longer if tiles have parts of several lengths */

/* With the place of a cut tile's start, in the row of those that are cut. */
struct piece : segment {
    size_t start;
};

/* Which tiles are made whole: as many as go evenly around the blocks. The others are taken as one long row of
 * stages, and cut into equal parts, for the first blocks. */
struct plan : tiling {
    size_t whole;
    size_t stages, sharers; /* of all cut tiles; blocks that get a part, of a stage or more */
};

/* --- cut tiles ----------------------------------------------------------------------------------- */

/* Where the part of the cut tiles begins that a block makes; and which block makes a stage of them. */
static __device__ __forceinline__ size_t cut(const struct plan &plan, size_t block)
{
    return plan.stages * (block < plan.sharers ? block : plan.sharers) / plan.sharers;
}

static __device__ __forceinline__ size_t maker(const struct plan &plan, size_t stage)
{
    return ((stage + 1) * plan.sharers - 1) / plan.stages;
}

/* Where a block leaves its sums of a cut tile. It has parts of two at most, which are neighbours. */
template <typename T>
static __device__ __forceinline__ float *slot(const struct work &w, size_t block, size_t tile)
{
    return w.partial + (block * 2 + tile % 2) * T::rows * T::cols;
}

/* Store the sums of what some blocks have left of a tile, of these quads. To have many loads under way, a
 * thread asks for QUADS quads of PARTS blocks at a time. A warp hands over as above. */
template <typename T, int QUADS, int PARTS>
static __device__ __forceinline__ void add_quads(const struct work &w, const struct target &to,
                                                 float *memory, size_t tile, unsigned from,
                                                 unsigned end, unsigned first, unsigned last)
{
    float *places = memory + STAGES * (T::a_words + T::b_words) + threadIdx.x / 32 * T::store_words;
    unsigned lane = threadIdx.x % 32;

    for (unsigned q = from + threadIdx.x; q - lane < end; q += QUADS * T::threads) {
        float4 sum[QUADS] = {}, x[PARTS][QUADS];

#pragma unroll 1
        for (unsigned b = first; b <= last; b += PARTS) {
#pragma unroll
            for (int p = 0; p < PARTS; p++)
#pragma unroll
                for (int i = 0; i < QUADS; i++)
                    x[p][i] =
                        b + p <= last && q + i * T::threads < end
                            ? __ldcg((const float4 *)slot<T>(w, b + p, tile) + q + i * T::threads)
                            : float4{};
#pragma unroll
            for (int p = 0; p < PARTS; p++)
#pragma unroll
                for (int i = 0; i < QUADS; i++)
                    sum[i] = {sum[i].x + x[p][i].x, sum[i].y + x[p][i].y, sum[i].z + x[p][i].z,
                              sum[i].w + x[p][i].w};
        }
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            __syncwarp();
            ((float4 *)places)[lane] = sum[i];
            __syncwarp();
#pragma unroll
            for (int e = 0; e < 4; e++) {
                unsigned at = (q + i * T::threads - lane) * 4 + e * 32 + lane;

                if (at < end * 4)
                    put(to, at / T::cols, at % T::cols, places[e * 32 + lane]);
            }
        }
    }
}

/*
 * The rest of the work on a cut tile, after this block has left its sums: wait for those of the others, and
 * add up a share. All share but a first block that goes on to the tile before.
 */
template <typename T>
static __device__ __forceinline__ void add_share(const struct work &w, const struct piece &p,
                                                 const struct plan &plan, const struct target &to,
                                                 float *memory)
{
    size_t tile = p.start / plan.depth;
    unsigned first = (unsigned)maker(plan, p.start),
             last = (unsigned)maker(plan, p.start + plan.depth - 1), left = last - first + 1;
    unsigned begin = first + (cut(plan, first) < p.start), sharing = last - begin + 1;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(w.flags[tile]);
    const unsigned quads = T::rows * T::cols / 4;
    unsigned from = quads * (blockIdx.x - begin) / sharing,
             end = quads * (blockIdx.x - begin + 1) / sharing;

    if (threadIdx.x == 0) {
        while (flag.load(cuda::memory_order_acquire) < left)
            ;
        /* The last one that has seen it takes it down, for the next run. */
        if (flag.fetch_add(1, cuda::memory_order_relaxed) == left + sharing - 1)
            flag.store(0, cuda::memory_order_relaxed);
    }
    __syncthreads();
    if (left < 4)
        add_quads<T, 8, 2>(w, to, memory, tile, from, end, first, last);
    else
        add_quads<T, 1, 16>(w, to, memory, tile, from, end, first, last);
}

/* What a block has still to do: whole tiles from `tile` on, then the cut ones' stages first to end. */
struct rest {
    size_t tile, first, end;
};

/* The next piece. Of the cut tiles those at the end come first, because others wait for them. */
template <typename T>
static __device__ __forceinline__ bool next_piece(struct piece *p, struct rest *r,
                                                  const struct plan &plan)
{
    p->from = p->start = 0;
    p->to = plan.depth;
    if (r->tile < plan.whole) {
        place<T>(p, plan, r->tile);
        r->tile += gridDim.x;
        return true;
    }
    if (r->first >= r->end)
        return false;
    p->start = (r->end - 1) / plan.depth * plan.depth;
    place<T>(p, plan, plan.whole + p->start / plan.depth);
    p->from = r->first > p->start ? r->first - p->start : 0;
    p->to = r->end - p->start;
    r->end = p->start + p->from;
    return true;
}

/* With 4 WORDS for rows of B that begin at multiples of 16 bytes and have a multiple of 4 words. */
template <typename T, int WORDS, bool EDGES>
__global__ void __launch_bounds__(T::threads, T::blocks)
sgemm(struct work w, struct plan plan)
{
    extern __shared__ float4 shared[];
    float *memory = (float *)shared;
    struct rest rest = {blockIdx.x, cut(plan, blockIdx.x), cut(plan, blockIdx.x + 1)};
    struct piece now = {}, next = {};
    struct copies copies;
    bool more = next_piece<T>(&now, &rest, plan);

    if (more)
        begin<T, WORDS, EDGES>(&copies, memory, now, w, now.to == plan.depth ? plan.end : T::depth);
    while (more) {
        float sum[DOWN][ACROSS] = {};
        bool whole = now.from == 0 && now.to == plan.depth;

        accumulate<T, WORDS, EDGES>(sum, memory, &copies, (int)(now.to - now.from),
                                    now.to == plan.depth ? plan.end : T::depth, w);
        /* The next piece's first stages come while this one's sums are stored. */
        more = next_piece<T>(&next, &rest, plan);
        if (more)
            begin<T, WORDS, EDGES>(&copies, memory, next, w,
                                   next.to == plan.depth ? plan.end : T::depth);
        if (whole)
            store<T>(sum, memory, part_of_c<T>(w, now));
        else {
            store<T>(
                sum, memory,
                {slot<T>(w, blockIdx.x, now.start / plan.depth), T::cols, T::rows, T::cols, 1, 0});
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0)
                cuda::atomic_ref<unsigned, cuda::thread_scope_device>(
                    w.flags[now.start / plan.depth])
                    .fetch_add(1, cuda::memory_order_release);
            if (!more)
                add_share<T>(w, now, plan, part_of_c<T>(w, now), memory);
        }
        now = next;
    }
}

/* --- the launch ---------------------------------------------------------------------------------- */

/* A block may have so much shared memory only if that was asked for; once is enough. Blocks that wait for each
 * other must be on the device together. */
template <typename T, int WORDS, bool EDGES>
static void start(struct work *w, struct plan *plan, size_t blocks)
{
    static const int shared = T::words * (int)sizeof(float);
    static bool asked;
    void *arguments[] = {w, plan};

    if (!asked)
        asked = cudaFuncSetAttribute(sgemm<T, WORDS, EDGES>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     shared) == cudaSuccess;
    if (asked && plan->stages == 0)
        sgemm<T, WORDS, EDGES><<<(unsigned)blocks, T::threads, shared>>>(*w, *plan);
    else if (asked)
        cudaLaunchCooperativeKernel(sgemm<T, WORDS, EDGES>, dim3((unsigned)blocks),
                                    dim3(T::threads), arguments, shared, 0);
}

template <typename T> static void launch_tiles(struct work *w, struct plan *plan)
{
    size_t most = plan->whole > plan->sharers ? plan->whole : plan->sharers;
    size_t blocks = most < (size_t)w->blocks ? most : (size_t)w->blocks;

    if (quads_of(w) && all_whole<T>(w))
        start<T, 4, !T::apart>(w, plan, blocks);
    else if (quads_of(w))
        start<T, 4, true>(w, plan, blocks);
    else
        start<T, 1, true>(w, plan, blocks);
}

typedef struct choice<void(struct work *, struct plan *)> tile_choice;

#define CHOICE(T) choice_of<T>(launch_tiles<T>)
static const tile_choice choices[] = {ALL_TILES(CHOICE)};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Tiles of which those that do not go evenly around the blocks are cut for so many; 0: none. */
static struct plan plan_with(const tile_choice &c, const size_t axis[], size_t blocks,
                             size_t sharers)
{
    struct plan plan = {tiling_of(c, axis), 0, 0, 1};
    size_t tiles = plan.across * plan.down;

    plan.whole = sharers > 0 ? tiles / blocks * blocks : tiles;
    plan.stages = (tiles - plan.whole) * plan.depth;
    if (sharers > 0)
        plan.sharers = sharers;
    return plan;
}

/* What the block with the most work takes: rounds of whole tiles, then its part of the cut ones. */
static double time_of(const tile_choice &c, const struct plan &p, size_t k, size_t blocks)
{
    double time = c.product + (double)ceiling(p.whole, blocks) * ((double)k * c.step + c.whole);

    if (p.stages == 0)
        return time;
    if (p.sharers % (p.stages / p.depth) != 0)
        time += UNEVEN;
    return time + (double)(ceiling(p.stages, p.sharers) * c.depth) * c.step + c.cut;
}

/* The best of three plans: no tile is cut; each of the rest into as many parts; their row into as many as
 * there are blocks. A part has at least PART steps along k. */
static struct plan plan_of(const tile_choice &c, const size_t axis[], size_t blocks, double *time)
{
    struct plan best = plan_with(c, axis, blocks, 0);
    size_t rest = best.whole % blocks, most = axis[GEMM_K] / PART;
    size_t sharers[] = {rest > 0 ? rest * least(blocks / rest, most) : 0,
                        least(blocks, rest * most)};

    *time = time_of(c, best, axis[GEMM_K], blocks);
    for (int i = 0; i < 2; i++) {
        struct plan plan = plan_with(c, axis, blocks, sharers[i]);
        double its = time_of(c, plan, axis[GEMM_K], blocks);

        if (sharers[i] > rest && its < *time) {
            best = plan;
            *time = its;
        }
    }
    return best;
}

/* A product of m x n with this tile, the rest of C by a rim's kernel. */
struct parts {
    size_t body[3];
    struct plan plan;
};

static struct parts parts_of(const tile_choice &c, const size_t axis[], size_t blocks, bool rim,
                             double *time)
{
    struct parts p = {{axis[GEMM_M], axis[GEMM_N], axis[GEMM_K]}, {}};

    if (rim) {
        p.body[GEMM_M] = body_of(axis[GEMM_M], c.rows);
        p.body[GEMM_N] = body_of(axis[GEMM_N], c.cols);
    }
    p.plan = plan_of(c, p.body, blocks, time);
    *time += rim_time(axis, p.body[GEMM_M], p.body[GEMM_N]);
    return p;
}

/* The quicker of the two: without a rim, and with it. */
static struct parts best_parts(const tile_choice &c, const size_t axis[], size_t blocks,
                               double *time)
{
    double with;
    struct parts p = parts_of(c, axis, blocks, false, time);
    struct parts rimmed = parts_of(c, axis, blocks, true, &with);

    if (with >= *time)
        return p;
    *time = with;
    return rimmed;
}

static double time_with(const tile_choice &c, const size_t axis[], size_t blocks)
{
    double time;

    best_parts(c, axis, blocks, &time);
    return time;
}

static void cut_last(struct work *w)
{
    size_t axis[] = {w->m, w->n, w->k};
    double time;

    if (w->m == 0 || w->n == 0)
        return;
    struct plan plan = plan_of(choices[0], axis, (size_t)w->blocks, &time);
    choices[0].launch(w, &plan);
}

static void fitted(struct work *w)
{
    size_t axis[] = {w->m, w->n, w->k};
    const tile_choice &c = quickest(choices, 0, axis, time_with);
    struct work body = *w;
    double time;

    if (w->m == 0 || w->n == 0)
        return;
    struct parts p = best_parts(c, axis, (size_t)w->blocks, &time);
    body.m = p.body[GEMM_M];
    body.n = p.body[GEMM_N];
    c.launch(&body, &p.plan);
    launch_rim(w, body.m, body.n);
}

static void fitted_shape(struct shape *s)
{
    shape_for(s, quickest(choices, 0, s->axis, time_with));
}

static const struct variant variants[] = {
    {"cut", "tiles of 128 x 256; the last are cut along k", cut_last, WAITS, NULL,
     gemm_multiprocessors, gemm_one_each, NULL, large::threads},
    {"fitted", "their shape is chosen by that of C", fitted, WAITS | THREADS_BY_SIZE, NULL,
     resident_tiles, fitted_shape},
};

static const struct launches launches[] = {
    {RECORD | GPU_ONLY, {"-n 16384 -r 3 -w 1 -v fitted -v cublas"}},
    {TESTED,
     {"-n 130x257x40 -b 1 -v fitted", "-n 128x260x1030 -b 1 -v fitted",
      "-n 131x256x33 -b 1 -v fitted"}},
    {SANITIZED, {"-n 130x257x40 -b 1 -v fitted"}},
    /* Eight tiles for five blocks; a rim of rows, and of columns, of two chunks, and of a whole word of lanes. */
    {MUTATED,
     {"-n 900x100x288 -b 5", "-n 132x36x2049 -b 1 -v fitted", "-n 36x132x2049 -b 1 -v fitted",
      "-n 64x132x32 -b 1 -v fitted"}},
    {0},
};

STEP("sgemm-streamk", gemm_family, variants, launches);
