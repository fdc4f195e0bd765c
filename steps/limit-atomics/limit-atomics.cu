/*
 * limit-atomics: what it costs to agree
 *
 * Idea      Atomic additions by all threads: to one word, to words of one line, and each thread to a line
 *           of its own; in global and in shared memory. And by one warp or thread alone: how long until
 *           an atomic answers, a fence is through, a shuffle has arrived.
 * Since     limit-latency waited for data; this waits for other threads.
 * Expect    Additions to one word come one after the other, wherever the threads are. Spread over lines
 *           they are as fast as other stores.
 * Source    Ours: the floor of the histograms, the locks and the last block that finishes.
 */
#include "families/limits/limits.h"

/* The stride between two threads' words is a parameter, so that the compiler does not see where they
 * are the same: it would add up a warp's additions first, and send one. */
static __global__ void add_global(element *y, size_t stride, size_t mask, int n)
{
    element *mine = &y[stride * (thread_of_grid() & mask)];

    for (int i = 0; i < n; i++)
        atomicAdd(mine, (element)1);
}

/* The block's words are added up at the end, so that nothing is lost unseen. */
static __global__ void add_shared(element *y, unsigned stride, unsigned mask, int n)
{
    __shared__ element words[SHARED_ATOMICS];
    element *mine = &words[stride * (threadIdx.x & mask)], sum = 0;

    for (unsigned i = threadIdx.x; i < SHARED_ATOMICS; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++)
        atomicAdd(mine, (element)1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < SHARED_ATOMICS; i += blockDim.x)
        sum += words[i];
    atomicAdd(&y[blockIdx.x], sum);
}

/* From line to line, since some parts of the L2 cache are nearer than others. Where the next addition
 * goes needs what this one answers: its lowest bit, which is never set. */
static __global__ void add_in_turn(unsigned *y, int n)
{
    unsigned line = 0;

    for (int i = 0; i < n; i++) {
        line = (unsigned)next_line(line, WALKED_LINES);
        line += atomicAdd(&y[line * LINE_WORDS], 2u) & 1;
    }
}

static __global__ void fences(unsigned *y, int n)
{
    unsigned line = 0;

    for (int i = 0; i < n; i++) {
        line = (unsigned)next_line(line, WALKED_LINES);
        y[line * LINE_WORDS] = i + 1;
        __threadfence();
    }
}

/* Each lane hands its value on to the lane before. */
static __global__ void shuffles(unsigned *y, int n)
{
    unsigned value = threadIdx.x, from = (threadIdx.x + 1) % 32;

#pragma unroll 16
    for (int i = 0; i < n; i++)
        value = __shfl_sync(0xffffffff, value, from);
    y[threadIdx.x] = value;
}

static void global_same(struct work *w)
{
    add_global<<<w->blocks, w->threads>>>((element *)w->y, 0, SIZE_MAX, (int)w->n);
}

static void global_line(struct work *w)
{
    add_global<<<w->blocks, w->threads>>>((element *)w->y, 1, LINE_WORDS - 1, (int)w->n);
}

static void global_spread(struct work *w)
{
    add_global<<<w->blocks, w->threads>>>((element *)w->y, LINE_WORDS, SIZE_MAX, (int)w->n);
}

static void global_dense(struct work *w)
{
    add_global<<<w->blocks, w->threads>>>((element *)w->y, 1, SIZE_MAX, (int)w->n);
}

static void shared_same(struct work *w)
{
    add_shared<<<w->blocks, w->threads>>>((element *)w->y, 0, 0, (int)w->n);
}

static void shared_bank(struct work *w)
{
    add_shared<<<w->blocks, w->threads>>>((element *)w->y, 32, 31, (int)w->n);
}

static void shared_spread(struct work *w)
{
    add_shared<<<w->blocks, w->threads>>>((element *)w->y, 1, SHARED_ATOMICS - 1, (int)w->n);
}

static void round_trip(struct work *w)
{
    add_in_turn<<<1, 1>>>((unsigned *)w->y, (int)w->n);
}

static void fence(struct work *w)
{
    fences<<<1, 1>>>((unsigned *)w->y, (int)w->n);
}

static void shuffle(struct work *w)
{
    shuffles<<<1, 32>>>((unsigned *)w->y, (int)w->n);
}

static const struct variant variants[] = {
    {"global-same", "all threads add to one word of global memory", global_same, TO_ONE},
    {"global-line", "all threads add to the 32 words of one line", global_line, TO_LINE},
    {"global-dense", "each thread adds to its own word", global_dense},
    {"global-spread", "each thread adds to its own line", global_spread, TO_LINES},
    {"shared-same", "a block's threads add to one word of shared memory", shared_same, PER_BLOCK},
    {"shared-bank", "each lane adds to a word of its own, all in one bank", shared_bank, PER_BLOCK},
    {"shared-spread", "each thread adds to its own word", shared_spread, PER_BLOCK},
    {"round-trip", "one thread adds and waits for the answer", round_trip,
     WALKS | ADDS | GRID_BY_SIZE, NULL, NULL, NULL, atomics_alone, 1},
    {"fence", "one thread stores and fences", fence, WALKS | GRID_BY_SIZE, NULL, NULL, NULL,
     atomics_alone, 1},
    {"shuffle", "one warp hands values from lane to lane", shuffle, GRID_BY_SIZE, NULL, NULL, NULL,
     atomics_alone, 32},
};

/* Variants of any grid, and those of one thread or one warp. */
#define TOGETHER                                                                                   \
    "-v global-same -v global-line -v global-dense -v global-spread "                              \
    "-v shared-same -v shared-bank -v shared-spread "
#define BY_ITSELF "-v round-trip -v fence -v shuffle "

static const struct launches launches[] = {
    {LADDER | RECORD | GPU_ONLY,
     {TOGETHER "-r 15", BY_ITSELF "-n 16384 -r 15", TOGETHER "--type i32 -r 15"}},
    {SWEEP | RECORD | GPU_ONLY, {TOGETHER "--sweep resident=0:3 -r 5 -w 1"}},
    {COUNTED | SANITIZED | CHECKED, {BY_ITSELF "-n 3"}},
    {MUTATED, {BY_ITSELF "-n 5"}},
    /* More additions than a float can count, of which no word gets as many, or to integers. */
    {TESTED | GPU_ONLY,
     {"-n 2^13 -v global-dense -v global-spread -v shared-spread", TOGETHER "-n 2^13 --type i32"}},
    {0},
};

STEP("limit-atomics", limit_atomics_family, variants, launches);
