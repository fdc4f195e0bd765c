/*
 * sgemm-small: the warps of a block share k
 *
 * Idea      Where C is small, its sums are too few for all threads, but k is long: so k is shared. A tile is what
 *           one warp covers; all eight warps of the block make it, each of an eighth of the steps along k, and
 *           add up in shared memory. Of a column, the lanes of a warp share k; of a row, blocks do, too.
 * Since     A block of sgemm-shapes needs a tile of 16384 sums, of which a C of 128 x 128 has one: one
 *           multiprocessor works, and all others wait.
 * Expect    A small product takes little more than a launch and a round trip to memory. A larger one is slower
 *           than with large tiles, because small ones read A and B more often. See docs/sgemm-small.md.
 * Source    CUTLASS's sliced k: the warps of a block share the steps along k.
 */
#include <cuda/atomic>

#include "families/gemm/pipeline.h"

/* --- a small C: the warps of a block share k ------------------------------------------------------ */

#define WARPS 8
#define WARP 0xffffffffu

/* A tile that one warp covers, 8 lanes high and 4 wide: a lane has HEIGHT rows, 8 apart, and two quads of
 * columns. Each warp of the block makes all of it, of an eighth of the steps along k. */
template <int HEIGHT> struct small_tile {
    static const int height = HEIGHT, rows = 8 * HEIGHT, cols = 32, depth = 64, stages = 3;
    static const int pitch = depth + 4, sum_pitch = cols + 4; /* 4 more: lanes go to 32 banks */
    static const int threads = 32 * WARPS, a_words = rows * pitch, b_words = depth * cols;
    static const int in = stages * (a_words + b_words), out = WARPS * rows * sum_pitch;
    static const int words = in > out ? in : out;
};

/* The words of one stage that this thread copies, WORDS at a time: a row of A's part has depth words, a row
 * of B's cols. k: the stage's first step. Zeros come for what is not there. */
template <typename T, int WORDS, bool EDGES>
static __device__ __forceinline__ void copy_stage(float *to, const struct work &w,
                                                  const struct segment &s, size_t k)
{
    const int t = threadIdx.x, a_lanes = T::depth / WORDS, b_lanes = T::cols / WORDS;
    size_t row = s.row + t / a_lanes, a_step = k + t % a_lanes * WORDS;
    size_t col = s.col + t % b_lanes * WORDS, b_step = k + t / b_lanes;
    const float *a = w.a + row * w.lda + a_step, *b = w.b + b_step * w.ldb + col;
    int rows = a_step < w.k ? left(w.m, row, T::rows) : 0;
    int steps = col < w.n ? left(w.k, b_step, T::depth) : 0;
    float *to_a = to + t / a_lanes * T::pitch + t % a_lanes * WORDS;
    float *to_b = to + T::a_words + t * WORDS;

#pragma unroll
    for (int r = 0; r < T::rows; r += T::threads / a_lanes)
        __pipeline_memcpy_async(to_a + r * T::pitch, a + r * w.lda, 4 * WORDS,
                                EDGES && r >= rows ? 4 * WORDS : 0);
#pragma unroll
    for (int d = 0; d < T::depth; d += T::threads / b_lanes)
        __pipeline_memcpy_async(to_b + d * T::cols, b + d * w.ldb, 4 * WORDS,
                                EDGES && d >= steps ? 4 * WORDS : 0);
}

/* Four steps. */
template <typename T>
static __device__ __forceinline__ void add_steps(float4 sum[T::height][2], const float *a,
                                                 const float *b)
{
    float4 x[T::height];

#pragma unroll
    for (int i = 0; i < T::height; i++)
        x[i] = *(const float4 *)(a + i * 8 * T::pitch);
#pragma unroll
    for (int k = 0; k < 4; k++) {
#pragma unroll
        for (int j = 0; j < 2; j++) {
            float4 y = *(const float4 *)(b + k * T::cols + j * 16);

#pragma unroll
            for (int i = 0; i < T::height; i++) {
                float v = k == 0 ? x[i].x : k == 1 ? x[i].y : k == 2 ? x[i].z : x[i].w;

                sum[i][j].x += v * y.x;
                sum[i][j].y += v * y.y;
                sum[i][j].z += v * y.z;
                sum[i][j].w += v * y.w;
            }
        }
    }
}

/* The sums of the warps, added and stored. */
template <typename T>
static __device__ __forceinline__ void add_warps(float *memory, const float4 sum[T::height][2],
                                                 const struct target &to)
{
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float *own = memory + (warp * T::rows + lane % 8) * T::sum_pitch + lane / 8 * 4;

    __syncthreads(); /* nobody reads a stage any more */
#pragma unroll
    for (int i = 0; i < T::height; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            *(float4 *)(own + i * 8 * T::sum_pitch + j * 16) = sum[i][j];
    __syncthreads();
    for (int r = (int)warp; r < T::rows; r += WARPS) {
        float all = 0;

#pragma unroll
        for (int k = 0; k < WARPS; k++)
            all += memory[(k * T::rows + r) * T::sum_pitch + lane];
        put(to, r, (int)lane, all);
    }
}

template <typename T, int WORDS, bool EDGES> __global__ void __launch_bounds__(T::threads)
sgemm_small(struct work w, unsigned across)
{
    extern __shared__ float4 shared[];
    float *memory = (float *)shared;
    struct segment s = {(size_t)(blockIdx.x / across) * T::rows,
                        (size_t)(blockIdx.x % across) * T::cols, 0, 0};
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int count = (int)((w.k + T::depth - 1) / T::depth);
    float4 sum[T::height][2] = {};

    for (int i = 0; i < T::stages - 1; i++) {
        if (i < count)
            copy_stage<T, WORDS, EDGES>(memory + i * (T::a_words + T::b_words), w, s,
                                        (size_t)i * T::depth);
        __pipeline_commit();
    }
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        const float *a = memory + i % T::stages * (T::a_words + T::b_words), *b = a + T::a_words;
        int next = i + T::stages - 1;

        __pipeline_wait_prior(T::stages - 2);
        __syncthreads(); /* all have copied this stage, and read the one before */
        if (next < count)
            copy_stage<T, WORDS, EDGES>(memory + next % T::stages * (T::a_words + T::b_words), w, s,
                                        (size_t)next * T::depth);
        __pipeline_commit();
#pragma unroll
        for (int k = 0; k < T::depth; k += 4 * WARPS)
            add_steps<T>(sum, a + lane % 8 * T::pitch + k + warp * 4,
                         b + (k + warp * 4) * T::cols + lane / 8 * 4);
    }
    add_warps<T>(memory, sum, part_of_c<T>(w, s));
}

/* --- a C of one column or row: each word of the matrix is used once -------------------------------- */

#define LOADS 8

/* WORDS words from an address that is a multiple of so many, or zeros. */
template <int WORDS>
static __device__ __forceinline__ void load_words(float *to, const float *from, bool there)
{
    if (WORDS == 4)
        *(float4 *)to = there ? *(const float4 *)from : float4{};
    else
        to[0] = there ? *from : 0;
}

/* The same of words that nobody reads again: they are the first to leave the L2 cache. */
template <int WORDS>
static __device__ __forceinline__ void stream_words(float *to, const float *from, bool there)
{
    if (WORDS == 4)
        *(float4 *)to = there ? __ldcs((const float4 *)from) : float4{};
    else
        to[0] = there ? __ldcs(from) : 0;
}

static __device__ __forceinline__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(WARP, v, d);
    return v;
}

/* C is a column: a warp per row of A. The block brings B to shared memory, while the rows are on their way. */
template <int WORDS> __global__ void __launch_bounds__(32 * WARPS)
sgemm_column(struct work w)
{
    const int chunk = 32 * WORDS * LOADS;
    __shared__ float b[chunk];
    unsigned lane = threadIdx.x % 32;
    size_t row = (size_t)blockIdx.x * WARPS + threadIdx.x / 32;
    float sum = 0;

    for (size_t from = 0; from < w.k; from += chunk) {
        float x[LOADS][4];

#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            size_t k = from + (i * 32 + lane) * WORDS;

            load_words<WORDS>(x[i], w.a + row * w.lda + k, row < w.m && k < w.k);
        }
        for (int e = threadIdx.x; e < chunk; e += 32 * WARPS)
            b[e] = from + e < w.k ? w.b[(from + e) * w.ldb] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < LOADS; i++)
#pragma unroll
            for (int j = 0; j < WORDS; j++)
                sum += x[i][j] * b[(i * 32 + lane) * WORDS + j];
        __syncthreads(); /* before the next words of B come */
    }
    sum = warp_sum(sum);
    if (lane == 0 && row < w.m)
        put({w.c, w.ldc, (int)w.m, 1, w.alpha, w.beta}, row, 0, sum);
}

/* Leave the block's part of a group's sum in memory. True in all threads of the block that is the last of the
 * group: it has seen all parts. */
static __device__ bool last_of(const struct work &w, unsigned group, unsigned parts)
{
    __shared__ bool last;

    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> left(w.flags[group]);

        last = left.fetch_add(1, cuda::memory_order_acq_rel) == parts - 1;
        if (last)
            left.store(0, cuda::memory_order_relaxed); /* for the next run */
    }
    __syncthreads();
    return last;
}

#define ROWS 4  /* rows of B that a warp has in flight, */
#define QUADS 2 /* and of each of them the words that a lane has: so many, or quads of them */

/* C is a row: the warps of `parts` blocks share the rows of B. B is used once, so that its words need not stay
 * in the caches. */
template <int WORDS> __global__ void __launch_bounds__(32 * WARPS)
sgemm_row(struct work w, unsigned groups, unsigned parts)
{
    const int cols = 32 * WORDS * QUADS;
    __shared__ float sums[WARPS][cols];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, t = threadIdx.x;
    unsigned group = blockIdx.x % groups, part = blockIdx.x / groups;
    size_t first = (size_t)group * cols, col = first + lane * WORDS, end = first + t;
    size_t from = w.k * part / parts, to = w.k * (part + 1) / parts;
    bool mine = t < cols && end < w.n;
    float sum[QUADS][4] = {}, all = 0;

    for (size_t k = from + warp * ROWS; k < to; k += WARPS * ROWS) {
        float x[ROWS][QUADS][4], a[ROWS];

#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            size_t at = k + i;

            a[i] = at < to ? w.a[at] : 0;
#pragma unroll
            for (int q = 0; q < QUADS; q++)
                stream_words<WORDS>(x[i][q], w.b + at * w.ldb + col + q * 32 * WORDS,
                                    at < to && col + q * 32 * WORDS < w.n);
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
            for (int q = 0; q < QUADS; q++)
#pragma unroll
                for (int j = 0; j < WORDS; j++)
                    sum[q][j] += a[i] * x[i][q][j];
    }
#pragma unroll
    for (int q = 0; q < QUADS; q++)
#pragma unroll
        for (int j = 0; j < WORDS; j++)
            sums[warp][(q * 32 + lane) * WORDS + j] = sum[q][j];
    __syncthreads();
    for (int i = 0; i < WARPS && mine; i++)
        all += sums[i][t];
    if (parts > 1) {
        if (mine)
            w.partial[part * w.n + end] = all;
        if (!last_of(w, group, parts))
            return;
        all = 0;
#pragma unroll 16
        for (unsigned p = 0; p < (mine ? parts : 0); p++)
            all += __ldcg(&w.partial[p * w.n + end]);
    }
    if (mine)
        put({w.c, w.ldc, 1, (int)w.n, w.alpha, w.beta}, 0, end, all);
}

/* --- which of them -------------------------------------------------------------------------------- */

static bool whole_quads(const void *matrix, size_t pitch, size_t cols)
{
    return (size_t)matrix % sizeof(float4) == 0 && pitch % 4 == 0 && cols % 4 == 0;
}

template <typename T, int WORDS, bool EDGES> static void start_small(const struct work *w)
{
    static const int shared = T::words * (int)sizeof(float);
    static bool asked;
    unsigned across = (unsigned)ceiling(w->n, T::cols), down = (unsigned)ceiling(w->m, T::rows);

    if (!asked)
        asked = cudaFuncSetAttribute(sgemm_small<T, WORDS, EDGES>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     shared) == cudaSuccess;
    if (asked)
        sgemm_small<T, WORDS, EDGES><<<across * down, T::threads, shared>>>(*w, across);
}

template <typename T> static void launch_small(const struct work *w)
{
    bool quads = whole_quads(w->a, w->lda, w->k) && whole_quads(w->b, w->ldb, w->n);

    if (quads && all_whole<T>(w))
        start_small<T, 4, false>(w);
    else if (quads)
        start_small<T, 4, true>(w);
    else
        start_small<T, 1, true>(w);
}

static void launch_column(const struct work *w)
{
    unsigned blocks = (unsigned)ceiling(w->m, WARPS);

    if (whole_quads(w->a, w->lda, w->k))
        sgemm_column<4><<<blocks, 32 * WARPS>>>(*w);
    else
        sgemm_column<1><<<blocks, 32 * WARPS>>>(*w);
}

/* Four blocks per multiprocessor, if k is long enough, and each group of columns has a flag. */
static void launch_row(const struct work *w)
{
    bool quads = whole_quads(w->b, w->ldb, w->n);
    size_t groups = ceiling(w->n, (quads ? 128 : 32) * QUADS), most = ceiling(w->k, 64);
    size_t multiprocessors = (size_t)gemm_multiprocessors(0), parts = 4 * multiprocessors / groups;

    if (parts > most)
        parts = most;
    if (parts < 1 || groups > GEMM_FLAGS * multiprocessors)
        parts = 1;
    if (quads)
        sgemm_row<4><<<(unsigned)(groups * parts), 32 * WARPS>>>(*w, groups, parts);
    else
        sgemm_row<1><<<(unsigned)(groups * parts), 32 * WARPS>>>(*w, groups, parts);
}

/* Tiles of 64 x 32 if they give at least half of the multiprocessors work, else of 16 x 32. */
static void small(struct work *w)
{
    typedef small_tile<8> high;
    size_t tiles = ceiling(w->m, high::rows) * ceiling(w->n, high::cols);

    if (w->m == 0 || w->n == 0)
        return;
    if (w->n == 1)
        launch_column(w);
    else if (w->m == 1)
        launch_row(w);
    else if (2 * tiles >= (size_t)gemm_multiprocessors(0))
        launch_small<high>(w);
    else
        launch_small<small_tile<2>>(w);
}

static const struct variant variants[] = {
    {"small", "for a small C, a row or a column: warps share k", small, GRID_BY_SIZE, NULL, NULL,
     NULL, NULL, 32 * WARPS},
};

/* Rows and columns whose words are taken four at a time, or one by one; that fill chunks, groups and parts, and that do
 * not; of one part, and of several. */
static const struct launches launches[] = {
    {MUTATED,
     {"-n 1x77x5", "-n 1x77x100", "-n 1x77x131 --beta 2", "-n 1x300x700 --alpha 0.5", "-n 1x256x64",
      "-n 1x257x63 --pad 1", "-n 1x64x129 --pad 3", "-n 1x600x129 --input exact",
      "-n 1x90x200 --input hostile --seed 1", "-n 37x1x1100 --alpha 0.5",
      "-n 9x1x515 --pad 1 --beta 2", "-n 16x1x2048", "-n 20x1x70 --input hostile --seed 2"}},
    {0},
};

STEP("sgemm-small", gemm_family, variants, launches);
