/*
 * hgemm-mma: each lane's elements
 *
 * Idea      mma.sync says which lane holds which element. So a warp loads its fragments by ldmatrix, four
 *           matrices of 8 x 8 at once, from lines of 128 bytes whose chunks are swizzled: no conflicts, and
 *           no padding. Sums go from registers to C.
 * Since     hgemm-wmma, whose fragments are opaque, so that its sums went through shared memory.
 * Expect    A warp has 64 x 64 sums. For 32 products it does 8 loads, of 32 wavefronts. The next stage waits in
 *           registers while this one is multiplied: one barrier per stage. See docs/hgemm-mma.md.
 * Source    The PTX ISA: mma.sync, ldmatrix; CUTLASS: warp tiles of 64 x 64, lines of 128 bytes, swizzled.
 */
#include "families/gemm/tensor_tile.h"

#include "harness/kit/device.h"

/* What a thread has of a stage, on the way from global to shared memory. */
struct chunks {
    uint4 a[ROWS / 32], b[COLS / 32];
};

/* A chunk that is there, or zeros; FULL: all are there. */
template <bool FULL> static __device__ __forceinline__ uint4 load(const element *from, int there)
{
    return FULL || there > 0 ? *(const uint4 *)from : make_uint4(0, 0, 0, 0);
}

/* Ask for a stage's chunks, of which the matrices have so many steps. */
template <bool NT, bool FULL>
static __device__ __forceinline__ void fetch(struct chunks *chunks, const struct copies &c,
                                             const struct work &w, int steps)
{
    int there;

#pragma unroll
    for (int i = 0; i < ROWS / 32; i++) {
        const element *from = from_a(c, w, steps, i, &there);

        chunks->a[i] = load<FULL>(from, there);
    }
#pragma unroll
    for (int i = 0; i < COLS / 32; i++) {
        const element *from = from_b<NT>(c, w, steps, i, &there);

        chunks->b[i] = load<FULL>(from, there);
    }
}

/* Store them where they belong in the stage. */
static __device__ __forceinline__ void put(struct stage *s, const struct chunks &chunks)
{
    int first = threadIdx.x / 8, place = swizzled(first, threadIdx.x % 8);

#pragma unroll
    for (int i = 0; i < ROWS / 32; i++)
        *(uint4 *)&s->a[first + i * 32][place] = chunks.a[i];
#pragma unroll
    for (int i = 0; i < COLS / 32; i++)
        *(uint4 *)&s->b[first + i * 32][place] = chunks.b[i];
}

/* Two stages take turns: one is multiplied, the other is in flight, in registers until all of the first is multiplied.
 * There is one turn more than there are stages, because the first multiplies none. */
template <bool NT> static __global__ void __launch_bounds__(THREADS)
hgemm(struct work w)
{
    extern __shared__ uint4 memory[];
    struct stage *stages = (struct stage *)memory;
    struct sums sums = {};
    size_t row, col;

    place_of(w, blockIdx.x, &row, &col);
    struct copies c = begin<NT>(w, row, col);
    bool whole = c.aligned && w.k % CHUNK == 0 &&
                 (NT || w.n % CHUNK == 0); /* chunks are there, or are not */

    for (size_t k = 0; k < w.k + DEEP; k += DEEP) {
        struct stage *in = &stages[k / DEEP % 2], *now = &stages[1 - k / DEEP % 2];
        int steps = left(w.k, k, DEEP); /* of the stage that is copied */
        struct chunks chunks;

        if (c.inside && whole && steps == DEEP)
            fetch<NT, true>(&chunks, c, w, steps);
        else if (whole)
            fetch<NT, false>(&chunks, c, w, steps);
#pragma unroll
        for (int step = 0; step < 4 && k > 0; step++) {
            struct fragments f;

            load_fragments<NT>(&f, now, step);
            multiply_rows(&sums, f, 0, 4);
        }
        if (whole)
            put(in, chunks);
        else
            copy_slowly<NT>(in, c, w, steps);
        advance<NT>(&c, w);
        __syncthreads();
    }
    store(w, &sums, row, col);
}

/* --- the launch ---------------------------------------------------------------------------------- */

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <bool NT> static void start(const struct work *w)
{
    static bool asked;

    if (!asked)
        asked = cudaFuncSetAttribute(hgemm<NT>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     2 * (int)sizeof(struct stage)) == cudaSuccess;
    if (asked)
        hgemm<NT><<<tiles(*w), THREADS, 2 * sizeof(struct stage)>>>(*w);
}

static void swizzled_tiles(struct work *w)
{
    if (w->m == 0 || w->n == 0)
        return;
    if (w->transposed)
        start<true>(w);
    else
        start<false>(w);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    (void)s;
    return device_below(MMA_CAPABILITY, why, room) ||
           device_lacks_shared(2 * sizeof(struct stage), why, room);
}

static const struct variant variants[] = {
    {"mma", "fragments by ldmatrix from swizzled lines", swizzled_tiles, GRID_BY_SIZE,
     .threads = THREADS, .refuse = refuse},
};

STEP("hgemm-mma", hgemm_family, variants);
