// malloc in kernels: each device has a heap of its own, with its own limit.
// devices: 2
#include <cstdio>

__global__ void take(int **kept, size_t bytes)
{
    kept[0] = (int *)malloc(bytes);
    if (kept[0])
        kept[0][0] = 42;
}

__global__ void give(int **kept, int *value)
{
    value[0] = kept[0] ? kept[0][0] : -1;
    free(kept[0]);
}

int main()
{
    int **kept[2], *value[2], host = 0;

    cudaSetDevice(1);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMalloc(&kept[d], sizeof(int *));
        cudaMalloc(&value[d], sizeof(int));
        take<<<1, 1>>>(kept[d], 32 << 20);
    }
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        give<<<1, 1>>>(kept[d], value[d]);
        cudaMemcpy(&host, value[d], sizeof(int), cudaMemcpyDeviceToHost);
        printf("device %d: %d\n", d, host);
    }
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
