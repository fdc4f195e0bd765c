/*
 * hgemm-wmma: fragments
 *
 * Idea      A warp multiplies whole matrices of 16 x 16 on a tensor core. It loads each as a fragment, of which
 *           every lane has some elements. Which ones, CUDA does not say: fragments are loaded, multiplied and
 *           stored as a whole.
 * Since     sgemm-registers, where a thread had a square of C and a multiply-add was one element's.
 * Expect    One instruction does 16 x 8 x 16 multiply-adds. direct loads two fragments for each 16 x 16 x 16, and
 *           waits for them; shared loads 6 for 8 products, from tiles in shared memory. See docs/hgemm-wmma.md.
 * Source    CUDA C++ Programming Guide: Warp Matrix Functions.
 */
#include "families/gemm/fragments.h"

#include "harness/kit/device.h"

using namespace nvcuda;

#define ROWS 128
#define COLS 128
#define DEEP 32
#define PAD 8 /* lines of shared memory are 16 bytes longer: eight of them lie in different banks */

/* --- fragments from global memory ---------------------------------------------------------------- */

/* What a warp puts a matrix in that reaches over an edge, or is not aligned, before it loads it. */
struct patch {
    element a[SIDE * SIDE], b[SIDE * SIDE];
    float sums[SIDE * SIDE];
};

template <bool NT> static __global__ void __launch_bounds__(THREADS)
hgemm_direct(struct work w)
{
#if TENSOR_CORES
    __shared__ __align__(128) struct patch patches[THREADS / 32];
    struct patch *own = &patches[threadIdx.x / 32];
    size_t warp = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32,
           across = (w.n - 1) / SIDE + 1;
    size_t row = warp / across * SIDE, col = warp % across * SIDE;
    bool inside = row + SIDE <= w.m && col + SIDE <= w.n && (size_t)w.a % 32 == 0 &&
                  (size_t)w.b % 32 == 0 && w.lda % 8 == 0 && w.ldb % 8 == 0;
    sum_fragment sum;

    if (row >= w.m)
        return;
    wmma::fill_fragment(sum, 0.0f);
    for (size_t k = 0; k < w.k; k += SIDE) {
        const element *from_a = w.a + row * w.lda + k,
                      *from_b = NT ? w.b + col * w.ldb + k : w.b + k * w.ldb + col;
        a_fragment a;
        b_fragment<NT> b;

        if (inside && k + SIDE <= w.k) {
            wmma::load_matrix_sync(a, from_a, (unsigned)w.lda);
            wmma::load_matrix_sync(b, from_b, (unsigned)w.ldb);
        } else {
            int rows = left(w.m, row, SIDE), cols = left(w.n, col, SIDE),
                steps = left(w.k, k, SIDE);

            __syncwarp();
            copy(own->a, SIDE, from_a, w.lda, SIDE, SIDE, rows, steps, false, threadIdx.x % 32, 32);
            copy(own->b, SIDE, from_b, w.ldb, SIDE, SIDE, NT ? cols : steps, NT ? steps : cols,
                 false, threadIdx.x % 32, 32);
            __syncwarp();
            wmma::load_matrix_sync(a, own->a, SIDE);
            wmma::load_matrix_sync(b, own->b, SIDE);
        }
        wmma::mma_sync(sum, a, b, sum);
    }
    wmma::store_matrix_sync(own->sums, sum, SIDE, wmma::mem_row_major);
    __syncwarp();
    store(w, own->sums, row, col);
#endif
}

/* --- fragments from shared memory ---------------------------------------------------------------- */

/* A block's part of A and B, or of a warp's sums. A warp has 64 x 32 of C: 4 x 2 fragments. */
union tiles {
    struct {
        element a[ROWS * (DEEP + PAD)], b[COLS * (DEEP + PAD)];
    } in; /* B has DEEP x COLS, or its transpose COLS x DEEP, which is more with PAD */
    float sums[THREADS / 32][SIDE * SIDE];
};

template <bool NT> static __global__ void __launch_bounds__(THREADS)
hgemm_shared(struct work w)
{
#if TENSOR_CORES
    __shared__ __align__(128) union tiles tiles;
    const int pitch_a = DEEP + PAD, pitch_b = NT ? DEEP + PAD : COLS + PAD;
    size_t across = (w.n - 1) / COLS + 1, row = blockIdx.x / across * ROWS,
           col = blockIdx.x % across * COLS;
    int warp = threadIdx.x / 32, warp_row = warp / 4 * 64, warp_col = warp % 4 * 32;
    bool whole = is_whole(w.a, w.lda, w.k) && is_whole(w.b, w.ldb, NT ? w.k : w.n);
    sum_fragment sums[4][2];

    for (int i = 0; i < 8; i++)
        wmma::fill_fragment(sums[i / 2][i % 2], 0.0f);
    for (size_t k = 0; k < w.k; k += DEEP) {
        int steps = left(w.k, k, DEEP), cols = left(w.n, col, COLS);

        copy(tiles.in.a, pitch_a, w.a + row * w.lda + k, w.lda, ROWS, DEEP, left(w.m, row, ROWS),
             steps, whole, threadIdx.x, THREADS);
        if (NT)
            copy(tiles.in.b, pitch_b, w.b + col * w.ldb + k, w.ldb, COLS, DEEP, cols, steps, whole,
                 threadIdx.x, THREADS);
        else
            copy(tiles.in.b, pitch_b, w.b + k * w.ldb + col, w.ldb, DEEP, COLS, steps, cols, whole,
                 threadIdx.x, THREADS);
        __syncthreads();
        for (int step = 0; step < DEEP; step += SIDE) {
            a_fragment a[4];
            b_fragment<NT> b[2];

            for (int i = 0; i < 4; i++)
                wmma::load_matrix_sync(a[i], &tiles.in.a[(warp_row + i * SIDE) * pitch_a + step],
                                       pitch_a);
            for (int j = 0; j < 2; j++) {
                int at = warp_col + j * SIDE;

                wmma::load_matrix_sync(
                    b[j], &tiles.in.b[NT ? at * pitch_b + step : step * pitch_b + at], pitch_b);
            }
            for (int i = 0; i < 8; i++)
                wmma::mma_sync(sums[i / 2][i % 2], a[i / 2], b[i % 2], sums[i / 2][i % 2]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++) {
        wmma::store_matrix_sync(tiles.sums[warp], sums[i / 2][i % 2], SIDE, wmma::mem_row_major);
        __syncwarp();
        store(w, tiles.sums[warp], row + warp_row + i / 2 * SIDE, col + warp_col + i % 2 * SIDE);
        __syncwarp();
    }
#endif
}

/* --- the launches -------------------------------------------------------------------------------- */

static void direct(struct work *w)
{
    if (w->m == 0 || w->n == 0)
        return;
    if (w->transposed)
        hgemm_direct<true><<<blocks(w, SIDE, SIDE, THREADS / 32), THREADS>>>(*w);
    else
        hgemm_direct<false><<<blocks(w, SIDE, SIDE, THREADS / 32), THREADS>>>(*w);
}

static void shared(struct work *w)
{
    if (w->m == 0 || w->n == 0)
        return;
    if (w->transposed)
        hgemm_shared<true><<<blocks(w, ROWS, COLS, 1), THREADS>>>(*w);
    else
        hgemm_shared<false><<<blocks(w, ROWS, COLS, 1), THREADS>>>(*w);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    (void)s;
    return device_below(FRAGMENT_CAPABILITY, why, room);
}

static const struct variant variants[] = {
    {"direct", "fragments from global memory, a warp per 16 x 16", direct, GRID_BY_SIZE | SLOW,
     .threads = THREADS, .refuse = refuse},
    {"shared", "fragments from tiles in shared memory", shared, GRID_BY_SIZE, .threads = THREADS,
     .refuse = refuse},
};

/* Each side is one short of whole fragments, and all rows are aligned. */
static const struct launches launches[] = {
    {MUTATED, {"-n 31x31x31 --pad 1 --layout NT"}},
    {0},
};

STEP("hgemm-wmma", hgemm_family, variants, launches);
