// flags: --check
// status: 1
// error: with no barrier between (first_is_early)
// error: with no barrier between (last_is_early)
// error: --check: 2 findings
// Three warps read what a fourth one writes again and again, behind mbarriers. One of them says that it has read before
// it does: the first or the last that reads. In `right` none does.
#include <cstdio>
#include "parts/mbarrier.cuh"

enum { READERS = 3, ROUNDS = 3 };

struct place {
    uint64_t full, empty;
    int value[32];
};

__device__ void begin(place &p)
{
    if (threadIdx.x == 0) {
        barrier_init(&p.full, 32);
        barrier_init(&p.empty, READERS);
    }
    __syncthreads();
}

__device__ void write(place &p)
{
    for (int i = 0; i < ROUNDS; i++) {
        barrier_wait(&p.empty, ~i & 1);
        p.value[threadIdx.x % 32] = i;
        barrier_arrive(&p.full);
    }
}

__device__ void release(place &p)
{
    if (threadIdx.x % 32 == 0)
        barrier_arrive(&p.empty);
}

// The warp of that number is early; READERS: none is.
#define READ(p, early, sum)                                                                                            \
    for (int i = 0; i < ROUNDS; i++) {                                                                                 \
        barrier_wait(&p.full, i & 1);                                                                                  \
        if (threadIdx.x / 32 == early)                                                                                 \
            release(p);                                                                                                \
        sum += p.value[threadIdx.x % 32];                                                                              \
        __syncwarp();                                                                                                  \
        if (threadIdx.x / 32 != early)                                                                                 \
            release(p);                                                                                                \
    }

#define KERNEL(NAME, early)                                                                                            \
    __global__ void NAME(int *out)                                                                                     \
    {                                                                                                                  \
        __shared__ place p;                                                                                            \
        int sum = 0;                                                                                                   \
                                                                                                                       \
        begin(p);                                                                                                      \
        if (threadIdx.x / 32 == READERS) {                                                                             \
            write(p);                                                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        READ(p, early, sum)                                                                                            \
        out[threadIdx.x] = sum;                                                                                        \
    }

KERNEL(right, READERS)
KERNEL(first_is_early, 0)
KERNEL(last_is_early, READERS - 1)

int main()
{
    int *out;

    cudaMallocManaged(&out, READERS * 32 * sizeof(int));
    right<<<1, READERS * 32 + 32>>>(out);
    printf("%s", cudaGetErrorString(cudaDeviceSynchronize()));
    printf(", %d\n", out[95]);
    first_is_early<<<1, READERS * 32 + 32>>>(out);
    last_is_early<<<1, READERS * 32 + 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
