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
#define STAGES 4
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

/* Some of the steps along k of a tile; from and to count stages. */
struct piece {
    size_t row, col; /* of the tile's first element */
    size_t from, to;
};

/* Which tiles there are, and which of them are made whole: as many as go evenly around the blocks. The
 * others are taken as one long row of stages, and cut into equal parts. */
struct plan {
    size_t across, down, depth; /* tiles; stages of each */
    size_t whole;
};

/* What this thread copies of a stage's next part, and where to: of A a word in each eighth step along k, in
 * one row, of B four words of some rows. */
struct copies {
    const float *a, *b;
    float *to_a, *to_b;
    size_t row, col, l, to_b_row; /* places in A and B, to know what is outside of them */
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

/* Four words of B, or as many as are inside of it, and zeros. */
static __device__ __forceinline__ void copy_four(float *to, const float *from, const struct work &w,
                                                 size_t l, size_t col, bool guarded, bool quads)
{
    size_t inside = guarded ? l < w.k && col < w.n ? w.n - col : 0 : 4;

    if (quads) {
        size_t words = inside < 4 ? inside : 4;

        __pipeline_memcpy_async(to, words ? from : w.b, 16, 16 - 4 * words);
        return;
    }
#pragma unroll
    for (size_t i = 0; i < 4; i++)
        __pipeline_memcpy_async(to + i, i < inside ? from + i : w.b, 4, i < inside ? 0 : 4);
}

/* A part of a stage: 32 rows of A, a quarter of the rows of B. Then on to the next. */
static __device__ __forceinline__ void copy_part(struct copies *c, const struct work &w,
                                                 bool guarded, bool quads)
{
#pragma unroll
    for (int i = 0; i < DEPTH; i += 8) {
        bool inside = !guarded || (c->row < w.m && c->l + threadIdx.x % 8 + i < w.k);

        __pipeline_memcpy_async(c->to_a + i * PITCH, inside ? c->a + i : w.a, 4, inside ? 0 : 4);
    }
#pragma unroll
    for (int i = 0; i < DEPTH / PARTS; i += 4)
        copy_four(c->to_b + i * COLS, c->b + i * w.ldb, w, c->l + c->to_b_row + i, c->col, guarded,
                  quads);
    c->a += ROWS / PARTS * w.lda;
    c->b += DEPTH / PARTS * w.ldb;
    c->to_a += ROWS / PARTS;
    c->to_b += DEPTH / PARTS * COLS;
    c->row += ROWS / PARTS;
    c->to_b_row += DEPTH / PARTS;
}

/* On to the next stage, which goes to these places. */
static __device__ __forceinline__ void next_stage(struct copies *c, const struct work &w,
                                                  float *to_a, float *to_b)
{
    c->a += DEPTH - (size_t)ROWS * w.lda;
    c->to_a = to_a;
    c->to_b = to_b;
    c->row -= ROWS;
    c->to_b_row -= DEPTH;
    c->l += DEPTH;
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

/* The products of the stages of a piece. */
static __device__ __forceinline__ void accumulate(float sum[DOWN][ACROSS], float *memory,
                                                  const struct piece &p, const struct work &w,
                                                  bool guarded, bool quads)
{
    int t = threadIdx.x, now = 0, in = STAGES - 1, count = (int)(p.to - p.from);
    size_t l = p.from * DEPTH;
    float *to_a = memory + t % 8 * PITCH + t / 8;
    float *to_b = memory + STAGES * STAGE_A + t / 64 * COLS + t % 64 * 4;
    const float *first_a = memory + first_row(), *a = first_a;
    const float *first_b = memory + STAGES * STAGE_A + first_col(), *b = first_b;
    struct copies c = {w.a + (p.row + t / 8) * w.lda + l + t % 8,
                       w.b + (l + t / 64) * w.ldb + p.col + t % 64 * 4,
                       to_a,
                       to_b,
                       p.row + t / 8,
                       p.col + t % 64 * 4,
                       l,
                       (size_t)t / 64};
    struct words two[2] = {};

    __syncthreads(); /* nobody reads what the piece before has left */
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < count) {
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                copy_part(&c, w, guarded, quads);
            next_stage(&c, w, to_a + (i + 1) * STAGE_A, to_b + (i + 1) * STAGE_B);
        }
        __pipeline_commit();
    }
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
                copy_part(&c, w, guarded, quads);
#pragma unroll 1
            for (int r = 0; r < PER_PART; r++)
                body(sum, two, &a, &b);
        }
        if (more)
            copy_part(&c, w, guarded, quads);
        in = in + 1 == STAGES ? 0 : in + 1;
        next_stage(&c, w, to_a + in * STAGE_A, to_b + in * STAGE_B);
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
    __pipeline_wait_prior(0);
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

static __device__ __forceinline__ void multiply(const struct work &w, const struct plan &plan,
                                                bool guarded, bool quads)
{
    extern __shared__ float4 memory[];
    size_t all = (plan.across * plan.down - plan.whole) * plan.depth;
    size_t first = cut(all, blockIdx.x), end = cut(all, blockIdx.x + 1), tile = blockIdx.x;

    for (;;) {
        float sum[DOWN][ACROSS] = {};
        struct piece p = {0, 0, 0, plan.depth};
        size_t start = 0; /* of the tile, among the cut ones */

        if (tile < plan.whole) {
            place(&p, plan, tile);
            tile += gridDim.x;
        } else if (first < end) {
            /* From the end on, so that what others wait for comes first. */
            start = (end - 1) / plan.depth * plan.depth;
            place(&p, plan, plan.whole + start / plan.depth);
            p.from = first > start ? first - start : 0;
            p.to = end - start;
            end = start + p.from;
        } else {
            break;
        }
        if (p.from < p.to)
            accumulate(sum, (float *)memory, p, w, guarded, quads);
        if (p.to < plan.depth) {
            leave(sum, w);
            continue;
        }
        /* Blocks before this one have made the tile's beginning; some may have had nothing to do. */
        for (size_t block = blockIdx.x, from = start + p.from; from > start;) {
            size_t begin = cut(all, --block);

            if (begin < from)
                take(sum, w, block);
            from = begin;
        }
        store(sum, w, p, guarded);
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

static void launch(struct work *w)
{
    static bool asked[3];
    struct plan plan = {ceiling(w->n, COLS), ceiling(w->m, ROWS), ceiling(w->k, DEPTH), 0};
    size_t tiles = plan.across * plan.down;
    unsigned blocks = (unsigned)w->blocks;
    bool quads = (size_t)w->b % sizeof(float4) == 0 && w->ldb % 4 == 0;
    bool whole = w->m % ROWS == 0 && w->n % COLS == 0 && w->k % DEPTH == 0;

    if (tiles == 0)
        return;
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
