/*
 * sgemm-pipelined: nothing waits
 *
 * Idea      The multiply-add units are the limit, so every other instruction must be rare, early, or
 *           elsewhere. Tiles arrive by asynchronous copies, several stages ahead. Each thread loads the
 *           words of the step after next into registers while it works on the present ones. A block
 *           stays for the whole kernel, one per multiprocessor, and takes tile after tile; the last
 *           ones are cut along k, so that all blocks end together.
 * Since     sgemm-registers waited for shared memory in each step and for all its warps in each tile,
 *           and its last wave of blocks filled a part of the device.
 * Expect    Six loads of shared memory for 128 multiply-adds, and little else. See
 *           docs/sgemm-pipelined.md.
 * Source    CUTLASS's pipelines; M. Osama et al., "Stream-K", 2023, for the tiles that are cut.
 */
#include <cuda/atomic>
#include <cuda_pipeline.h>

#include "families/gemm/gemm.h"

/* A block's tile of C, and how much of k a stage holds. */
#define ROWS 128
#define COLS 256
#ifndef DEPTH
#define DEPTH 32
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef UNROLL
#define UNROLL 2 /* steps in a body of the main loop: even, since two sets of words take turns */
#endif

/* 4 x 2 warps of 4 x 8 lanes, each of which owns 8 x 16 elements, in squares of 4 x 4. */
#define THREADS 256
#define DOWN 8
#define ACROSS 16
#define DOWN_STEP 16   /* rows from a lane's squares to its next ones */
#define ACROSS_STEP 32 /* columns */

/* A stage is copied in so many parts, which are spread over the work on another one. */
#define PARTS 4
#define PER_PART (DEPTH / PARTS / UNROLL) /* bodies */

#define PITCH (ROWS + 4) /* of a row of the turned tile of A: copies of a warp go to 32 banks */
#define BAND 16 /* tiles of so many rows follow each other, and share what is in the L2 cache */

static_assert(DEPTH % (PARTS * UNROLL) == 0 && UNROLL % 2 == 0, "whole bodies");
static_assert(ROWS * COLS <= GEMM_SCRATCH, "a block leaves at most a tile");

/* Words of a stage, of A and of B. All stages of A lie together, then those of B. */
#define STAGE_A (DEPTH * PITCH)
#define STAGE_B (DEPTH * COLS)
#define SHARED (STAGES * (STAGE_A + STAGE_B) * (int)sizeof(float))

/* Some of the steps along k of a tile: from and to count stages. */
struct piece {
    size_t row, col; /* of the tile's first element */
    size_t from, to;
    size_t start; /* of the tile, in the row of those that are cut */
};

/* Which tiles there are, and which of them are made whole: as many as go evenly around the blocks. The
 * others are taken as one long row of stages, and cut into equal parts. */
struct plan {
    size_t across, down, depth; /* tiles; stages of each */
    size_t whole;
};

/* What this thread copies of a stage's next part, and where to: of A a word in each eighth step along k, in
 * one row, of B four words of some rows. The last three say how much is left of the matrices from there on:
 * rows of A, columns of B, steps along k; 0 or less: nothing. */
struct copies {
    const float *a, *b;
    float *to_a, *to_b;
    int rows, cols;
    long long depth_a, depth_b;
};

/* The words of one step: of 8 rows of A and 16 columns of B. */
struct words {
    float4 a[DOWN / 4], b[ACROSS / 4];
};

/* A lane's place among the 4 x 8 of its warp. Lanes next to each other, or two apart, differ in both: if
 * they read the same address, a load is done in half the time, and its words arrive so fast that the
 * multiply-adds have to wait. */
static __device__ __forceinline__ int lane_row()
{
    return threadIdx.x % 4;
}

static __device__ __forceinline__ int lane_col()
{
    return (threadIdx.x % 32 / 4) ^ lane_row();
}

/* A thread's first row and column in its tile. */
static __device__ __forceinline__ int first_row()
{
    return threadIdx.x / 64 * (ROWS / 4) + lane_row() * 4;
}

static __device__ __forceinline__ int first_col()
{
    return threadIdx.x / 32 % 2 * (COLS / 2) + lane_col() * 4;
}

/* --- copies -------------------------------------------------------------------------------------- */

/* Four words of B, of which so many are inside of it, and zeros for the others. A copy of no words reads
 * nothing, wherever it is said to be from. */
static __device__ __forceinline__ void copy_four(float *to, const float *from, int inside,
                                                 bool quads)
{
    if (quads) {
        __pipeline_memcpy_async(to, from, 16, inside >= 4 ? 0 : inside > 0 ? 16 - 4 * inside : 16);
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        __pipeline_memcpy_async(to + i, from + i, 4, i < inside ? 0 : 4);
}

/* A part of a stage: a quarter of the rows of A, a quarter of the rows of B. Then on to the next. */
static __device__ __forceinline__ void copy_part(struct copies *c, const struct work &w,
                                                 bool guarded, bool quads)
{
#pragma unroll
    for (int i = 0; i < DEPTH; i += 8)
        __pipeline_memcpy_async(c->to_a + i * PITCH, c->a + i, 4,
                                !guarded || (c->rows > 0 && c->depth_a > i) ? 0 : 4);
#pragma unroll
    for (int i = 0; i < DEPTH / PARTS; i += 4)
        copy_four(c->to_b + i * COLS, c->b + i * w.ldb,
                  !guarded         ? 4
                  : c->depth_b > i ? c->cols
                                   : 0,
                  quads);
    c->a += ROWS / PARTS * w.lda;
    c->b += DEPTH / PARTS * w.ldb;
    c->to_a += ROWS / PARTS;
    c->to_b += DEPTH / PARTS * COLS;
    c->rows -= ROWS / PARTS;
    c->depth_b -= DEPTH / PARTS;
}

/* On to the next stage, which goes to these places. */
static __device__ __forceinline__ void next_stage(struct copies *c, const struct work &w,
                                                  float *to_a, float *to_b)
{
    c->a += DEPTH - (size_t)ROWS * w.lda;
    c->to_a = to_a;
    c->to_b = to_b;
    c->rows += ROWS;
    c->depth_a -= DEPTH;
}

/* --- the main loop ------------------------------------------------------------------------------- */

static __device__ __forceinline__ void load(struct words *to, const float *a, const float *b)
{
#pragma unroll
    for (int i = 0; i < DOWN / 4; i++)
        to->a[i] = *(const float4 *)(a + i * DOWN_STEP);
#pragma unroll
    for (int j = 0; j < ACROSS / 4; j++)
        to->b[j] = *(const float4 *)(b + j * ACROSS_STEP);
}

/* Four of the eight rows of a step: back and forth, so that a word is used again at the turn. */
static __device__ __forceinline__ void add_half(float sum[DOWN][ACROSS], const struct words *from,
                                                int half)
{
    const float *a = (const float *)from->a, *b = (const float *)from->b;

#pragma unroll
    for (int i = half * DOWN / 2; i < (half + 1) * DOWN / 2; i++)
#pragma unroll
        for (int e = 0; e < ACROSS; e++) {
            int j = i % 2 ? ACROSS - 1 - e : e;

            sum[i][j] += a[i] * b[j];
        }
}

/* Step k: the second half of the step before, the words of the step after, the first half of its own.
 * So half a step lies between loads and the end of a body, across which the compiler moves none. */
static __device__ __forceinline__ void step(float sum[DOWN][ACROSS], struct words two[2], int k,
                                            const float *next_a, const float *next_b)
{
    add_half(sum, &two[(k + 1) % 2], 1);
    load(&two[(k + 1) % 2], next_a, next_b);
    add_half(sum, &two[k % 2], 0);
}

/* UNROLL steps; *a and *b are the words of the first. */
static __device__ __forceinline__ void body(float sum[DOWN][ACROSS], struct words two[2],
                                            const float **a, const float **b)
{
#pragma unroll
    for (int k = 0; k < UNROLL; k++)
        step(sum, two, k, *a + (k + 1) * PITCH, *b + (k + 1) * COLS);
    *a += UNROLL * PITCH;
    *b += UNROLL * COLS;
}

/* Where this thread's copies of a stage go. */
static __device__ __forceinline__ float *place_a(float *memory, int stage)
{
    return memory + stage * STAGE_A + threadIdx.x % 8 * PITCH + threadIdx.x / 8;
}

static __device__ __forceinline__ float *place_b(float *memory, int stage)
{
    return memory + STAGES * STAGE_A + stage * STAGE_B + threadIdx.x / 64 * COLS +
           threadIdx.x % 64 * 4;
}

/* How much there is of `all` from a place on, as far as it matters: at most `most`. */
static __device__ __forceinline__ int left(size_t all, size_t from, int most)
{
    return from >= all ? 0 : all - from < (size_t)most ? (int)(all - from) : most;
}

/* Ask for the first stages of a piece. */
static __device__ __forceinline__ void begin(struct copies *c, float *memory, const struct piece &p,
                                             const struct work &w, bool guarded, bool quads)
{
    int t = threadIdx.x, count = (int)(p.to - p.from);
    size_t l = p.from * DEPTH;

    *c = {w.a + (p.row + t / 8) * w.lda + l + t % 8,
          w.b + (l + t / 64) * w.ldb + p.col + t % 64 * 4,
          place_a(memory, 0),
          place_b(memory, 0),
          left(w.m, p.row + t / 8, ROWS),
          left(w.n, p.col + t % 64 * 4, COLS),
          (long long)(w.k - l) - t % 8,
          (long long)(w.k - l) - t / 64};
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < count) {
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                copy_part(c, w, guarded, quads);
            next_stage(c, w, place_a(memory, i + 1), place_b(memory, i + 1));
        }
        __pipeline_commit();
    }
}

/* The products of the stages of a piece that has begun. */
static __device__ __forceinline__ void accumulate(float sum[DOWN][ACROSS], float *memory,
                                                  struct copies *c, int count, const struct work &w,
                                                  bool guarded, bool quads)
{
    int now = 0, in = STAGES - 1;
    float *to_a = place_a(memory, 0), *to_b = place_b(memory, 0);
    const float *first_a = memory + first_row(), *a = first_a;
    const float *first_b = memory + STAGES * STAGE_A + first_col(), *b = first_b;
    struct words two[2] = {};

    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    load(&two[0], a, b);
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        bool more = i + STAGES - 1 < count, wrap = now + 1 == STAGES;
        /* Behind the last stage there is none: words that nobody uses come from itself. */
        int after = i + 1 == count ? now : wrap ? 0 : now + 1;
        const float *next_a = first_a + after * STAGE_A, *next_b = first_b + after * STAGE_B;

#pragma unroll 1
        for (int part = 0; part < PARTS - 1; part++) {
            if (more)
                copy_part(c, w, guarded, quads);
#pragma unroll 1
            for (int r = 0; r < PER_PART; r++)
                body(sum, two, &a, &b);
        }
        if (more)
            copy_part(c, w, guarded, quads);
        in = in + 1 == STAGES ? 0 : in + 1;
        next_stage(c, w, to_a + in * STAGE_A, to_b + in * STAGE_B);
        __pipeline_commit();
#pragma unroll 1
        for (int r = 0; r < PER_PART - 1; r++)
            body(sum, two, &a, &b);
            /* The last body: behind its last load of this stage all wait until the next one is there. */
#pragma unroll
        for (int k = 0; k < UNROLL - 1; k++)
            step(sum, two, k, a + (k + 1) * PITCH, b + (k + 1) * COLS);
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        step(sum, two, UNROLL - 1, next_a, next_b);
        a = next_a;
        b = next_b;
        now = after;
    }
    add_half(sum, &two[1], 1);
    __syncthreads(); /* nobody reads a stage any more */
}

/* --- tiles that are cut -------------------------------------------------------------------------- */

static __device__ __forceinline__ cuda::atomic_ref<unsigned, cuda::thread_scope_device>
flag_of(const struct work &w, size_t block)
{
    return cuda::atomic_ref<unsigned, cuda::thread_scope_device>(w.flags[block]);
}

/* Leave a block's sums for the one that makes the end of the tile. */
static __device__ __forceinline__ void leave(const float sum[DOWN][ACROSS], const struct work &w)
{
    float *to = w.partial + (size_t)blockIdx.x * ROWS * COLS + threadIdx.x;

#pragma unroll
    for (int e = 0; e < DOWN * ACROSS; e++)
        to[e * THREADS] = sum[e / ACROSS][e % ACROSS];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        flag_of(w, blockIdx.x).store(1, cuda::memory_order_release);
}

/* Wait for what a block has left, add it, and take its flag down for the next run. */
static __device__ __forceinline__ void take(float sum[DOWN][ACROSS], const struct work &w,
                                            size_t block)
{
    const float *from = w.partial + block * ROWS * COLS + threadIdx.x;

    if (threadIdx.x == 0) {
        while (flag_of(w, block).load(cuda::memory_order_acquire) == 0)
            ;
        flag_of(w, block).store(0, cuda::memory_order_relaxed);
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < DOWN * ACROSS; e++)
        sum[e / ACROSS][e % ACROSS] += __ldcg(from + e * THREADS);
}

/* Word by word: four words that were stored at once would have to lie in four registers in turn, and
 * those of B lie so too; a multiply-add cannot read two words of one bank of registers at once. */
static __device__ __forceinline__ void store(const float sum[DOWN][ACROSS], const struct work &w,
                                             const struct piece &p, bool guarded)
{
    size_t row = p.row + first_row(), col = p.col + first_col();
    float *c = w.c + row * w.ldc + col;

#pragma unroll
    for (int i = 0; i < DOWN; i++) {
        int down = i / 4 * DOWN_STEP + i % 4;

#pragma unroll
        for (int j = 0; j < ACROSS; j++) {
            int across = j / 4 * ACROSS_STEP + j % 4;
            float *to = c + down * w.ldc + across;

            if (guarded && (row + down >= w.m || col + across >= w.n))
                continue;
            *to = w.beta == 0 ? w.alpha * sum[i][j] : w.alpha * sum[i][j] + w.beta * *to;
        }
    }
}

/* --- who does what ------------------------------------------------------------------------------- */

/* The place of a tile: down a band of BAND tiles, then to the right. */
static __device__ __forceinline__ void place(struct piece *p, const struct plan &plan, size_t tile)
{
    size_t band = tile / (BAND * plan.across), rest = tile % (BAND * plan.across);
    size_t high = plan.down - band * BAND < BAND ? plan.down - band * BAND : BAND;

    p->row = (band * BAND + rest % high) * ROWS;
    p->col = rest / high * COLS;
}

/* Where the part of the cut tiles begins that a block makes; they are so many stages in all. */
static __device__ __forceinline__ size_t cut(size_t stages, size_t block)
{
    return stages * block / gridDim.x;
}

/* What a block has still to do: whole tiles from `tile` on, then the cut ones' stages first to end. */
struct rest {
    size_t tile, first, end;
};

/* The next piece. Of the cut tiles those at the end come first, because others wait for them. */
static __device__ __forceinline__ bool next_piece(struct piece *p, struct rest *r,
                                                  const struct plan &plan)
{
    p->from = p->start = 0;
    p->to = plan.depth;
    if (r->tile < plan.whole) {
        place(p, plan, r->tile);
        r->tile += gridDim.x;
        return true;
    }
    if (r->first >= r->end)
        return false;
    p->start = (r->end - 1) / plan.depth * plan.depth;
    place(p, plan, plan.whole + p->start / plan.depth);
    p->from = r->first > p->start ? r->first - p->start : 0;
    p->to = r->end - p->start;
    r->end = p->start + p->from;
    return true;
}

/* Add what the blocks before this one have made of the tile, of which some may have had nothing to do. */
static __device__ __forceinline__ void take_all(float sum[DOWN][ACROSS], const struct work &w,
                                                const struct piece &p, size_t all)
{
    for (size_t block = blockIdx.x, from = p.start + p.from; from > p.start;) {
        size_t begin = cut(all, --block);

        if (begin < from)
            take(sum, w, block);
        from = begin;
    }
}

static __device__ __forceinline__ void multiply(const struct work &w, const struct plan &plan,
                                                bool guarded, bool quads)
{
    extern __shared__ float4 shared[];
    float *memory = (float *)shared;
    size_t all = (plan.across * plan.down - plan.whole) * plan.depth;
    struct rest rest = {blockIdx.x, cut(all, blockIdx.x), cut(all, blockIdx.x + 1)};
    struct piece now, next;
    struct copies copies;
    bool more = next_piece(&now, &rest, plan);

    if (more)
        begin(&copies, memory, now, w, guarded, quads);
    while (more) {
        float sum[DOWN][ACROSS] = {};

        accumulate(sum, memory, &copies, (int)(now.to - now.from), w, guarded, quads);
        /* The next piece's first stages come while this one's sums are stored. */
        more = next_piece(&next, &rest, plan);
        if (more)
            begin(&copies, memory, next, w, guarded, quads);
        if (now.to < plan.depth) {
            leave(sum, w);
        } else {
            take_all(sum, w, now, all);
            store(sum, w, now, guarded);
        }
        now = next;
    }
}

/* All tiles whole, rows at multiples of 16 bytes; any matrices whose rows are so; any at all. */
__global__ void __launch_bounds__(THREADS, 1)
sgemm_whole(struct work w, struct plan plan)
{
    multiply(w, plan, false, true);
}

__global__ void __launch_bounds__(THREADS, 1)
sgemm_quads(struct work w, struct plan plan)
{
    multiply(w, plan, true, true);
}

__global__ void __launch_bounds__(THREADS, 1)
sgemm_words(struct work w, struct plan plan)
{
    multiply(w, plan, true, false);
}

/* --- the launch ---------------------------------------------------------------------------------- */

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* A block may have so much shared memory only if that was asked for; once is enough. */
static bool granted(void (*kernel)(struct work, struct plan), bool *asked)
{
    if (!*asked)
        *asked = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      SHARED) == cudaSuccess;
    return *asked;
}

/* The blocks to start, where there may be so many. Of few tiles each is cut into as many parts: as many as
 * there are blocks for, but not so many that the one who adds them up takes longer for it than it saves; to add a
 * part takes about a third of the time of a stage. */
static size_t blocks_for(const struct plan *plan, size_t most)
{
    size_t tiles = plan->across * plan->down, parts = most / tiles;

    if (parts < 2)
        return most;
    while (parts > 1 && parts * parts > 3 * plan->depth)
        parts--;
    return tiles * parts;
}

static void launch(struct work *w)
{
    static bool asked[3];
    struct plan plan = {ceiling(w->n, COLS), ceiling(w->m, ROWS), ceiling(w->k, DEPTH), 0};
    size_t tiles = plan.across * plan.down;
    unsigned blocks;
    bool quads = (size_t)w->b % sizeof(float4) == 0 && w->ldb % 4 == 0;
    bool whole = w->m % ROWS == 0 && w->n % COLS == 0 && w->k % DEPTH == 0;

    if (tiles == 0)
        return;
    blocks = (unsigned)blocks_for(&plan, (size_t)w->blocks);
    plan.whole = plan.depth > 0 ? tiles / blocks * blocks : tiles;
    if (whole && quads && granted(sgemm_whole, &asked[0]))
        sgemm_whole<<<blocks, THREADS, SHARED>>>(*w, plan);
    else if (quads && granted(sgemm_quads, &asked[1]))
        sgemm_quads<<<blocks, THREADS, SHARED>>>(*w, plan);
    else if (granted(sgemm_words, &asked[2]))
        sgemm_words<<<blocks, THREADS, SHARED>>>(*w, plan);
}

static const struct variant variants[] = {
    {"pipelined", "stages ahead, words a step ahead, tiles cut along k at the end", launch, WAITS,
     NULL, gemm_multiprocessors, gemm_one_each, NULL, THREADS},
};

STEP("sgemm-pipelined", gemm_family, variants);
