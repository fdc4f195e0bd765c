/*
 * histogram-narrow: a thread has counters of its own, four in a word
 *
 * Idea      Where a thread counts for itself, no lanes meet, and there are no atomics. Counters of 8 bits make that
 *           possible: a block of 256 threads has 256 bins in 65 KiB, where words would take 257. A byte holds
 *           255, so a thread that has met as many elements adds its bytes to the block's counters, and begins anew.
 * Since     The lanes of histogram-shared meet at one counter per bin and block.
 * Expect    Each input takes the same time, also where all elements are equal. But each element is a load and a
 *           store of shared memory, and the next one waits for them: more time than memory takes.
 * Source    Podlozhnyuk, "Histogram calculation in CUDA", NVIDIA 2007 (counters per thread, 8 bits).
 */
#include "families/histogram/copies.h"

#define FULL_BYTE 255 /* what a counter of 8 bits holds */

/* Where a thread counts. */
struct tally {
    const struct bins *bins;
    unsigned *own;   /* this thread's word of counters 0 to 3, `stride` before that of 4 to 7 */
    unsigned cells;  /* its counters */
    unsigned stride; /* words between a word and the next one */
    unsigned *total; /* the block's counters */
    unsigned room;   /* how many more elements the thread's own may meet */
};

/* Add a thread's own counters to the block's, and begin anew. Each lane begins at another counter, so
 * that few meet. */
static __device__ __forceinline__ void unpack(struct tally *t)
{
    unsigned cell = threadIdx.x % LANES % t->cells;

    for (unsigned k = 0; k < t->cells; k++) {
        unsigned count = t->own[cell / 4 * t->stride] >> cell % 4 * 8 & FULL_BYTE;

        if (count > 0)
            atomicAdd(&t->total[cell], count);
        cell = cell + 1 < t->cells ? cell + 1 : 0;
    }
    for (unsigned k = 0; k < t->cells; k += 4)
        t->own[k / 4 * t->stride] = 0;
    t->room = FULL_BYTE;
}

/* The word is this thread's alone: no atomic. */
static __device__ __forceinline__ void count_element(struct tally *t, element x)
{
    unsigned bin = bin_of(x, t->bins);

    t->own[bin / 4 * t->stride] += 1u << bin % 4 * 8;
    if (--t->room == 0)
        unpack(t);
}

static __device__ __forceinline__ void count_word(struct tally *t, unsigned word)
{
    count_elements(t, word);
}

/* Each thread has a byte for each counter; word w of thread t is w * threads + t, so that lanes meet in
 * no bank. Before a byte can be full they are added to the block's counters. */
__global__ void count_packed(unsigned long long *counts, const element *x, size_t n,
                             struct bins bins)
{
    extern __shared__ unsigned shared[];
    unsigned cells = bins.count + 1, words = (cells + 3) / 4 * blockDim.x;
    struct tally t = {&bins, shared + threadIdx.x, cells, blockDim.x, shared + words, FULL_BYTE};

    clear(shared, words + cells);
    count_share(&t, x, n);
    unpack(&t);
    __syncthreads();
    add_block(counts, t.total, cells, 1);
}

/* With one histogram per block where the bytes of all threads have no room. */
static void packed(struct work *w)
{
    static bool asked;
    size_t cells = w->bins.count + 1;
    size_t bytes = ((cells + 3) / 4 * (size_t)w->threads + cells) * sizeof(unsigned);

    if (bytes > w->shared_memory) {
        launch_copies(w, 1);
        return;
    }
    if (!asked) /* more than 48 KiB are for kernels that say so, once */
        asked = cudaFuncSetAttribute(count_packed, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)w->shared_memory) == cudaSuccess;
    clear_result(w);
    for (size_t at = 0; at < w->n; at += w->piece)
        count_packed<<<w->blocks, w->threads, bytes>>>(w->counts, w->x + at, histogram_piece(w, at),
                                                       w->bins);
}

static const struct variant variants[] = {
    {"packed", "counters of 8 bits per thread, four in a word", packed, 0, NULL, NULL,
     histogram_shape_small},
};

/* More bins than fit one part of the histogram that a block has then. */
static const struct launches launches[] = {
    {MUTATED,
     {"-n 200003 -b 1 -t 1024 --bins 65536 --type u32", "-n 1003 -b 1 -t 32 --bins 10 --type u32"}},
    {0},
};

STEP("histogram-narrow", histogram_family, variants, launches);
