// A kernel reads another device's memory, and nobody switched peer access on: --check finds it.
// devices: 2
// flags: --check
// status: 1
// error: memory: read of 4 bytes of device 1's memory, without peer access
#include <cstdio>

__global__ void copy(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

int main()
{
    int *of_0, *of_1;

    cudaMalloc(&of_0, 32 * sizeof(int));
    cudaSetDevice(1);
    cudaMalloc(&of_1, 32 * sizeof(int));
    cudaMemset(of_1, 1, 32 * sizeof(int));
    cudaSetDevice(0);
    copy<<<1, 32>>>(of_0, of_1);
    cudaDeviceSynchronize();
    printf("done\n");
    return 0;
}
