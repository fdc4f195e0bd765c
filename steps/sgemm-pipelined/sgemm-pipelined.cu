/*
 * sgemm-pipelined: nothing waits
 *
 * Idea      The multiply-add units are the limit, so every other instruction must be rare, early, or
 *           elsewhere. Tiles arrive by asynchronous copies, several stages ahead. Each thread loads the
 *           words of the next step into registers while it works on the present ones. A block
 *           stays for the whole kernel and takes tile after tile.
 * Since     sgemm-registers waited for shared memory in each step and for all its warps in each tile.
 * Expect    Six loads of shared memory for 128 multiply-adds, and little else. See
 *           docs/sgemm-pipelined.md.
 * Source    CUTLASS's pipelines: stages, warp tiles, registers in two sets.
 */
#include <cuda_pipeline.h>

#include "families/gemm/gemm.h"

/* A block's tile of C, of 4 x 2 warps of 4 x 8 lanes, and what a thread owns of it, in squares of 4 x 4. */
#define ROWS 128
#define COLS 256
#define THREADS 256
#define LANES_DOWN 4
#define LANES_ACROSS 8
#define DOWN 8
#define ACROSS 16
#define WARP_ROWS (LANES_DOWN * DOWN)
#define WARP_COLS (LANES_ACROSS * ACROSS)

#define STAGES 3
#define DEEP 32 /* steps along k of a stage */
#define PARTS 4 /* a stage is copied in so many, which are spread over the work on another one */
#define PART_STEPS (DEEP / PARTS)
#define UNROLL 2 /* steps in a body of the main loop: even, since two sets of words take turns */
#define BODIES (PART_STEPS / UNROLL)

/* A row of the turned tile of A has 4 words more than it needs: copies of a warp go to 32 banks. */
#define PITCH (ROWS + 4)
#define STORE_PITCH (WARP_COLS + 1)

#define BAND 16 /* tiles of so many rows follow each other, and share what is in the L2 cache */

struct shared {
    float a[STAGES][DEEP][PITCH], b[STAGES][DEEP][COLS];
    float sums[THREADS / 32][LANES_DOWN][STORE_PITCH]; /* which warps store */
};

/* What this thread copies of a stage's next part, and where to: of A a word in each eighth step along k, in
 * one row; of B the same columns of some steps. The others say how much is left of the matrices from there on:
 * rows of A and columns of B (0 or less: nothing). */
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

/* A lane's place among the 4 x 8 of its warp. Lanes next to each other, or two apart, differ in both: if
 * they read the same address, a load is done in half the time, and its words arrive so fast that the
 * multiply-adds have to wait. */
static __device__ __forceinline__ int lane_row()
{
    return threadIdx.x % LANES_DOWN;
}

static __device__ __forceinline__ int lane_col()
{
    return (threadIdx.x % 32 / LANES_DOWN) ^ lane_row();
}

/* The first row and column of a thread's warp in the tile. */
static __device__ __forceinline__ int warp_row()
{
    return threadIdx.x / 32 / (COLS / WARP_COLS) * WARP_ROWS;
}

static __device__ __forceinline__ int warp_col()
{
    return threadIdx.x / 32 % (COLS / WARP_COLS) * WARP_COLS;
}

/* --- copies -------------------------------------------------------------------------------------- */

/* A part of a stage, a word of A and WORDS of B at a time. With EDGE the stage has so many steps, and zeros
 * come for what is not there: a copy of no words reads nothing, wherever it is said to be from. */
template <int WORDS, bool EDGE>
static __device__ __forceinline__ void copy(const struct copies *c, const struct work &w, int part,
                                            int steps)
{
    const int t = threadIdx.x, first = part * PART_STEPS + t * WORDS / COLS;

#pragma unroll
    for (int k = 0; k < DEEP; k += 8)
        __pipeline_memcpy_async(c->to_a + k * PITCH, c->a + k, 4,
                                EDGE && (c->rows <= 0 || t % 8 + k >= steps) ? 4 : 0);
#pragma unroll
    for (int k = 0; k < PART_STEPS; k += THREADS * WORDS / COLS)
        __pipeline_memcpy_async(c->to_b + k * COLS, c->b + k * w.ldb, 4 * WORDS,
                                EDGE && (c->cols <= 0 || first + k >= steps) ? 4 * WORDS : 0);
}

/* And on to the next part. */
template <int WORDS>
static __device__ __forceinline__ void copy_part(struct copies *c, const struct work &w, int part,
                                                 int steps)
{
    if (steps < DEEP || !c->inside)
        copy<WORDS, true>(c, w, part, steps);
    else
        copy<WORDS, false>(c, w, part, steps);
    c->a += ROWS / PARTS * w.lda;
    c->b += PART_STEPS * w.ldb;
    c->to_a += ROWS / PARTS;
    c->to_b += PART_STEPS * COLS;
    c->rows -= ROWS / PARTS;
}

/* On to the next stage, which goes to this place. */
template <int WORDS>
static __device__ __forceinline__ void next_stage(struct copies *c, const struct work &w,
                                                  struct shared *shared, int stage)
{
    c->a += DEEP - (size_t)ROWS * w.lda;
    c->to_a = shared->a[stage][threadIdx.x % 8] + threadIdx.x / 8;
    c->to_b = shared->b[stage][0] + threadIdx.x * WORDS;
    c->rows += ROWS;
}

/* How much there is of `all` from a place on, as far as it matters: at most `most`. */
static __device__ __forceinline__ int left(size_t all, size_t from, int most)
{
    return from >= all ? 0 : all - from < (size_t)most ? (int)(all - from) : most;
}

/* Ask for the first of `stages` stages of a tile; the last one has `end` steps. */
template <int WORDS>
static __device__ __forceinline__ void begin(struct copies *c, struct shared *shared,
                                             const struct work &w, size_t first_row,
                                             size_t first_col, int stages, int end)
{
    size_t row = first_row + threadIdx.x / 8, k = threadIdx.x * WORDS / COLS,
           col = first_col + threadIdx.x * WORDS % COLS;

    *c = {w.a + row * w.lda + threadIdx.x % 8,
          w.b + k * w.ldb + col,
          shared->a[0][threadIdx.x % 8] + threadIdx.x / 8,
          shared->b[0][0] + threadIdx.x * WORDS,
          left(w.m, row, ROWS),
          left(w.n, col, COLS),
          first_row + ROWS <= w.m && first_col + COLS <= w.n};
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < stages) {
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                copy_part<WORDS>(c, w, part, i + 1 == stages ? end : DEEP);
            next_stage<WORDS>(c, w, shared, i + 1);
        }
        __pipeline_commit();
    }
}

/* --- the main loop ------------------------------------------------------------------------------- */

static __device__ __forceinline__ void load(struct words *to, const float *a, const float *b)
{
#pragma unroll
    for (int i = 0; i < DOWN / 4; i++)
        to->a[i] = *(const float4 *)(a + i * LANES_DOWN * 4);
#pragma unroll
    for (int j = 0; j < ACROSS / 4; j++)
        to->b[j] = *(const float4 *)(b + j * LANES_ACROSS * 4);
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

/* The products of a tile that has begun. */
template <int WORDS>
static __device__ __forceinline__ void accumulate(float sum[DOWN][ACROSS], struct shared *shared,
                                                  struct copies *c, const struct work &w,
                                                  int stages, int end)
{
    int now = 0, in = STAGES - 1, end_parts = (end + PART_STEPS - 1) / PART_STEPS;
    int row = warp_row() + lane_row() * 4, col = warp_col() + lane_col() * 4;
    const float *first_a = shared->a[0][0] + row, *a = first_a;
    const float *first_b = shared->b[0][0] + col, *b = first_b;
    struct words two[2] = {};

    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    if (stages > 0)
        load(&two[0], a, b);
#pragma unroll 1
    for (int i = 0; i < stages; i++) {
        bool more = i + STAGES - 1 < stages, last = i + 1 == stages;
        /* Behind the last stage there is none: words that nobody uses come from itself. */
        int after = last ? now : now + 1 == STAGES ? 0 : now + 1;
        const float *next_a = first_a + after * DEEP * PITCH;
        const float *next_b = first_b + after * DEEP * COLS;
        int steps = i + STAGES == stages ? end : DEEP; /* of the stage that is asked for */
        int parts = last ? end_parts : PARTS;

#pragma unroll 1
        for (int part = 0; part < parts - 1; part++) {
            if (more)
                copy_part<WORDS>(c, w, part, steps);
#pragma unroll 1
            for (int r = 0; r < BODIES; r++)
                body(sum, two, &a, &b);
        }
        if (more)
            copy_part<WORDS>(c, w, PARTS - 1, steps);
        in = in + 1 == STAGES ? 0 : in + 1;
        next_stage<WORDS>(c, w, shared, in);
        __pipeline_commit();
#pragma unroll 1
        for (int r = 0; r < BODIES - 1; r++)
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

/* --- tiles --------------------------------------------------------------------------------------- */

/*
 * The warp's sums to C, a row of its lanes' squares at a time, handed over in shared memory, so that lanes
 * store neighbours: each for itself would write a part of 16 sectors. Word by word: four words that were stored
 * at once would have to lie in four registers in turn, and those of B lie so too; a multiply-add cannot
 * read two words of one bank of registers at once.
 */
static __device__ __forceinline__ void store(const float sum[DOWN][ACROSS], struct shared *shared,
                                             const struct work &w, size_t first_row,
                                             size_t first_col)
{
    float(*places)[STORE_PITCH] = shared->sums[threadIdx.x / 32];
    int lane = threadIdx.x % 32, rows = left(w.m, first_row, ROWS),
        cols = left(w.n, first_col, COLS);
    float *c = w.c + first_row * w.ldc + first_col;

#pragma unroll
    for (int i = 0; i < DOWN; i++) {
        __syncwarp();
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
            places[lane_row()][(j / 4 * LANES_ACROSS + lane_col()) * 4 + j % 4] = sum[i][j];
        __syncwarp();
#pragma unroll
        for (int e = 0; e < ACROSS; e++) {
            int r = (e * 32 + lane) / WARP_COLS, j = (e * 32 + lane) % WARP_COLS;
            int row = warp_row() + (i / 4 * LANES_DOWN + r) * 4 + i % 4, col = warp_col() + j;
            float *to = c + row * w.ldc + col, value = w.alpha * places[r][j];

            if (row < rows && col < cols)
                *to = w.beta == 0 ? value : value + w.beta * *to;
        }
    }
}

/* The place of a tile: down a band of BAND tiles, then to the right. */
static __device__ __forceinline__ void place(const struct work &w, size_t tile, size_t *row,
                                             size_t *col)
{
    size_t across = (w.n - 1) / COLS + 1, down = (w.m - 1) / ROWS + 1;
    size_t band = tile / (BAND * across), rest = tile % (BAND * across);
    size_t high = down - band * BAND < BAND ? down - band * BAND : BAND;

    *row = (band * BAND + rest % high) * ROWS;
    *col = rest / high * COLS;
}

/* With 4 WORDS for a B whose rows begin at multiples of 16 bytes and have a multiple of 4 words. */
template <int WORDS> __global__ void __launch_bounds__(THREADS)
sgemm(struct work w, size_t tiles)
{
    extern __shared__ float4 memory[];
    struct shared *shared = (struct shared *)memory;
    int stages = (int)((w.k + DEEP - 1) / DEEP), end = (int)(w.k - (stages - 1) * (size_t)DEEP);
    struct copies copies;
    size_t tile = blockIdx.x, row, col;

    place(w, tile, &row, &col);
    begin<WORDS>(&copies, shared, w, row, col, stages, end);
    while (tile < tiles) {
        float sum[DOWN][ACROSS] = {};

        accumulate<WORDS>(sum, shared, &copies, w, stages, end);
        store(sum, shared, w, row, col);
        tile += gridDim.x;
        if (tile < tiles) {
            place(w, tile, &row, &col);
            begin<WORDS>(&copies, shared, w, row, col, stages, end);
        }
    }
}

/* --- the launch ---------------------------------------------------------------------------------- */

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <int WORDS> static void start(const struct work *w, size_t tiles)
{
    static bool asked;
    size_t blocks = tiles < (size_t)w->blocks ? tiles : (size_t)w->blocks;

    if (!asked)
        asked = cudaFuncSetAttribute(sgemm<WORDS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)sizeof(struct shared)) == cudaSuccess;
    if (asked)
        sgemm<WORDS><<<(unsigned)blocks, THREADS, sizeof(struct shared)>>>(*w, tiles);
}

static void pipelined(struct work *w)
{
    if (w->m == 0 || w->n == 0)
        return;
    size_t tiles = ((w->m - 1) / ROWS + 1) * ((w->n - 1) / COLS + 1);

    if ((size_t)w->b % sizeof(float4) == 0 && w->ldb % 4 == 0 && w->n % 4 == 0)
        start<4>(w, tiles);
    else
        start<1>(w, tiles);
}

static const struct variant variants[] = {
    {"pipelined", "copies stages ahead, words a step ahead", pipelined, 0, NULL,
     gemm_multiprocessors, gemm_one_each, NULL, THREADS},
};

static const struct launches launches[] = {
    {RECORD | GPU_ONLY, {"-n 16384 -r 3 -w 1 -v pipelined -v cublas"}},
    {0},
};

STEP("sgemm-pipelined", gemm_family, variants, launches);
