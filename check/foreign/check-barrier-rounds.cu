// flags: --check
// status: 1
// error: with no barrier between (early)
// error: --check: 1 finding
// Warps that have met a hundred times tell each other much. A warp that says that it has read before it does, is found
// all the same: in `early` what the other one then writes is not in order, in `right` it is.
#include <cstdio>
#include "parts/numbered.cuh"

enum { WARPS = 4, ROUNDS = 100 };

__device__ int meet_often(int *told)
{
    int sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        if (threadIdx.x / 32 == round % WARPS)
            told[threadIdx.x % 32] = round;
        meet(1, WARPS * 32);
        sum += told[threadIdx.x % 32];
        meet(2, WARPS * 32);
    }
    return sum;
}

__global__ void early(int *out)
{
    __shared__ int told[32];
    int sum = meet_often(told);

    if (threadIdx.x < 32) {
        arrive(3, 64);
        out[threadIdx.x] = sum + told[threadIdx.x];
    } else if (threadIdx.x < 64) {
        meet(3, 64);
        told[threadIdx.x - 32] = 0;
    }
}

__global__ void right(int *out)
{
    __shared__ int told[32];
    int sum = meet_often(told);

    if (threadIdx.x < 32) {
        out[threadIdx.x] = sum + told[threadIdx.x];
        arrive(3, 64);
    } else if (threadIdx.x < 64) {
        meet(3, 64);
        told[threadIdx.x - 32] = 0;
    }
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 32 * sizeof(int));
    early<<<1, WARPS * 32>>>(out);
    printf("%s", cudaGetErrorString(cudaDeviceSynchronize()));
    right<<<1, WARPS * 32>>>(out);
    printf(", %s", cudaGetErrorString(cudaDeviceSynchronize()));
    printf(", %d\n", out[31]);
    return 0;
}
