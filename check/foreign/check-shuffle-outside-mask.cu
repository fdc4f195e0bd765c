// flags: --check
// status: 1
// error: a shuffle of lane 0 reads lane 16, which is not in its mask 0x000000ff
// The second stage of a block's sum: 8 lanes, named by a ballot, but the first step goes 16 lanes far.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void sum(int *out)
{
    __shared__ int partial[8];
    int v = 1;
    unsigned mask;

    for (int k = 16; k > 0; k /= 2)
        v += __shfl_down_sync(0xffffffffu, v, k);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = v;
    __syncthreads();
    mask = __ballot_sync(0xffffffffu, threadIdx.x < 8);
    if (threadIdx.x < 8) {
        v = partial[threadIdx.x];
        for (int k = 16; k > 0; k /= 2)
            v += __shfl_down_sync(mask, v, k);
        if (threadIdx.x == 0)
            *out = v;
    }
}

int main()
{
    int *out;

    cudaMalloc(&out, sizeof(int));
    sum<<<1, 256>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
