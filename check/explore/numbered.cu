// A warp hands over to another one through one place in shared memory: bar.arrive says that it is full, or empty.
// -DFULL=0, -DEMPTY=0: without one of the two. -DLATE=1: a warp that nothing orders comes to a barrier, too.
#include <cstdio>
#include <cuda_runtime.h>

#ifndef FULL
#define FULL 1
#endif
#ifndef EMPTY
#define EMPTY 1
#endif
#ifndef LATE
#define LATE 0
#endif

enum { ROUNDS = 3 };

static __device__ void meet(int number)
{
    asm volatile("bar.sync %0, 64;" ::"r"(number) : "memory");
}

static __device__ void arrive(int number)
{
    asm volatile("bar.arrive %0, 64;" ::"r"(number) : "memory");
}

__global__ void hand_over(int *out)
{
    __shared__ int place;
    int sum = 0;

    if (threadIdx.x >= 64) {
        meet(2);
        return;
    }
    for (int round = 0; round < ROUNDS; round++) {
        if (threadIdx.x < 32) {
            if (EMPTY && round)
                meet(2);
            if (threadIdx.x == 0)
                place = 10 + round;
            if (FULL)
                arrive(1);
        } else {
            if (FULL)
                meet(1);
            sum += place;
            __syncwarp();
            if (EMPTY && round + 1 < ROUNDS + LATE)
                arrive(2);
        }
    }
    if (threadIdx.x >= 32)
        out[threadIdx.x - 32] = sum;
}

int main()
{
    int *out, sums[32], wrong = 0;

    cudaMalloc(&out, sizeof(sums));
    hand_over<<<1, 64 + 32 * LATE>>>(out);
    if (cudaMemcpy(sums, out, sizeof(sums), cudaMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < 32; i++)
        wrong += sums[i] != 33;
    printf("%d wrong\n", wrong);
    return wrong != 0 && !LATE;
}
