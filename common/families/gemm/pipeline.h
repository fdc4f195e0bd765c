/*
 * The pipeline of sgemm-pipelined for tiles of C of any shape: copies in stages, the main loop, and
 * the stores. Device code. Beside it the tiles that there are, and what they take on an H200, by
 * which the host chooses one.
 *
 * A tile is a type, so all loops have lengths that the compiler knows. It has the products of a
 * segment at a time: of some of the steps along k.
 */
#ifndef GEMM_PIPELINE_H
#define GEMM_PIPELINE_H

#include <cuda_pipeline.h>

#include "families/gemm/gemm.h"

#define STAGES 3
#define UNROLL 2 /* steps in a body of the main loop: even, since two sets of words take turns */

/* What a thread owns of a tile, in squares of 4 x 4. */
#define DOWN 8
#define ACROSS 16

#define BAND 16 /* tiles of so many rows follow each other, and share what is in the L2 cache */

/*
 * A block's tile of C. A warp is LANES lanes high and 32 / LANES wide, a block HIGH x WIDE warps. A
 * stage holds DEEP steps along k, and is copied in so many parts, which are spread over the work on
 * another one. A multiprocessor has BLOCKS such blocks.
 */
template <int LANES, int HIGH, int WIDE, int DEEP, int IN_PARTS, int BLOCKS> struct tile {
    static const int lanes_down = LANES, lanes_across = 32 / LANES, warps_across = WIDE;
    static const int warp_rows = lanes_down * DOWN, warp_cols = lanes_across * ACROSS;
    static const int rows = HIGH * warp_rows, cols = WIDE * warp_cols;
    static const int threads = 32 * HIGH * WIDE, blocks = BLOCKS, depth = DEEP, parts = IN_PARTS;
    static const int part_steps = DEEP / IN_PARTS, bodies = part_steps / UNROLL;
    /* Whole tiles of whole stages have a kernel of their own, which asks for no edges. Only where
     * large products are made, since each kernel takes seconds to compile. */
    static const bool apart = BLOCKS == 1;

    /* Words of a stage, of A and of B. All stages of A lie together, then those of B, then what
     * warps store. A row of the turned tile of A has 4 more than it needs: copies of a warp go to
     * 32 banks. */
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
struct segment {
    size_t row, col; /* of the tile's first element */
    size_t from, to;
};

/* The tiles that cover C. */
struct tiling {
    size_t across, down, depth; /* tiles; stages of each */
    int end;                    /* steps of the last stage */
};

/* What this thread copies of a stage's next part, and where to: of A a word in each eighth step
 * along k, in some rows; of B the words of some columns and steps. The others say how much is left
 * of the matrices from there on: rows of A and columns of B (0 or less: nothing). */
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

/* --- copies --------------------------------------------------------------------------------------
 * */

/* A part of a stage, a word of A and WORDS of B at a time. With EDGE the stage has so many steps,
 * and zeros come for what is not there: a copy of no words reads nothing, wherever it is said to be
 * from. */
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
static __device__ __forceinline__ void begin(struct copies *c, float *memory,
                                             const struct segment &p, const struct work &w, int end)
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

/* --- the main loop -------------------------------------------------------------------------------
 * */

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

/* Step k: the second half of the step before, the words of the step after, the first half of its
 * own. So half a step lies between loads and the end of a body, across which the compiler moves
 * none. */
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
            /* The last body: behind its last load of this stage all wait until the next one is
             * there. */
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

/* --- what becomes of the sums --------------------------------------------------------------------
 * */

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
                                                          const struct segment &p)
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

/* Handed over in shared memory, a row of the lanes' squares at a time, so that lanes store
 * neighbours. */
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

/* The place of a tile: down a band of BAND tiles, then to the right. */
template <typename T>
static __device__ __forceinline__ void place(struct segment *s, const struct tiling &tiling,
                                             size_t tile)
{
    size_t band = tile / (BAND * tiling.across), rest = tile % (BAND * tiling.across);
    size_t high = tiling.down - band * BAND < BAND ? tiling.down - band * BAND : BAND;

    s->row = (band * BAND + rest % high) * T::rows;
    s->col = rest / high * T::cols;
}

/* --- the tiles that there are --------------------------------------------------------------------
 */

/* What each takes on an H200, in ns: the product beside all else; a step along k of a block, with
 * its neighbour; a whole tile beside its steps; to add up one that is cut. */
template <typename TILE, int PRODUCT, int STEP_NS, int WHOLE, int CUT> struct tile_times : TILE {
    static const int product = PRODUCT, step = STEP_NS, whole = WHOLE, cut = CUT;
};

typedef tile_times<tile<4, 4, 2, 32, 4, 1>, 5000, 156, 5500, 7000> large; /* 128 x 256 */
typedef tile_times<tile<4, 4, 1, 16, 4, 2>, 0, 168, 4000, 10000> square;  /* 128 x 128 */
typedef tile_times<tile<4, 2, 2, 16, 4, 2>, 0, 169, 5500, 10000> flat;    /* 64 x 256 */
typedef tile_times<tile<4, 1, 4, 16, 2, 2>, 0, 161, 5500, 14000> flatter; /* 32 x 512 */
typedef tile_times<tile<8, 4, 1, 16, 2, 2>, 0, 178, 5200, 10000> high;    /* 256 x 64 */
typedef tile_times<tile<16, 4, 1, 16, 1, 2>, 0, 244, 6000, 10000> higher; /* 512 x 32 */

/* Each takes seconds to compile. */
#ifdef BACKEND_CPU
#define ALL_TILES(OF) OF(large), OF(square)
#else
#define ALL_TILES(OF) OF(large), OF(square), OF(flat), OF(flatter), OF(high), OF(higher)
#endif

/* The same for the host, which chooses one; launch is the step's. */
template <typename LAUNCH> struct choice {
    LAUNCH *launch;
    size_t rows, cols, depth;
    int threads, blocks; /* of a block; blocks of a multiprocessor */
    double product, step, whole, cut;
};

template <typename T, typename LAUNCH> static constexpr choice<LAUNCH> choice_of(LAUNCH *launch)
{
    return {launch,    T::rows,    T::cols, T::depth, T::threads,
            T::blocks, T::product, T::step, T::whole, T::cut};
}

static inline size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

template <typename LAUNCH>
static struct tiling tiling_of(const choice<LAUNCH> &c, const size_t axis[])
{
    size_t depth = ceiling(axis[GEMM_K], c.depth);

    return {ceiling(axis[GEMM_N], c.cols), ceiling(axis[GEMM_M], c.rows), depth,
            (int)(axis[GEMM_K] - (depth - 1) * c.depth)};
}

/* Of the tiles with so many threads, 0 for all, that which takes the shortest time for a product,
 * where each multiprocessor has its blocks. */
template <typename LAUNCH, int N>
static const choice<LAUNCH> &
quickest(const choice<LAUNCH> (&choices)[N], int threads, const size_t axis[],
         double (*time)(const choice<LAUNCH> &, const size_t axis[], size_t blocks))
{
    const choice<LAUNCH> *best = choices;
    double least = 0;

    for (const choice<LAUNCH> &c : choices) {
        double its = time(c, axis, (size_t)(gemm_multiprocessors(c.threads) * c.blocks));

        if ((threads == 0 || c.threads == threads) && (least == 0 || its < least)) {
            best = &c;
            least = its;
        }
    }
    return *best;
}

/* The launch that a tile asks for. */
template <typename LAUNCH> static void shape_for(struct shape *s, const choice<LAUNCH> &c)
{
    if (s->threads == 0)
        s->threads = c.threads;
    if (s->blocks == 0)
        s->blocks = gemm_multiprocessors(s->threads) * c.blocks;
}

/* How many blocks are on the device at once, of a tile with so many threads: resident. */
static inline int resident_tiles(int threads)
{
    return gemm_multiprocessors(threads) * (threads == square::threads ? square::blocks : 1);
}

/* Whether B can be copied four words at a time, and whether all tiles and stages are whole. */
static inline bool quads_of(const struct work *w)
{
    return (size_t)w->b % sizeof(float4) == 0 && w->ldb % 4 == 0 && w->n % 4 == 0;
}

template <typename T> static bool all_whole(const struct work *w)
{
    return w->m % T::rows == 0 && w->n % T::cols == 0 && w->k % T::depth == 0;
}
#endif
