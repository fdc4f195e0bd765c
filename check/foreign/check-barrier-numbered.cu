// flags: --check
// status: 1
// error: with no barrier between (pairs)
// error: with no barrier between (early)
// Numbered barriers of a block that do not order what they are to: one of two warps of four, where a warp reads what
// another pair wrote; and an arrival that does not wait, of the warps that read. The last kernel is right.
#include <cstdio>
#include "parts/numbered.cuh"

__global__ void pairs(int *out)
{
    __shared__ int told[128];

    told[threadIdx.x] = threadIdx.x;
    meet(threadIdx.x / 64, 64);
    out[threadIdx.x] = told[threadIdx.x ^ 64];
}

__global__ void early(int *out)
{
    __shared__ int told[32];

    if (threadIdx.x < 32) {
        told[threadIdx.x] = threadIdx.x;
        meet(1, 64);
    } else {
        arrive(1, 64);
        out[threadIdx.x - 32] = told[threadIdx.x - 32];
    }
}

__global__ void right(int *out)
{
    __shared__ int told[32];

    if (threadIdx.x < 32) {
        told[threadIdx.x] = threadIdx.x;
        arrive(1, 64);
    } else {
        meet(1, 64);
        out[threadIdx.x - 32] = told[threadIdx.x - 32];
    }
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 128 * sizeof(int));
    pairs<<<1, 128>>>(out);
    early<<<1, 64>>>(out);
    right<<<1, 64>>>(out);
    printf("%s", cudaGetErrorString(cudaDeviceSynchronize()));
    printf(", %d\n", out[31]);
    return 0;
}
