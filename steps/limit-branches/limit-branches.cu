/*
 * limit-branches: different paths through a kernel
 *
 * Idea      A warp has one program counter in use at a time. Lanes on different paths run one after
 *           the other; warps on different paths run at the same time.
 * Since     limit-flops had one path for all.
 * Expect    Different paths per warp cost little, with any number of paths. Per lane the rate falls as one
 *           over their number.
 * Source    GPU programming principles: branches by warp cost 10 to 30 % more
 *           on a GTX 280, and let a block exchange its data in two halves, in half the shared memory.
 */
#include "families/limits/limits.h"

/* A way of its own: a constant of its own in the code, and n multiply-adds. */
static __device__ float follow(float x, float factor, float term, int n)
{
#pragma unroll 8
    for (int i = 0; i < n; i++)
        x = multiply_add(x, factor, term);
    return x;
}

#define WAY(p)                                                                                     \
    case p:                                                                                        \
        return follow(x, factor, (p + 1) * TERM_f32, n)

static __device__ float go(float x, unsigned path, float factor, int n)
{
    switch (path) {
        WAY(0);
        WAY(1);
        WAY(2);
        WAY(3);
        WAY(4);
        WAY(5);
        WAY(6);
        WAY(7);
        WAY(8);
        WAY(9);
        WAY(10);
        WAY(11);
        WAY(12);
        WAY(13);
        WAY(14);
        WAY(15);
        WAY(16);
        WAY(17);
        WAY(18);
        WAY(19);
        WAY(20);
        WAY(21);
        WAY(22);
        WAY(23);
        WAY(24);
        WAY(25);
        WAY(26);
        WAY(27);
        WAY(28);
        WAY(29);
        WAY(30);
        WAY(31);
    }
    return x;
}

/* apart: how many threads in a row go the same way, as a power of two. */
static __global__ void branch(float *y, float factor, unsigned apart, unsigned paths, int n)
{
    unsigned path = (threadIdx.x >> apart) % paths;

    y[thread_of_grid()] = go(chain_start(threadIdx.x, 0), path, factor, n);
}

/* The block turns its threads' numbers round: thread t gets those of the t-th from the end. All at
 * once. */
static __global__ void exchange(float *y, int n)
{
    extern __shared__ float room[]; /* EXCHANGED numbers for each thread */
    unsigned t = threadIdx.x, all = blockDim.x, from = all - 1 - t;
    float x[EXCHANGED], sum = 0;

#pragma unroll
    for (int k = 0; k < EXCHANGED; k++)
        x[k] = exchange_start(t, k);
    for (int round = 0; round < n; round++) {
#pragma unroll
        for (int k = 0; k < EXCHANGED; k++)
            room[k * all + t] = x[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EXCHANGED; k++)
            x[k] = room[k * all + from] + 1;
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < EXCHANGED; k++)
        sum += x[k];
    y[thread_of_grid()] = sum;
}

/* The same in half the room: the lower warps give, the upper ones take; then the other way round. */
static __global__ void exchange_halves(float *y, int n)
{
    extern __shared__ float room[]; /* EXCHANGED numbers for every second thread */
    unsigned half = blockDim.x / 2, t = threadIdx.x % half, from = half - 1 - t;
    bool lower = threadIdx.x < half;
    float x[EXCHANGED], taken[EXCHANGED], sum = 0;

#pragma unroll
    for (int k = 0; k < EXCHANGED; k++)
        x[k] = exchange_start(threadIdx.x, k);
    for (int round = 0; round < n; round++) {
#pragma unroll
        for (int k = 0; k < EXCHANGED; k++) {
            if (lower)
                room[k * half + t] = x[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EXCHANGED; k++) {
            if (!lower)
                taken[k] = room[k * half + from] + 1;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EXCHANGED; k++) {
            if (!lower)
                room[k * half + t] = x[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EXCHANGED; k++)
            x[k] = lower ? room[k * half + from] + 1 : taken[k];
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < EXCHANGED; k++)
        sum += x[k];
    y[thread_of_grid()] = sum;
}

static void same(struct work *w)
{
    branch<<<w->blocks, w->threads>>>((float *)w->y, FACTOR_f32, 10, w->paths, (int)w->n);
}

static void warps(struct work *w)
{
    branch<<<w->blocks, w->threads>>>((float *)w->y, FACTOR_f32, 5, w->paths, (int)w->n);
}

static void lanes(struct work *w)
{
    branch<<<w->blocks, w->threads>>>((float *)w->y, FACTOR_f32, 0, w->paths, (int)w->n);
}

static void at_once(struct work *w)
{
    exchange<<<w->blocks, w->threads, w->threads * EXCHANGED * sizeof(float)>>>((float *)w->y,
                                                                                (int)w->n);
}

static void in_halves(struct work *w)
{
    exchange_halves<<<w->blocks, w->threads, w->threads / 2 * EXCHANGED * sizeof(float)>>>(
        (float *)w->y, (int)w->n);
}

static const struct variant variants[] = {
    {"same", "all threads go the same way", same},
    {"warps", "each warp goes its own way", warps, WARPS},
    {"lanes", "each lane goes its own way", lanes, LANES},
    {"exchange", "an exchange through shared memory, at once", at_once,
     EXCHANGES | POWER_OF_TWO | AT_LEAST_TWO_THREADS, NULL, NULL, NULL, branches_exchanged},
    {"exchange-halves", "the same in two halves, in half the room", in_halves,
     EXCHANGES | POWER_OF_TWO | AT_LEAST_TWO_THREADS, NULL, NULL, NULL, branches_exchanged},
};

static const struct launches launches[] = {
    {SWEEP | RECORD | GPU_ONLY,
     {"-v same -v warps -v lanes -n 65536 -t 1024 --resident 1 --sweep paths=0:5 -r 5 -w 1"}},
    {0},
};

STEP("limit-branches", limit_branches_family, variants, launches);
