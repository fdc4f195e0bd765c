/*
 * limit-latency: how long an answer takes, and how many threads hide the wait
 *
 * Idea      A thread that needs the last result before it can go on waits for it. Alone it shows how
 *           long: a chase of pointers, a chain of multiply-adds. With others beside it the
 *           multiprocessor has something else to do: how many threads until it is never idle?
 * Since     limit-flops and limit-words gave the machine enough to do.
 * Expect    Little's law: what is in flight = rate x latency. Below that the rate grows with the
 *           threads, however they are split into blocks; above it stays.
 * Source    GPU programming principles: 256 threads per multiprocessor of a GTX
 *           280. J. Little, "A Proof for the Queuing Formula L = lambda W", 1961.
 */
#include "families/limits/limits.h"

/* Each needs the one before. */
static __global__ void one_chain(float *y, float factor, int n)
{
    float x = chain_start(threadIdx.x, 0);

#pragma unroll 16
    for (int i = 0; i < n; i++)
        x = multiply_add(x, factor, TERM_f32);
    y[thread_of_grid()] = x;
}

/* A load of 16 bytes per thread, and the next when it has come: zero is what the device holds, but the
 * compiler cannot know, and each address needs the load before. */
static __global__ void one_load(unsigned *y, const unsigned *x, size_t at, size_t stride,
                                size_t footprint, unsigned zero, int n)
{
    unsigned sum = 0;

    at += 4 * thread_of_grid();
    for (int i = 0; i < n; i++) {
        uint4 w = __ldcg((const uint4 *)&x[at & (footprint - 1)]);

        sum += w.x + w.y + w.z + w.w;
        at += stride + ((w.x ^ w.y ^ w.z ^ w.w) & zero);
    }
    y[thread_of_grid()] = sum;
}

/* Each line holds the address of the next. */
static __global__ void chase_pointers(size_t *y, void *const *x, void *const *p, int n)
{
#pragma unroll 16
    for (int i = 0; i < n; i++)
        p = (void *const *)*p;
    *y = (size_t)((const char *)p - (const char *)x);
}

static __global__ void chase_shared(size_t *y, int n)
{
    __shared__ unsigned next[SHARED_RING]; /* in bytes, so that nothing is left to compute */
    unsigned at = 0;

#pragma unroll 1
    for (unsigned i = 0; i < SHARED_RING; i++)
        next[i] = (unsigned)(next_line(i, SHARED_RING) * sizeof(*next));
#pragma unroll 16
    for (int i = 0; i < n; i++)
        at = *(const unsigned *)((const char *)next + at);
    *y = at / sizeof(*next);
}

static void arithmetic(struct work *w)
{
    one_chain<<<w->blocks, w->threads>>>((float *)w->y, FACTOR_f32, (int)w->n);
}

static void loads(struct work *w)
{
    one_load<<<w->blocks, w->threads>>>((unsigned *)w->y, w->x, w->at, w->stride, w->footprint, 0,
                                        (int)w->n);
}

static void chase(struct work *w)
{
    chase_pointers<<<1, 1>>>((size_t *)w->y, (void *const *)w->x, (void *const *)(w->x + w->at),
                             (int)w->n);
}

static void shared(struct work *w)
{
    chase_shared<<<1, 1>>>((size_t *)w->y, (int)w->n);
}

static const struct variant variants[] = {
    {"arithmetic", "a chain of multiply-adds per thread", arithmetic, 0, NULL, NULL, NULL,
     latency_flops},
    {"loads", "a load of 16 bytes per thread, then the next", loads, LOADS, NULL, NULL, NULL, NULL,
     0, NULL, latency_bytes},
    {"chase", "one thread follows pointers through global memory", chase,
     CHASES | ONE_THREAD | GRID_BY_SIZE, NULL, NULL, NULL, NULL, 1},
    {"chase-shared", "one thread follows indices through shared memory", shared,
     CHASES_SHARED | ONE_THREAD | GRID_BY_SIZE, NULL, NULL, NULL, NULL, 1},
};

/* The sweeps of threads: all splits of up to 2048 threads. */
static const struct launches launches[] = {
    {LADDER | RECORD | GPU_ONLY,
     {"-n 2^18 -t 32 -v arithmetic -r 15", "-n 2^18 -v chase --footprint 2^14 -r 15",
      "-v chase --footprint 2^24 -r 15", "-v chase --footprint 2^30 -r 15",
      "-n 2^18 -v chase-shared -r 15"}},
    {SWEEP | RECORD | GPU_ONLY,
     {"-t 32 --sweep resident=0:5 -r 5 -w 2 -n 2^17 -v arithmetic",
      "-t 64 --sweep resident=0:5 -r 5 -w 2 -n 2^17 -v arithmetic",
      "-t 128 --sweep resident=0:4 -r 5 -w 2 -n 2^17 -v arithmetic",
      "-t 256 --sweep resident=0:3 -r 5 -w 2 -n 2^17 -v arithmetic",
      "-t 512 --sweep resident=0:2 -r 5 -w 2 -n 2^17 -v arithmetic",
      "-t 1024 --sweep resident=0:1 -r 5 -w 2 -n 2^17 -v arithmetic",
      "-t 32 --sweep resident=0:5 -r 5 -w 2 -v loads -n 512 --footprint 2^28",
      "-t 64 --sweep resident=0:5 -r 5 -w 2 -v loads -n 512 --footprint 2^28",
      "-t 128 --sweep resident=0:4 -r 5 -w 2 -v loads -n 512 --footprint 2^28",
      "-t 256 --sweep resident=0:3 -r 5 -w 2 -v loads -n 512 --footprint 2^28",
      "-t 512 --sweep resident=0:2 -r 5 -w 2 -v loads -n 512 --footprint 2^28",
      "-t 1024 --sweep resident=0:1 -r 5 -w 2 -v loads -n 512 --footprint 2^28",
      "-n 65536 -v chase --sweep footprint=11:30 -r 3 -w 1"}},
    {COUNTED | SANITIZED, {"-v chase -v chase-shared -n 100 --footprint 65536"}},
    {MUTATED, {"-v chase -v chase-shared -n 300 --footprint 4096"}},
    {CHECKED, {"-v chase -v chase-shared -n 17 --footprint 4096"}},
    {0},
};

STEP("limit-latency", limit_latency_family, variants, launches);
