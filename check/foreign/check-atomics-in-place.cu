// flags: --check
// error: --check: nothing found
// A bounded loop of atomics that change nothing is no wait, however long it is.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void largest(int *m, int n, int *out)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += atomicMax(m, 7);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    int h[64], *d, seven = 7;

    cudaMalloc(&d, 65 * sizeof(int));
    cudaMemcpy(d, &seven, sizeof(int), cudaMemcpyHostToDevice);
    largest<<<1, 1>>>(d, 5000, d + 1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    largest<<<2, 32>>>(d, 1000, d + 1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaMemcpy(h, d + 1, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[63]);
    return 0;
}
