// printf in kernels, in the order of blocks and threads of one worker's launch of one block.
#include <stdio.h>

__device__ void describe(const char *what, int value)
{
    printf("%s %d of block %d: %5.2f%c\n", what, value, blockIdx.x, value * 0.25, '!');
}

__global__ void hello(long long big)
{
    if (threadIdx.x % 2 == 0)
        describe("thread", threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        printf("%lld %u %x %s\n", big, 4000000000u, 255, "text");
}

int main()
{
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20);
    hello<<<1, 6>>>(1ll << 40);
    cudaDeviceSynchronize();
    printf("host: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
