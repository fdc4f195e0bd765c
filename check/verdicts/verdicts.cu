/*
 * One small mistake a variant, for compute-sanitizer on a GPU and for --check on the CPU device: do
 * they say the same? Run with one block of 64 threads, or what the launch says.
 */
#include "families/reduce/reduce.h"

enum { THREADS = 64 };

__global__ void tree(element *out, const element *x, bool barrier)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;

    s[t] = x[t];
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        if (barrier)
            __syncthreads();
    }
    if (t == 0)
        out[0] = s[0];
}

__global__ void past_the_end(element *out, const element *x)
{
    if (threadIdx.x == 0)
        out[1] = x[0]; /* out holds one element */
}

__global__ void freed(element *out, const element *gone)
{
    if (threadIdx.x == 0)
        out[0] = gone[0];
}

__global__ void past_shared(element *out, const element *x)
{
    extern __shared__ element s[];

    s[threadIdx.x + 1] = x[threadIdx.x]; /* the last one is one too far */
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = s[1];
}

__global__ void misaligned(element *out, const element *x)
{
    if (threadIdx.x == 0) {
        element4 v = *(const element4 *)(x + 1);

        out[0] = v.x + v.y + v.z + v.w;
    }
}

__global__ void lockstep(element *out, const element *x)
{
    extern __shared__ element s[];
    volatile element *v = s;
    unsigned t = threadIdx.x;

    v[t] = x[t];
    __syncthreads();
    if (t < 16)
        v[t] = v[t] + v[t + 16];
    if (t < 8)
        v[t] = v[t] + v[t + 8]; /* nothing orders the lanes */
    __syncthreads();
    if (t == 0)
        out[0] = v[0];
}

__global__ void unwritten(element *out, const element *fresh)
{
    if (threadIdx.x == 0)
        out[0] = fresh[0];
}

__global__ void two_barriers(element *out, const element *x)
{
    if (threadIdx.x < 32)
        __syncthreads(); /* one warp waits here, */
    else
        __syncthreads(); /* and the other there */
    if (threadIdx.x == 0)
        out[0] = x[0];
}

static size_t shared = THREADS * sizeof(element);

static void good(struct work *w)
{
    tree<<<1, THREADS, shared>>>(w->sum, w->x, true);
}
static void no_barrier(struct work *w)
{
    tree<<<1, THREADS, shared>>>(w->sum, w->x, false);
}
static void end(struct work *w)
{
    past_the_end<<<1, THREADS>>>(w->sum, w->x);
}
static void end_shared(struct work *w)
{
    past_shared<<<1, THREADS, shared>>>(w->sum, w->x);
}
static void alignment(struct work *w)
{
    misaligned<<<1, THREADS>>>(w->sum, w->x);
}
static void lanes(struct work *w)
{
    lockstep<<<1, THREADS, shared>>>(w->sum, w->x);
}
static void barriers(struct work *w)
{
    two_barriers<<<1, THREADS>>>(w->sum, w->x);
}

static void after_free(struct work *w)
{
    element *gone;

    cudaMalloc(&gone, THREADS * sizeof(*gone));
    cudaMemset(gone, 0, THREADS * sizeof(*gone));
    cudaFree(gone);
    freed<<<1, THREADS>>>(w->sum, gone);
}

static void fresh(struct work *w)
{
    static element *memory;

    if (!memory)
        cudaMalloc(&memory, THREADS * sizeof(*memory));
    unwritten<<<1, THREADS>>>(w->sum, memory);
}

/* The rule is not that they are unsynchronised, but it lets a wrong sum pass. */
static const struct variant variants[] = {
    {"good", "a correct tree", good, UNSYNCHRONISED},
    {"past-the-end", "a store one element past an allocation", end, UNSYNCHRONISED},
    {"after-free", "a load from memory that was freed", after_free, UNSYNCHRONISED},
    {"past-shared", "a store one element past shared memory", end_shared, UNSYNCHRONISED},
    {"misaligned", "a 16-byte load from an address that is no multiple of 16", alignment,
     UNSYNCHRONISED},
    {"no-barrier", "a tree without the barrier between its rounds", no_barrier, UNSYNCHRONISED},
    {"lockstep", "lanes that trust to go in step", lanes, UNSYNCHRONISED},
    {"unwritten", "a load from memory that nobody wrote", fresh, UNSYNCHRONISED},
    {"two-barriers", "the warps of a block at two different barriers", barriers, UNSYNCHRONISED},
};

STEP("verdicts", reduce_family, variants);
