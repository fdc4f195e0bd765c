/*
 * hgemm-async: stages that arrive by themselves
 *
 * Idea      Nothing waits for a load. Asynchronous copies bring the tiles of A and B three stages ahead, past the
 *           registers. In ahead, a warp also loads the fragments of a step while it multiplies those before them.
 * Since     hgemm-wmma, where a block copied its tiles, waited for them, and only then multiplied.
 * Expect    As many products as before, one barrier per stage, and nothing that waits. See docs/hgemm-async.md.
 * Source    CUTLASS: stages by cp.async, fragments in two sets.
 */
#include <cuda_pipeline.h>

#include "families/gemm/fragments.h"

#include "harness/kit/device.h"

using namespace nvcuda;

#define ROWS 128
#define COLS 256
#define DEEP 32
#define STAGES 4
#define PAD 8 /* lines of shared memory are 16 bytes longer: eight of them lie in different banks */
#define STEPS (DEEP / SIDE)

/* A block's part of A, and of B or its transpose, along DEEP steps of k. */
template <bool NT> struct stage {
    enum { PITCH_A = DEEP + PAD, PITCH_B = (NT ? DEEP : COLS) + PAD };
    element a[ROWS * PITCH_A], b[(NT ? COLS : DEEP) * PITCH_B];
};

#if TENSOR_CORES
/* What a warp multiplies in a step: 64 rows of A, and 64 columns of B. */
template <bool NT> struct fragments {
    a_fragment a[4];
    b_fragment<NT> b[4];
};
#endif

static __device__ __forceinline__ int warp_row()
{
    return threadIdx.x / 128 * 64;
}

static __device__ __forceinline__ int warp_col()
{
    return threadIdx.x / 32 % 4 * 64;
}

/* --- copies -------------------------------------------------------------------------------------- */

/* Begin the copies of LINES of LENGTH elements, eight at a time, and zeros for what the matrix does not have. */
template <int LINES, int LENGTH>
static __device__ __forceinline__ void begin_copies(element *to, const element *from, size_t ld,
                                                    int lines_left, int left)
{
    const int words = LENGTH / 8;

#pragma unroll
    for (int i = 0; i < LINES * words / THREADS; i++) {
        int word = i * THREADS + threadIdx.x, line = word / words, at = word % words * 8;

        __pipeline_memcpy_async(&to[line * (LENGTH + PAD) + at], &from[line * ld + at], 16,
                                line < lines_left && at < left ? 0 : 16);
    }
}

/* The fall-back where rows are not aligned: element by element. */
template <bool NT>
static __device__ __noinline__ void copy_slowly(struct stage<NT> *s, const struct work &w,
                                                const element *a, const element *b, int rows,
                                                int cols, int steps)
{
    copy(s->a, s->PITCH_A, a, w.lda, ROWS, DEEP, rows, steps, false, threadIdx.x, THREADS);
    if (NT)
        copy(s->b, s->PITCH_B, b, w.ldb, COLS, DEEP, cols, steps, false, threadIdx.x, THREADS);
    else
        copy(s->b, s->PITCH_B, b, w.ldb, DEEP, COLS, steps, cols, false, threadIdx.x, THREADS);
}

/* The stage of a tile that has the steps from k on; behind the last step all of it is zeros. */
template <bool NT>
static __device__ __forceinline__ void begin_stage(struct stage<NT> *s, const struct work &w,
                                                   size_t row, size_t col, size_t k, bool whole)
{
    int rows = left(w.m, row, ROWS), cols = left(w.n, col, COLS), steps = left(w.k, k, DEEP);
    const element *a = w.a + row * w.lda + k;
    const element *b = NT ? w.b + col * w.ldb + k : w.b + k * w.ldb + col;

    if (!whole) {
        copy_slowly<NT>(s, w, a, b, rows, cols, steps);
    } else {
        begin_copies<ROWS, DEEP>(s->a, a, w.lda, rows, steps);
        if (NT)
            begin_copies<COLS, DEEP>(s->b, b, w.ldb, cols, steps);
        else
            begin_copies<DEEP, COLS>(s->b, b, w.ldb, steps, cols);
    }
    __pipeline_commit();
}

/* By all threads: the oldest stage that was begun is there, and no warp needs the one before it. */
static __device__ __forceinline__ void wait_for_stage()
{
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
}

/* --- products ------------------------------------------------------------------------------------ */

#if TENSOR_CORES
template <bool NT>
static __device__ __forceinline__ void load(struct fragments<NT> *f, const struct stage<NT> &s,
                                            int step)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        wmma::load_matrix_sync(f->a[i], &s.a[(warp_row() + i * SIDE) * s.PITCH_A + step * SIDE],
                               s.PITCH_A);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int col = warp_col() + j * SIDE;

        wmma::load_matrix_sync(
            f->b[j], &s.b[NT ? col * s.PITCH_B + step * SIDE : step * SIDE * s.PITCH_B + col],
            s.PITCH_B);
    }
}

template <bool NT>
static __device__ __forceinline__ void multiply(sum_fragment (&sums)[4][4],
                                                const struct fragments<NT> &f)
{
#pragma unroll
    for (int i = 0; i < 16; i++)
        wmma::mma_sync(sums[i / 4][i % 4], f.a[i / 4], f.b[i % 4], sums[i / 4][i % 4]);
}

/* The sums to C, by way of the warp's part of shared memory. */
static __device__ __forceinline__ void store_sums(const struct work &w, sum_fragment (&sums)[4][4],
                                                  float *own, size_t row, size_t col)
{
#pragma unroll
    for (int i = 0; i < 16; i++) {
        wmma::store_matrix_sync(own, sums[i / 4][i % 4], SIDE, wmma::mem_row_major);
        __syncwarp();
        store(w, own, row + warp_row() + i / 4 * SIDE, col + warp_col() + i % 4 * SIDE);
        __syncwarp();
    }
}
#endif

/* AHEAD: fragments are loaded so many steps before they are multiplied, 0 or 1. */
template <bool NT, int AHEAD> static __global__ void __launch_bounds__(THREADS)
hgemm(struct work w)
{
#if TENSOR_CORES
    extern __shared__ __align__(128) uint4 memory[];
    struct stage<NT> *stages = (struct stage<NT> *)memory;
    size_t across = (w.n - 1) / COLS + 1, row = blockIdx.x / across * ROWS,
           col = blockIdx.x % across * COLS;
    bool whole = is_whole(w.a, w.lda, w.k) && is_whole(w.b, w.ldb, NT ? w.k : w.n);
    struct fragments<NT> two[2];
    sum_fragment sums[4][4];

#pragma unroll
    for (int i = 0; i < 16; i++)
        wmma::fill_fragment(sums[i / 4][i % 4], 0.0f);
    for (int s = 0; s < STAGES - 1; s++)
        begin_stage<NT>(&stages[s], w, row, col, (size_t)s * DEEP, whole);
    if (AHEAD) {
        wait_for_stage();
        load(&two[0], stages[0], 0);
    }
    for (size_t k = 0, at = 0; k < w.k; k += DEEP, at++) {
        struct stage<NT> *now = &stages[at % STAGES], *next = &stages[(at + 1) % STAGES];

#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            int loaded = step + AHEAD;

            if (loaded % STEPS == 0)
                wait_for_stage();
            load(&two[loaded % 2], loaded < STEPS ? *now : *next, loaded % STEPS);
            if (step == 0)
                begin_stage<NT>(&stages[(at + STAGES - 1) % STAGES], w, row, col,
                                k + (STAGES - 1) * DEEP, whole);
            multiply(sums, two[step % 2]);
        }
    }
    __pipeline_wait_prior(0);
    __syncthreads(); /* the stages are there, and no warp needs them: their place is for sums */
    store_sums(w, sums, (float *)memory + threadIdx.x / 32 * (SIDE * SIDE), row, col);
#endif
}

/* --- the launches -------------------------------------------------------------------------------- */

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <bool NT, int AHEAD> static void start(const struct work *w)
{
    const size_t bytes = STAGES * sizeof(struct stage<NT>);
    static bool asked;

    if (!asked)
        asked = cudaFuncSetAttribute(hgemm<NT, AHEAD>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)bytes) == cudaSuccess;
    if (asked)
        hgemm<NT, AHEAD><<<blocks(w, ROWS, COLS, 1), THREADS, bytes>>>(*w);
}

template <int AHEAD> static void launch(struct work *w)
{
    if (w->m == 0 || w->n == 0)
        return;
    if (w->transposed)
        start<true, AHEAD>(w);
    else
        start<false, AHEAD>(w);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    (void)s;
    return device_below(FRAGMENT_CAPABILITY, why, room) ||
           device_lacks_shared(STAGES * sizeof(struct stage<true>), why, room);
}

static const struct variant variants[] = {
    {"stages", "copies stages ahead", launch<0>, GRID_BY_SIZE, .threads = THREADS,
     .refuse = refuse},
    {"ahead", "copies stages ahead, fragments a step ahead", launch<1>, GRID_BY_SIZE,
     .threads = THREADS, .refuse = refuse},
};

STEP("hgemm-async", hgemm_family, variants);
