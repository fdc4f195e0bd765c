// Peer access has a direction: device 1 has none to device 0, though that has some to device 1.
// devices: 2
// error: writes 4 bytes of device 0's memory without peer access, on device 1, in thread 0
#include <cstdio>

__global__ void fill(int *x, int value)
{
    x[threadIdx.x] = value;
}

int main()
{
    int *of_0, *of_1, first = 0;

    cudaMalloc(&of_0, 32 * sizeof(int));
    cudaDeviceEnablePeerAccess(1, 0);
    cudaSetDevice(1);
    cudaMalloc(&of_1, 32 * sizeof(int));
    cudaSetDevice(0);
    fill<<<1, 32>>>(of_1, 5);
    printf("0 to 1: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaMemcpy(&first, of_1, sizeof(first), cudaMemcpyDefault);
    printf("%d\n", first);
    cudaSetDevice(1);
    fill<<<1, 32>>>(of_0, 7);
    printf("1 to 0: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("next: %s\n", cudaGetErrorName(cudaMalloc(&of_1, 4)));
    return 0;
}
