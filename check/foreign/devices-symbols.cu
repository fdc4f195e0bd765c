// Each device has its own __device__ and __constant__ variables, and all share the managed ones.
// devices: 3
#include <cstdio>

__device__ int counter = 5;
__device__ int table[4] = {1, 2, 3, 4};
__constant__ int weight = 2;
__managed__ int shared_by_all = 100;

__global__ void work(int *through_pointer)
{
    counter += weight * table[threadIdx.x];
    *through_pointer += 1000;
    shared_by_all++;
}

__global__ void read(int *out, const int *theirs)
{
    out[0] = counter;
    out[1] = *theirs;
}

int main()
{
    int *address[3], *out, host[2], values[3];

    for (int d = 0; d < 3; d++) {
        int w = d + 1;

        cudaSetDevice(d);
        cudaGetSymbolAddress((void **)&address[d], counter);
        if (d)
            cudaMemcpyToSymbol(weight, &w, sizeof(w));
        work<<<1, 1>>>(address[d]);
        cudaDeviceSynchronize();
    }
    for (int d = 2; d >= 0; d--) {
        cudaSetDevice(d);
        cudaMemcpyFromSymbol(&values[d], counter, sizeof(int));
    }
    printf("counters %d %d %d, managed %d\n", values[0], values[1], values[2], shared_by_all);
    printf("three addresses: %d\n", address[0] != address[1] && address[1] != address[2]);

    cudaSetDevice(0);
    cudaMemcpy(values, address[2], sizeof(int), cudaMemcpyDeviceToHost);
    printf("of device 2, by its address: %d\n", values[0]);
    cudaMemset(address[1], 0, sizeof(int));
    cudaDeviceEnablePeerAccess(1, 0);
    cudaMalloc(&out, sizeof(host));
    read<<<1, 1>>>(out, address[1]);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("device 0 reads its own %d, and device 1's %d\n", host[0], host[1]);
    cudaMemcpyFromSymbol(host, table, sizeof(int), 3 * sizeof(int));
    printf("as it began: %d\n", host[0]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
