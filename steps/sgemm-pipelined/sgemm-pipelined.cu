/*
 * sgemm-pipelined: nothing waits
 *
 * Idea      The multiply-add units are the limit, so every other instruction must be rare, early, or
 *           elsewhere. Tiles arrive by asynchronous copies, several stages ahead. Each thread loads the
 *           words of the step after next into registers while it works on the present ones. A block
 *           stays for the whole kernel and takes tile after tile.
 * Since     sgemm-registers waited for shared memory in each step and for all its warps in each tile.
 *           Its last wave of blocks filled a part of the device: `cut` divides the last tiles along k, so
 *           that all blocks end together. `fitted` divides C into tiles of another shape where it is small
 *           or narrow, or k is.
 * Expect    Six loads of shared memory for 128 multiply-adds, and little else. See
 *           docs/sgemm-pipelined.md.
 * Source    CUTLASS's pipelines; M. Osama et al., "Stream-K", 2023, for the tiles that are cut.
 */
#include <cuda/atomic>
#include <cuda_pipeline.h>

#include "families/gemm/gemm.h"

#define STAGES 3
#define UNROLL 2 /* steps in a body of the main loop: even, since two sets of words take turns */

/* What a thread owns of a tile, in squares of 4 x 4. */
#define DOWN 8
#define ACROSS 16

#define PART 64 /* steps along k at least of a tile that is cut */
#define BAND 16 /* tiles of so many rows follow each other, and share what is in the L2 cache */

/*
 * A block's tile of C. A warp is LANES lanes high and 32 / LANES wide, a block HIGH x WIDE warps. A stage holds
 * DEEP steps along k, and is copied in so many parts, which are spread over the work on another one. A
 * multiprocessor has BLOCKS such blocks.
 */
template <int LANES, int HIGH, int WIDE, int DEEP, int IN_PARTS, int BLOCKS> struct tile {
    static const int lanes_down = LANES, lanes_across = 32 / LANES, warps_across = WIDE;
    static const int warp_rows = lanes_down * DOWN, warp_cols = lanes_across * ACROSS;
    static const int rows = HIGH * warp_rows, cols = WIDE * warp_cols;
    static const int threads = 32 * HIGH * WIDE, blocks = BLOCKS, depth = DEEP, parts = IN_PARTS;
    static const int bodies = DEEP / IN_PARTS / UNROLL; /* for a part */

    /* Words of a stage, of A and of B. All stages of A lie together, then those of B, then what warps store. A
     * row of the turned tile of A has 4 more than it needs: copies of a warp go to 32 banks. */
    static const int pitch = rows + 4;
    static const int a_words = DEEP * pitch, b_words = DEEP * cols;
    static const int store_pitch = warp_cols + 1,
                     store_words = lanes_down * store_pitch; /* a warp's */
    static const int words = STAGES * (a_words + b_words) + HIGH * WIDE * store_words;

    /* What all threads copy at once: so many rows of A, eight words of each; so many rows of B. */
    static const int a_rows = threads / 8, b_quads = cols / 4, b_rows = threads / b_quads;

    static_assert(UNROLL % 2 == 0 && DEEP % (IN_PARTS * UNROLL) == 0 && DEEP % 8 == 0,
                  "whole bodies");
    static_assert(rows / IN_PARTS % a_rows == 0 && DEEP / IN_PARTS % b_rows == 0, "whole parts");
    static_assert(rows * cols * BLOCKS <= GEMM_SCRATCH && BLOCKS <= GEMM_FLAGS,
                  "room for a tile each");
};

/* Some of the steps along k of a tile: from and to count stages. */
struct piece {
    size_t row, col; /* of the tile's first element */
    size_t from, to;
    size_t start; /* of the tile, in the row of those that are cut */
};

/* Which tiles there are, and which of them are made whole: as many as go evenly around the blocks. The
 * others are taken as one long row of stages, and cut into equal parts, for the first blocks. */
struct plan {
    size_t across, down, depth; /* tiles; stages of each */
    size_t whole;
    size_t stages, sharers; /* of all cut tiles; blocks that get a part, of a stage or more */
    int end_parts;          /* of the last stage so many parts hold something */
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
template <typename T> static __device__ __forceinline__ int lane_row()
{
    return threadIdx.x % T::lanes_down;
}

template <typename T> static __device__ __forceinline__ int lane_col()
{
    return (threadIdx.x % 32 / T::lanes_down) ^ (lane_row<T>() % T::lanes_across);
}

/* A thread's first row and column in its tile. */
template <typename T> static __device__ __forceinline__ int first_row()
{
    return threadIdx.x / 32 / T::warps_across * T::warp_rows + lane_row<T>() * 4;
}

template <typename T> static __device__ __forceinline__ int first_col()
{
    return threadIdx.x / 32 % T::warps_across * T::warp_cols + lane_col<T>() * 4;
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

/* A part of a stage: some rows of A, some rows of B. Then on to the next. */
template <typename T>
static __device__ __forceinline__ void copy_part(struct copies *c, const struct work &w,
                                                 bool guarded, bool quads)
{
#pragma unroll
    for (int r = 0; r < T::rows / T::parts; r += T::a_rows)
#pragma unroll
        for (int i = 0; i < T::depth; i += 8)
            __pipeline_memcpy_async(c->to_a + i * T::pitch + r, c->a + r * w.lda + i, 4,
                                    !guarded || (c->rows > r && c->depth_a > i) ? 0 : 4);
#pragma unroll
    for (int i = 0; i < T::depth / T::parts; i += T::b_rows)
        copy_four(c->to_b + i * T::cols, c->b + i * w.ldb,
                  !guarded         ? 4
                  : c->depth_b > i ? c->cols
                                   : 0,
                  quads);
    c->a += T::rows / T::parts * w.lda;
    c->b += T::depth / T::parts * w.ldb;
    c->to_a += T::rows / T::parts;
    c->to_b += T::depth / T::parts * T::cols;
    c->rows -= T::rows / T::parts;
    c->depth_b -= T::depth / T::parts;
}

/* On to the next stage, which goes to these places. */
template <typename T>
static __device__ __forceinline__ void next_stage(struct copies *c, const struct work &w,
                                                  float *to_a, float *to_b)
{
    c->a += T::depth - (size_t)T::rows * w.lda;
    c->to_a = to_a;
    c->to_b = to_b;
    c->rows += T::rows;
    c->depth_a -= T::depth;
}

/* --- the main loop ------------------------------------------------------------------------------- */

template <typename T>
static __device__ __forceinline__ void load(struct words *to, const float *a, const float *b)
{
#pragma unroll
    for (int i = 0; i < DOWN / 4; i++)
        to->a[i] = *(const float4 *)(a + i * T::lanes_down * 4);
#pragma unroll
    for (int j = 0; j < ACROSS / 4; j++)
        to->b[j] = *(const float4 *)(b + j * T::lanes_across * 4);
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
template <typename T>
static __device__ __forceinline__ void step(float sum[DOWN][ACROSS], struct words two[2], int k,
                                            const float *next_a, const float *next_b)
{
    add_half(sum, &two[(k + 1) % 2], 1);
    load<T>(&two[(k + 1) % 2], next_a, next_b);
    add_half(sum, &two[k % 2], 0);
}

/* UNROLL steps; *a and *b are the words of the first. */
template <typename T>
static __device__ __forceinline__ void body(float sum[DOWN][ACROSS], struct words two[2],
                                            const float **a, const float **b)
{
#pragma unroll
    for (int k = 0; k < UNROLL; k++)
        step<T>(sum, two, k, *a + (k + 1) * T::pitch, *b + (k + 1) * T::cols);
    *a += UNROLL * T::pitch;
    *b += UNROLL * T::cols;
}

/* Where this thread's copies of a stage go. */
template <typename T> static __device__ __forceinline__ float *place_a(float *memory, int stage)
{
    return memory + stage * T::a_words + threadIdx.x % 8 * T::pitch + threadIdx.x / 8;
}

template <typename T> static __device__ __forceinline__ float *place_b(float *memory, int stage)
{
    return memory + STAGES * T::a_words + stage * T::b_words + threadIdx.x / T::b_quads * T::cols +
           threadIdx.x % T::b_quads * 4;
}

/* How much there is of `all` from a place on, as far as it matters: at most `most`. */
static __device__ __forceinline__ int left(size_t all, size_t from, int most)
{
    return from >= all ? 0 : all - from < (size_t)most ? (int)(all - from) : most;
}

/* Ask for the first stages of a piece. */
template <typename T>
static __device__ __forceinline__ void begin(struct copies *c, float *memory, const struct piece &p,
                                             const struct work &w, bool guarded, bool quads)
{
    int t = threadIdx.x, count = (int)(p.to - p.from);
    size_t l = p.from * T::depth;

    *c = {w.a + (p.row + t / 8) * w.lda + l + t % 8,
          w.b + (l + t / T::b_quads) * w.ldb + p.col + t % T::b_quads * 4,
          place_a<T>(memory, 0),
          place_b<T>(memory, 0),
          left(w.m, p.row + t / 8, T::rows),
          left(w.n, p.col + t % T::b_quads * 4, T::cols),
          (long long)(w.k - l) - t % 8,
          (long long)(w.k - l) - t / T::b_quads};
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < count) {
#pragma unroll
            for (int part = 0; part < T::parts; part++)
                copy_part<T>(c, w, guarded, quads);
            next_stage<T>(c, w, place_a<T>(memory, i + 1), place_b<T>(memory, i + 1));
        }
        __pipeline_commit();
    }
}

/* The products of the stages of a piece that has begun; of the last one so many parts. */
template <typename T>
static __device__ __forceinline__ void accumulate(float sum[DOWN][ACROSS], float *memory,
                                                  struct copies *c, int count, int end_parts,
                                                  const struct work &w, bool guarded, bool quads)
{
    int now = 0, in = STAGES - 1;
    float *to_a = place_a<T>(memory, 0), *to_b = place_b<T>(memory, 0);
    const float *first_a = memory + first_row<T>(), *a = first_a;
    const float *first_b = memory + STAGES * T::a_words + first_col<T>(), *b = first_b;
    struct words two[2] = {};

    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    load<T>(&two[0], a, b);
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        bool more = i + STAGES - 1 < count, wrap = now + 1 == STAGES;
        /* Behind the last stage there is none: words that nobody uses come from itself. */
        int after = i + 1 == count ? now : wrap ? 0 : now + 1;
        const float *next_a = first_a + after * T::a_words, *next_b = first_b + after * T::b_words;
        int parts = guarded && i + 1 == count ? end_parts : T::parts;

#pragma unroll 1
        for (int part = 0; part < parts - 1; part++) {
            if (more)
                copy_part<T>(c, w, guarded, quads);
#pragma unroll 1
            for (int r = 0; r < T::bodies; r++)
                body<T>(sum, two, &a, &b);
        }
        if (more)
            copy_part<T>(c, w, guarded, quads);
        in = in + 1 == STAGES ? 0 : in + 1;
        next_stage<T>(c, w, to_a + in * T::a_words, to_b + in * T::b_words);
        __pipeline_commit();
#pragma unroll 1
        for (int r = 0; r < T::bodies - 1; r++)
            body<T>(sum, two, &a, &b);
            /* The last body: behind its last load of this stage all wait until the next one is there. */
#pragma unroll
        for (int k = 0; k < UNROLL - 1; k++)
            step<T>(sum, two, k, a + (k + 1) * T::pitch, b + (k + 1) * T::cols);
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        step<T>(sum, two, UNROLL - 1, next_a, next_b);
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
template <typename T>
static __device__ __forceinline__ void leave(const float sum[DOWN][ACROSS], const struct work &w)
{
    float *to = w.partial + (size_t)blockIdx.x * T::rows * T::cols + threadIdx.x;

#pragma unroll
    for (int e = 0; e < DOWN * ACROSS; e++)
        to[e * T::threads] = sum[e / ACROSS][e % ACROSS];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        flag_of(w, blockIdx.x).store(1, cuda::memory_order_release);
}

/* Wait for what a block has left, add it, and take its flag down for the next run. */
template <typename T>
static __device__ __forceinline__ void take(float sum[DOWN][ACROSS], const struct work &w,
                                            size_t block)
{
    const float *from = w.partial + block * T::rows * T::cols + threadIdx.x;

    if (threadIdx.x == 0) {
        while (flag_of(w, block).load(cuda::memory_order_acquire) == 0)
            ;
        flag_of(w, block).store(0, cuda::memory_order_relaxed);
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < DOWN * ACROSS; e++)
        sum[e / ACROSS][e % ACROSS] += __ldcg(from + e * T::threads);
}

/*
 * The warp's sums to C, a row of its lanes' squares at a time, handed over in shared memory, so that lanes
 * store neighbours: each for itself would write a part of 16 sectors. Word by word: four words that were stored
 * at once would have to lie in four registers in turn, and those of B lie so too; a multiply-add cannot
 * read two words of one bank of registers at once.
 */
template <typename T>
static __device__ __forceinline__ void store(const float sum[DOWN][ACROSS], float *memory,
                                             const struct work &w, const struct piece &p,
                                             bool guarded)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float *places = memory + STAGES * (T::a_words + T::b_words) + warp * T::store_words;
    float *own = places + lane_row<T>() * T::store_pitch + lane_col<T>() * 4;
    size_t first = p.row + warp / T::warps_across * T::warp_rows;
    size_t col = p.col + warp % T::warps_across * T::warp_cols;

#pragma unroll
    for (int i = 0; i < DOWN; i++) {
        __syncwarp();
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
            own[j / 4 * (T::lanes_across * 4) + j % 4] = sum[i][j];
        __syncwarp();
#pragma unroll
        for (int e = 0; e < ACROSS; e++) {
            int place = e * 32 + lane, r = place / T::warp_cols, j = place % T::warp_cols;
            size_t row = first + i / 4 * (T::lanes_down * 4) + r * 4 + i % 4;
            float *to = w.c + row * w.ldc + col + j,
                  value = w.alpha * places[r * T::store_pitch + j];

            if (guarded && (row >= w.m || col + j >= w.n))
                continue;
            *to = w.beta == 0 ? value : value + w.beta * *to;
        }
    }
}

/* --- who does what ------------------------------------------------------------------------------- */

/* The place of a tile: down a band of BAND tiles, then to the right. */
template <typename T>
static __device__ __forceinline__ void place(struct piece *p, const struct plan &plan, size_t tile)
{
    size_t band = tile / (BAND * plan.across), rest = tile % (BAND * plan.across);
    size_t high = plan.down - band * BAND < BAND ? plan.down - band * BAND : BAND;

    p->row = (band * BAND + rest % high) * T::rows;
    p->col = rest / high * T::cols;
}

/* Where the part of the cut tiles begins that a block makes; and which block makes a stage of them. */
static __device__ __forceinline__ size_t cut(const struct plan &plan, size_t block)
{
    return plan.stages * (block < plan.sharers ? block : plan.sharers) / plan.sharers;
}

static __device__ __forceinline__ size_t maker(const struct plan &plan, size_t stage)
{
    return ((stage + 1) * plan.sharers - 1) / plan.stages;
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

/*
 * Add what blocks before this one have made of the tile: of the b blocks that make it, counted from its end,
 * block i adds the sums of i + 1, i + 2, i + 4, ... as long as i is divisible by twice that, each with what
 * it has added itself. So no block adds more than lg b times.
 */
template <typename T>
static __device__ __forceinline__ void take_all(float sum[DOWN][ACROSS], const struct work &w,
                                                const struct piece &p, const struct plan &plan)
{
    size_t first = maker(plan, p.start), last = maker(plan, p.start + plan.depth - 1);
    size_t i = last - blockIdx.x, count = last - first + 1;

    for (size_t d = 1; i % (2 * d) == 0 && i + d < count; d *= 2)
        take<T>(sum, w, blockIdx.x - d);
}

/* One copy for all three kernels is enough for the CPU device, and a third of the time to compile. */
#ifdef BACKEND_CPU
#define IN_EACH
#else
#define IN_EACH __forceinline__
#endif

template <typename T>
static __device__ IN_EACH void multiply(const struct work &w, const struct plan &plan, bool guarded,
                                        bool quads)
{
    extern __shared__ float4 shared[];
    float *memory = (float *)shared;
    struct rest rest = {blockIdx.x, cut(plan, blockIdx.x), cut(plan, blockIdx.x + 1)};
    struct piece now = {}, next = {};
    struct copies copies;
    bool more = next_piece<T>(&now, &rest, plan);

    if (more)
        begin<T>(&copies, memory, now, w, guarded, quads);
    while (more) {
        float sum[DOWN][ACROSS] = {};
        bool ends = now.to == plan.depth;

        accumulate<T>(sum, memory, &copies, (int)(now.to - now.from),
                      ends ? plan.end_parts : T::parts, w, guarded, quads);
        /* The next piece's first stages come while this one's sums are stored. */
        more = next_piece<T>(&next, &rest, plan);
        if (more)
            begin<T>(&copies, memory, next, w, guarded, quads);
        if (!ends || now.from > 0)
            take_all<T>(sum, w, now, plan);
        if (ends)
            store<T>(sum, memory, w, now, guarded);
        else
            leave<T>(sum, w);
        now = next;
    }
}

/* With GUARDED for any matrices, without for whole tiles; with QUADS for rows of B that begin at multiples
 * of 16 bytes. */
template <typename T, bool GUARDED, bool QUADS>
__global__ void __launch_bounds__(T::threads, T::blocks)
sgemm(struct work w, struct plan plan)
{
    multiply<T>(w, plan, GUARDED, QUADS);
}

/* --- the launch ---------------------------------------------------------------------------------- */

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <typename T, bool GUARDED, bool QUADS>
static void start(const struct work *w, const struct plan *plan, size_t blocks)
{
    static const int shared = T::words * (int)sizeof(float);
    static bool asked;

    if (!asked)
        asked = cudaFuncSetAttribute(sgemm<T, GUARDED, QUADS>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     shared) == cudaSuccess;
    if (asked)
        sgemm<T, GUARDED, QUADS><<<(unsigned)blocks, T::threads, shared>>>(*w, *plan);
}

/*
 * Cut the tiles that do not go evenly around the blocks, of which there are `most`. Of few tiles each is cut
 * into as many parts. To add up parts takes time, so a part has at least PART steps along k. Returns the blocks
 * to start.
 */
static size_t cut_tiles(struct plan *plan, size_t most, size_t k)
{
    size_t tiles = plan->across * plan->down, parts = k / PART > 1 ? k / PART : 1;
    size_t blocks = most;

    if (tiles * 4 <= most)
        blocks = tiles * (most / tiles < parts ? most / tiles : parts);
    plan->whole = tiles / blocks * blocks;
    plan->stages = (tiles - plan->whole) * plan->depth;
    if (plan->stages > 0)
        plan->sharers =
            (tiles - plan->whole) * parts < blocks ? (tiles - plan->whole) * parts : blocks;
    return blocks;
}

/* Whole tiles alone, or the last ones cut. */
template <typename T> static void launch_tiles(const struct work *w, bool cut)
{
    struct plan plan = {ceiling(w->n, T::cols), ceiling(w->m, T::rows), ceiling(w->k, T::depth)};
    size_t tiles = plan.across * plan.down, blocks = (size_t)w->blocks;
    bool quads = (size_t)w->b % sizeof(float4) == 0 && w->ldb % 4 == 0;
    bool whole = w->m % T::rows == 0 && w->n % T::cols == 0 && w->k % T::depth == 0;

    if (tiles == 0)
        return;
    plan.whole = tiles;
    plan.sharers = 1; /* of nothing */
    plan.end_parts = (int)ceiling(w->k - (plan.depth - 1) * T::depth, T::depth / T::parts);
    if (cut && plan.depth > 0)
        blocks = cut_tiles(&plan, blocks, w->k);
    if (whole && quads)
        start<T, false, true>(w, &plan, blocks);
    else if (quads)
        start<T, true, true>(w, &plan, blocks);
    else
        start<T, true, false>(w, &plan, blocks);
}

typedef tile<4, 4, 2, 32, 4, 1> large; /* 128 x 256 */
typedef tile<4, 4, 1, 16, 4, 2>
    square;                           /* 128 x 128: one is stored while another one is worked on */
typedef tile<4, 2, 2, 16, 4, 2> flat; /* 64 x 256 */
typedef tile<4, 1, 4, 16, 2, 2> flatter; /* 32 x 512 */
typedef tile<8, 4, 1, 16, 2, 2> high;    /* 256 x 64 */
typedef tile<16, 4, 1, 16, 1, 2> higher; /* 512 x 32 */

/* The tiles that there are. What time they take was measured on an H200, in multiply-adds of the large one:
 * for an element's step along k; for an element beside its steps; for a product beside its elements. */
static const struct choice {
    void (*launch)(const struct work *, bool);
    size_t rows, cols;
    int threads, blocks;
    double step, element, product;
} choices[] = {
#define CHOICE(T, step, element, product)                                                          \
    {                                                                                              \
        launch_tiles<T>, T::rows, T::cols, T::threads, T::blocks, step, element, product           \
    }
    CHOICE(large, 1, 35, 7e7), CHOICE(square, 1.08, 27, 0),
/* Each takes seconds to compile. */
#ifndef BACKEND_CPU
    CHOICE(flat, 1.12, 28, 0), CHOICE(flatter, 1.1, 28, 0),
    CHOICE(high, 1.05, 27, 0), CHOICE(higher, 1.6, 40, 0),
#endif
};

static double time_of(const struct choice *c, size_t m, size_t n, size_t k)
{
    double rows = (double)(ceiling(m, c->rows) * c->rows),
           cols = (double)(ceiling(n, c->cols) * c->cols);

    return rows * cols * ((double)k * c->step + c->element) + c->product;
}

static const struct choice *choose(size_t m, size_t n, size_t k)
{
    const struct choice *best = choices;

    for (const struct choice *c = choices + 1; c < choices + COUNT(choices); c++) {
        if (time_of(c, m, n, k) < time_of(best, m, n, k))
            best = c;
    }
    return best;
}

static void whole(struct work *w)
{
    launch_tiles<large>(w, false);
}

static void cut_last(struct work *w)
{
    launch_tiles<large>(w, true);
}

static void fitted(struct work *w)
{
    choose(w->m, w->n, w->k)->launch(w, true);
}

static void fitted_shape(struct shape *s)
{
    const struct choice *c = choose(s->axis[GEMM_M], s->axis[GEMM_N], s->axis[GEMM_K]);

    if (s->threads == 0)
        s->threads = c->threads;
    if (s->blocks == 0)
        s->blocks = gemm_multiprocessors(s->threads) * c->blocks;
}

static int fitted_resident(int threads)
{
    return gemm_multiprocessors(threads) * (threads == square::threads ? square::blocks : 1);
}

static const struct variant variants[] = {
    {"whole", "stages ahead, words a step ahead; whole tiles of 128 x 256", whole, 0, NULL,
     gemm_multiprocessors, gemm_one_each, NULL, large::threads},
    {"cut", "the last tiles are cut along k", cut_last, WAITS, NULL, gemm_multiprocessors,
     gemm_one_each, NULL, large::threads},
    {"pipelined", "and their shape is chosen by that of C", fitted, WAITS | THREADS_BY_SIZE, NULL,
     fitted_resident, fitted_shape},
};

STEP("sgemm-pipelined", gemm_family, variants);
