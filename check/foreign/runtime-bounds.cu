// More threads than __launch_bounds__ allows: refused, and the device goes on.
#include <cstdio>

__global__ void __launch_bounds__(128) bounded(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

template <int THREADS> __global__ void __launch_bounds__(THREADS, 2) generic(int *x)
{
    x[threadIdx.x] = THREADS;
}

int main()
{
    int *device, last = -1;
    cudaFuncAttributes attributes;

    cudaMalloc(&device, 1024 * sizeof(int));
    bounded<<<1, 128>>>(device);
    printf("128: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    bounded<<<1, 256>>>(device);
    printf("256: %s\n", cudaGetLastError() == cudaSuccess ? "launched" : "refused");
    cudaMemcpy(&last, device + 127, sizeof(int), cudaMemcpyDeviceToHost);
    generic<64><<<1, 96>>>(device);
    printf("generic: %s\n", cudaGetLastError() == cudaSuccess ? "launched" : "refused");
    generic<256><<<1, 96>>>(device);
    printf("generic: %s\n", cudaGetLastError() == cudaSuccess ? "launched" : "refused");
    cudaFuncGetAttributes(&attributes, bounded);
    printf("%d threads, last %d\n", attributes.maxThreadsPerBlock, last);
    cudaFree(device);
    return 0;
}
