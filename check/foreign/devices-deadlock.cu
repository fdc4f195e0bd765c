// Kernels of two devices wait for what neither does: the host is told, at the call that waits.
// devices: 2
#include <cstdio>

__global__ void wait(volatile int *flag)
{
    while (!*flag)
        ;
}

int main()
{
    int *flag[2];

    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMalloc(&flag[d], sizeof(int));
        cudaMemset(flag[d], 0, sizeof(int));
        wait<<<1, 32>>>(flag[d]);
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    }
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
}
