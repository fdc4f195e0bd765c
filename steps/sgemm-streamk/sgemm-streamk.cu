/*
 * sgemm-streamk: all blocks end together
 *
 * Idea      A tile of C need not be made by one block: what does not go evenly around the blocks is cut along
 *           k, and each makes an equal part. Blocks of one tile leave their sums in memory, wait for each
 *           other, and add up a share of the tile each. The tile's shape follows from that of C.
 * Since     sgemm-pipelined's last round of tiles filled a part of the device, as did a small C; and
 *           most of a tile was wasted where C is narrow.
 * Expect    The same main loop; its time is what the area of C and its depth say, at any shape. See
 *           docs/sgemm-streamk.md.
 * Source    M. Osama et al., "Stream-K", 2023.
 */
#include <cuda/atomic>
#include <cuda_pipeline.h>

#include "families/gemm/gemm.h"

#define STAGES 3
#define UNROLL 2 /* steps in a body of the main loop: even, since two sets of words take turns */

/* What a thread owns of a tile, in squares of 4 x 4. */
#define DOWN 8
#define ACROSS 16

#define PART 64     /* steps along k at least of a tile that is cut */
#define UNEVEN 5000 /* ns that it takes longer if tiles have parts of several lengths */
#define BAND 16     /* tiles of so many rows follow each other, and share what is in the L2 cache */

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
    static const int part_steps = DEEP / IN_PARTS, bodies = part_steps / UNROLL;
    /* Whole tiles of whole stages have a kernel of their own, which asks for no edges. Only where large
     * products are made, since each kernel takes seconds to compile. */
    static const bool apart = BLOCKS == 1;

    /* Words of a stage, of A and of B. All stages of A lie together, then those of B, then what warps store. A
     * row of the turned tile of A has 4 more than it needs: copies of a warp go to 32 banks. */
    static const int pitch = rows + 4;
    static const int a_words = DEEP * pitch, b_words = DEEP * cols;
    static const int store_pitch = warp_cols + 1,
                     store_words = lanes_down * store_pitch; /* a warp's */
    static const int words = STAGES * (a_words + b_words) + HIGH * WIDE * store_words;

    static_assert(UNROLL % 2 == 0 && DEEP % (IN_PARTS * UNROLL) == 0 && DEEP % 8 == 0,
                  "whole bodies");
    static_assert(rows / IN_PARTS % (threads / 8) == 0, "whole parts");
    static_assert(rows * cols * BLOCKS * 2 <= GEMM_SCRATCH && BLOCKS <= GEMM_FLAGS,
                  "room for two tiles each");
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
    int end;                /* steps of the last stage */
};

/* What this thread copies of a stage's next part, and where to: of A a word in each eighth step along k, in
 * some rows; of B the words of some columns and steps. The others say how much is left of the matrices from
 * there on: rows of A and columns of B (0 or less: nothing). */
struct copies {
    const float *a, *b;
    float *to_a, *to_b;
    int rows, cols;
    bool inside; /* the whole tile is */
};

/* The words of one step: of 8 rows of A and 16 columns of B. */
struct words {
    float4 a[DOWN / 4], b[ACROSS / 4];
};

/* A lane's place among those of its warp. Lanes next to each other differ in row and column: see
 * sgemm-pipelined. */
template <typename T> static __device__ __forceinline__ int lane_row()
{
    return threadIdx.x % T::lanes_down;
}

template <typename T> static __device__ __forceinline__ int lane_col()
{
    return (threadIdx.x % 32 / T::lanes_down) ^ (lane_row<T>() % T::lanes_across);
}

/* The first row and column of a thread's warp in its tile. */
template <typename T> static __device__ __forceinline__ int warp_row()
{
    return threadIdx.x / 32 / T::warps_across * T::warp_rows;
}

template <typename T> static __device__ __forceinline__ int warp_col()
{
    return threadIdx.x / 32 % T::warps_across * T::warp_cols;
}

/* --- copies -------------------------------------------------------------------------------------- */

/* A part of a stage, a word of A and WORDS of B at a time. With EDGE the stage has so many steps, and zeros
 * come for what is not there: a copy of no words reads nothing, wherever it is said to be from. */
template <typename T, int WORDS, bool EDGE>
static __device__ __forceinline__ void copy(const struct copies *c, const struct work &w, int part,
                                            int steps)
{
    const int t = threadIdx.x, first = part * T::part_steps + t * WORDS / T::cols;

#pragma unroll
    for (int r = 0; r < T::rows / T::parts; r += T::threads / 8)
#pragma unroll
        for (int k = 0; k < T::depth; k += 8)
            __pipeline_memcpy_async(c->to_a + k * T::pitch + r, c->a + r * w.lda + k, 4,
                                    EDGE && (r >= c->rows || t % 8 + k >= steps) ? 4 : 0);
#pragma unroll
    for (int e = 0; e < T::part_steps * T::cols; e += T::threads * WORDS) {
        const int k = e / T::cols, col = e % T::cols;

        __pipeline_memcpy_async(c->to_b + e, c->b + k * w.ldb + col, 4 * WORDS,
                                EDGE && (col >= c->cols || first + k >= steps) ? 4 * WORDS : 0);
    }
}

/* And on to the next part. Without EDGES all tiles and stages are whole. */
template <typename T, int WORDS, bool EDGES>
static __device__ __forceinline__ void copy_part(struct copies *c, const struct work &w, int part,
                                                 int steps)
{
    if (EDGES && (steps < T::depth || !c->inside))
        copy<T, WORDS, true>(c, w, part, steps);
    else
        copy<T, WORDS, false>(c, w, part, steps);
    c->a += T::rows / T::parts * w.lda;
    c->b += T::part_steps * w.ldb;
    c->to_a += T::rows / T::parts;
    c->to_b += T::part_steps * T::cols;
    c->rows -= T::rows / T::parts;
}

/* Where this thread's copies of a stage go. */
template <typename T> static __device__ __forceinline__ float *place_a(float *memory, int stage)
{
    return memory + stage * T::a_words + threadIdx.x % 8 * T::pitch + threadIdx.x / 8;
}

template <typename T, int WORDS>
static __device__ __forceinline__ float *place_b(float *memory, int stage)
{
    return memory + STAGES * T::a_words + stage * T::b_words + threadIdx.x * WORDS;
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
}

/* How much there is of `all` from a place on, as far as it matters: at most `most`. */
static __device__ __forceinline__ int left(size_t all, size_t from, int most)
{
    return from >= all ? 0 : all - from < (size_t)most ? (int)(all - from) : most;
}

/* Ask for the first stages of a piece. */
template <typename T, int WORDS, bool EDGES>
static __device__ __forceinline__ void begin(struct copies *c, float *memory, const struct piece &p,
                                             const struct work &w, int end)
{
    int t = threadIdx.x, count = (int)(p.to - p.from);
    size_t row = p.row + t / 8, col = p.col + t * WORDS % T::cols, k = p.from * T::depth;

    *c = {w.a + row * w.lda + k + t % 8,
          w.b + (k + t * WORDS / T::cols) * w.ldb + col,
          place_a<T>(memory, 0),
          place_b<T, WORDS>(memory, 0),
          left(w.m, row, T::rows),
          left(w.n, col, T::cols),
          p.row + T::rows <= w.m && p.col + T::cols <= w.n};
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < count) {
#pragma unroll
            for (int part = 0; part < T::parts; part++)
                copy_part<T, WORDS, EDGES>(c, w, part, i + 1 == count ? end : T::depth);
            next_stage<T>(c, w, place_a<T>(memory, i + 1), place_b<T, WORDS>(memory, i + 1));
        }
        __pipeline_commit();
    }
}

/* --- the main loop ------------------------------------------------------------------------------- */

template <typename T>
static __device__ __forceinline__ void load(struct words *to, const float *a, const float *b)
{
#pragma unroll
    for (int j = 0; j < ACROSS / 4; j++)
        to->b[j] = *(const float4 *)(b + j * T::lanes_across * 4);
#pragma unroll
    for (int i = 0; i < DOWN / 4; i++)
        to->a[i] = *(const float4 *)(a + i * T::lanes_down * 4);
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
            int j = i % 2 ? e : ACROSS - 1 - e;

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

/* The products of the stages of a piece that has begun; of the last one so many steps. */
template <typename T, int WORDS, bool EDGES>
static __device__ __forceinline__ void accumulate(float sum[DOWN][ACROSS], float *memory,
                                                  struct copies *c, int count, int end,
                                                  const struct work &w)
{
    int now = 0, in = STAGES - 1, end_parts = (end + T::part_steps - 1) / T::part_steps;
    float *to_a = place_a<T>(memory, 0), *to_b = place_b<T, WORDS>(memory, 0);
    const float *first_a = memory + warp_row<T>() + lane_row<T>() * 4, *a = first_a;
    const float *first_b = memory + STAGES * T::a_words + warp_col<T>() + lane_col<T>() * 4,
                *b = first_b;
    struct words two[2] = {};

    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    if (count > 0)
        load<T>(&two[0], a, b);
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        bool more = i + STAGES - 1 < count, wrap = now + 1 == STAGES;
        /* Behind the last stage there is none: words that nobody uses come from itself. */
        int after = i + 1 == count ? now : wrap ? 0 : now + 1;
        const float *next_a = first_a + after * T::a_words, *next_b = first_b + after * T::b_words;
        int parts = EDGES && i + 1 == count ? end_parts : T::parts;
        int steps = i + STAGES == count ? end : T::depth; /* of the stage that is asked for */

#pragma unroll 1
        for (int part = 0; part < parts - 1; part++) {
            if (more)
                copy_part<T, WORDS, EDGES>(c, w, part, steps);
#pragma unroll 1
            for (int r = 0; r < T::bodies; r++)
                body<T>(sum, two, &a, &b);
        }
        if (more)
            copy_part<T, WORDS, EDGES>(c, w, T::parts - 1, steps);
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

/* --- what becomes of the sums -------------------------------------------------------------------- */

/* Where a tile goes: its first element, and how many rows and columns of it there are. */
struct target {
    float *c;
    size_t ldc;
    int rows, cols;
    float alpha, beta;
};

/* A tile's place in C. */
template <typename T>
static __device__ __forceinline__ struct target part_of_c(const struct work &w,
                                                          const struct piece &p)
{
    return {w.c + p.row * w.ldc + p.col, w.ldc,   left(w.m, p.row, T::rows),
            left(w.n, p.col, T::cols),   w.alpha, w.beta};
}

static __device__ __forceinline__ void put(const struct target &to, int row, int col, float sum)
{
    float *c = to.c + row * to.ldc + col;

    if (row < to.rows && col < to.cols)
        *c = to.beta == 0 ? to.alpha * sum : to.alpha * sum + to.beta * *c;
}

/* Handed over in shared memory, a row of the lanes' squares at a time, so that lanes store neighbours. */
template <typename T>
static __device__ __forceinline__ void store(const float sum[DOWN][ACROSS], float *memory,
                                             const struct target &to)
{
    int lane = threadIdx.x % 32;
    float *places = memory + STAGES * (T::a_words + T::b_words) + threadIdx.x / 32 * T::store_words;
    float *own = places + lane_row<T>() * T::store_pitch + lane_col<T>() * 4;

#pragma unroll
    for (int i = 0; i < DOWN; i++) {
        __syncwarp();
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
            own[j / 4 * (T::lanes_across * 4) + j % 4] = sum[i][j];
        __syncwarp();
#pragma unroll
        for (int e = 0; e < ACROSS; e++) {
            int r = (e * 32 + lane) / T::warp_cols, j = (e * 32 + lane) % T::warp_cols;

            put(to, warp_row<T>() + i / 4 * (T::lanes_down * 4) + r * 4 + i % 4, warp_col<T>() + j,
                places[r * T::store_pitch + j]);
        }
    }
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

    bool quads = (size_t)w->b % sizeof(float4) == 0 && w->ldb % 4 == 0 && w->n % 4 == 0;
    bool whole = w->m % T::rows == 0 && w->n % T::cols == 0 && w->k % T::depth == 0;

    if (quads && whole)
        start<T, 4, !T::apart>(w, plan, blocks);
    else if (quads)
        start<T, 4, true>(w, plan, blocks);
    else
        start<T, 1, true>(w, plan, blocks);
}

typedef tile<4, 4, 2, 32, 4, 1> large; /* 128 x 256 */
typedef tile<4, 4, 1, 16, 4, 2>
    square;                           /* 128 x 128: one is stored while another one is worked on */
typedef tile<4, 2, 2, 16, 4, 2> flat; /* 64 x 256 */
typedef tile<4, 1, 4, 16, 2, 2> flatter; /* 32 x 512 */
typedef tile<8, 4, 1, 16, 2, 2> high;    /* 256 x 64 */
typedef tile<16, 4, 1, 16, 1, 2> higher; /* 512 x 32 */

/* The tiles that there are, and what they take on an H200, in ns: the product beside all else; a step along k of
 * a block, with its neighbour; a whole tile beside its steps; to add up cut ones. */
static const struct choice {
    void (*launch)(struct work *, struct plan *);
    size_t rows, cols, depth;
    int threads, blocks;
    double product, step, tile, cut;
} choices[] = {
#define CHOICE(T, product, step, tile, cut)                                                        \
    {                                                                                              \
        launch_tiles<T>, T::rows, T::cols, T::depth, T::threads, T::blocks, product, step, tile,   \
            cut                                                                                    \
    }
    CHOICE(large, 5000, 156, 5500, 7000), CHOICE(square, 0, 168, 4000, 10000),
/* Each takes seconds to compile. */
#ifndef BACKEND_CPU
    CHOICE(flat, 0, 169, 5500, 10000),    CHOICE(flatter, 0, 161, 5500, 14000),
    CHOICE(high, 0, 178, 5200, 10000),    CHOICE(higher, 0, 244, 6000, 10000),
#endif
};

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Tiles of which those that do not go evenly around the blocks are cut for so many; 0: none. */
static struct plan plan_with(const struct choice *c, const size_t axis[], size_t blocks,
                             size_t sharers)
{
    struct plan plan = {ceiling(axis[GEMM_N], c->cols), ceiling(axis[GEMM_M], c->rows),
                        ceiling(axis[GEMM_K], c->depth)};
    size_t tiles = plan.across * plan.down;

    plan.whole = sharers > 0 ? tiles / blocks * blocks : tiles;
    plan.stages = (tiles - plan.whole) * plan.depth;
    plan.sharers = sharers > 0 ? sharers : 1; /* of nothing */
    plan.end = (int)(axis[GEMM_K] - (plan.depth - 1) * c->depth);
    return plan;
}

/* What the block with the most work takes: rounds of whole tiles, then its part of the cut ones. */
static double time_of(const struct choice *c, const struct plan *p, size_t k, size_t blocks)
{
    double time = c->product + (double)ceiling(p->whole, blocks) * ((double)k * c->step + c->tile);

    if (p->stages == 0)
        return time;
    if (p->sharers % (p->stages / p->depth) != 0)
        time += UNEVEN;
    return time + (double)(ceiling(p->stages, p->sharers) * c->depth) * c->step + c->cut;
}

/* The best of three plans: no tile is cut; each of the rest into as many parts; their row into as many as
 * there are blocks. A part has at least PART steps along k. */
static struct plan plan_of(const struct choice *c, const size_t axis[], size_t blocks, double *time)
{
    struct plan best = plan_with(c, axis, blocks, 0);
    size_t rest = best.whole % blocks, most = axis[GEMM_K] / PART;
    size_t sharers[] = {rest > 0 ? rest * least(blocks / rest, most) : 0,
                        least(blocks, rest * most)};

    *time = time_of(c, &best, axis[GEMM_K], blocks);
    for (int i = 0; i < 2; i++) {
        struct plan plan = plan_with(c, axis, blocks, sharers[i]);
        double its = time_of(c, &plan, axis[GEMM_K], blocks);

        if (sharers[i] > rest && its < *time) {
            best = plan;
            *time = its;
        }
    }
    return best;
}

static const struct choice *choose(const size_t axis[])
{
    const struct choice *best = NULL;
    double least_time = 0, time;

    for (const struct choice *c = choices; c < choices + COUNT(choices); c++) {
        plan_of(c, axis, (size_t)(gemm_multiprocessors(c->threads) * c->blocks), &time);
        if (!best || time < least_time) {
            best = c;
            least_time = time;
        }
    }
    return best;
}

static void multiply(struct work *w, const struct choice *c)
{
    size_t axis[] = {w->m, w->n, w->k};
    double time;

    if (w->m == 0 || w->n == 0)
        return;
    if (!c)
        c = choose(axis);
    struct plan plan = plan_of(c, axis, (size_t)w->blocks, &time);
    c->launch(w, &plan);
}

static void cut_last(struct work *w)
{
    multiply(w, &choices[0]);
}

static void fitted(struct work *w)
{
    multiply(w, NULL);
}

static void fitted_shape(struct shape *s)
{
    const struct choice *c = choose(s->axis);

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
    {"cut", "tiles of 128 x 256; the last are cut along k", cut_last, WAITS, NULL,
     gemm_multiprocessors, gemm_one_each, NULL, large::threads},
    {"fitted", "their shape is chosen by that of C", fitted, WAITS | THREADS_BY_SIZE, NULL,
     fitted_resident, fitted_shape},
};

static const struct launches launches[] = {
    {RECORD | GPU_ONLY, {"-n 16384 -r 3 -w 1 -v fitted -v cublas"}},
    {0},
};

STEP("sgemm-streamk", gemm_family, variants, launches);
