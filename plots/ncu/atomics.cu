/* Atomics in shared and in global memory: all lanes at one place, at neighbours, in one bank, in pairs. */
#include "program.h"

enum { WORDS = 2048, THREADS = 64, PATTERNS = 6 };

/* Each kernel gets a place for each thread. What a block has in shared memory it adds to the result. */
static __device__ void clear(unsigned *s)
{
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
}

static __device__ void add_all(unsigned *result, const unsigned *s)
{
    __syncthreads();
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        atomicAdd(&result[i], s[i]);
}

__global__ void count_shared(const int *place, unsigned *result)
{
    __shared__ unsigned s[WORDS];

    clear(s);
    atomicAdd(&s[place[threadIdx.x]], 1u);
    add_all(result, s);
}

__global__ void add_shared(const int *place, unsigned *result)
{
    __shared__ unsigned s[WORDS];

    clear(s);
    atomicAdd(&s[place[threadIdx.x]], threadIdx.x);
    add_all(result, s);
}

/* The old values are taken: together they are 0, 1, ... whatever the order. */
__global__ void take_shared(const int *place, unsigned *result)
{
    __shared__ unsigned s[WORDS];
    unsigned old;

    clear(s);
    old = atomicAdd(&s[place[threadIdx.x]], 1u);
    add_all(result, s);
    atomicAdd(&result[place[threadIdx.x]], old);
}

__global__ void largest_shared(const int *place, unsigned *result)
{
    __shared__ unsigned s[WORDS];

    clear(s);
    atomicMax(&s[place[threadIdx.x]], threadIdx.x);
    add_all(result, s);
}

__global__ void swap_shared(const int *place, unsigned *result)
{
    __shared__ unsigned s[WORDS];

    clear(s);
    atomicCAS(&s[place[threadIdx.x]], 0u, 7u);
    add_all(result, s);
}

__global__ void add_global(const int *place, unsigned *result)
{
    atomicAdd(&result[place[threadIdx.x]], threadIdx.x);
}

__global__ void add_global_wide(const int *place, unsigned long long *result)
{
    atomicAdd(&result[place[threadIdx.x]], (unsigned long long)threadIdx.x);
}

__global__ void largest_global(const int *place, unsigned *result)
{
    atomicMax(&result[place[threadIdx.x]], threadIdx.x);
}

__global__ void take_global(const int *place, unsigned *tickets, unsigned *result)
{
    unsigned old = atomicAdd(&tickets[place[threadIdx.x]], 1u);

    atomicAdd(&result[place[threadIdx.x]], old);
}

static int place_of(int pattern, int t)
{
    switch (pattern) {
    case 0:
        return 5;
    case 1:
        return t;
    case 2:
        return t % 2 * 32; /* two words of a bank */
    case 3:
        return 2 * t;
    case 4:
        return t / 2;
    default:
        return (t * 37 + 11) % 64 / 3;
    }
}

/* A pattern has a grid of its own, so that its rows tell it. */
static void run(int pattern)
{
    int places[THREADS], blocks = pattern + 1;
    unsigned counts[WORDS] = {0}, sums[WORDS] = {0}, olds[WORDS] = {0}, most[WORDS] = {0};
    unsigned taken[WORDS] = {0}, all_most[WORDS] = {0}, swapped[WORDS] = {0}, tickets[WORDS] = {0};
    unsigned long long wide[WORDS] = {0};
    const int *place;

    for (int t = 0; t < THREADS; t++) {
        int p = places[t] = place_of(pattern, t);

        olds[p] += counts[p] * blocks; /* a block's: 0, 1, 2, ... */
        counts[p]++;
        sums[p] += t * blocks;
        wide[p] += (unsigned long long)t * blocks;
        most[p] = t;
    }
    for (int i = 0; i < WORDS; i++) {
        unsigned all = counts[i] * blocks;

        taken[i] = olds[i] + all;
        tickets[i] = all ? all * (all - 1) / 2 : 0;
        all_most[i] = most[i] * blocks;
        swapped[i] = counts[i] ? 7 * blocks : 0;
        counts[i] = all;
    }
    place = to_device(places, THREADS);
    unsigned *r[7];
    for (int k = 0; k < 7; k++)
        r[k] = device_array<unsigned>(WORDS);
    count_shared<<<blocks, THREADS>>>(place, r[0]);
    expect_equal("count_shared", r[0], counts, WORDS);
    add_shared<<<blocks, THREADS>>>(place, r[1]);
    expect_equal("add_shared", r[1], sums, WORDS);
    take_shared<<<blocks, THREADS>>>(place, r[2]);
    expect_equal("take_shared", r[2], taken, WORDS);
    largest_shared<<<blocks, THREADS>>>(place, r[3]);
    expect_equal("largest_shared", r[3], all_most, WORDS);
    swap_shared<<<blocks, THREADS>>>(place, r[4]);
    expect_equal("swap_shared", r[4], swapped, WORDS);
    add_global<<<blocks, THREADS>>>(place, r[5]);
    expect_equal("add_global", r[5], sums, WORDS);
    largest_global<<<blocks, THREADS>>>(place, r[6]);
    expect_equal("largest_global", r[6], most, WORDS);
    unsigned long long *w = device_array<unsigned long long>(WORDS);
    add_global_wide<<<blocks, THREADS>>>(place, w);
    expect_equal("add_global_wide", w, wide, WORDS);
    unsigned *t = device_array<unsigned>(WORDS), *o = device_array<unsigned>(WORDS);
    take_global<<<blocks, THREADS>>>(place, t, o);
    expect_equal("take_global", o, tickets, WORDS);
}

int main()
{
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        run(pattern);
    return wrong ? 1 : 0;
}
