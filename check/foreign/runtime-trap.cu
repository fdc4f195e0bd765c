// __trap ends the kernel: the next synchronisation says so, and nothing runs after it.
// error: guard: __trap() in thread 5
#include <cstdio>

__global__ void guard(const int *x, int limit)
{
    if (x[threadIdx.x] > limit)
        __trap();
}

int main()
{
    int host[8] = {1, 2, 3, 4, 5, 60, 7, 8}, *device;

    cudaMalloc(&device, sizeof(host));
    cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
    guard<<<1, 8>>>(device, 100);
    printf("limit 100: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    guard<<<1, 8>>>(device, 50);
    printf("limit 50: %s\n", cudaDeviceSynchronize() == cudaSuccess ? "passed" : "failed");
    printf("then: %s\n", cudaFree(device) == cudaSuccess ? "passed" : "failed");
    return 0;
}
