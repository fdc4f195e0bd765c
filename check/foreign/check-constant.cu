// flags: --check
// status: 1
// error: memory: write of 4 bytes of a __constant__ variable, which the host alone may write (spoil)
// error: --check: 1 finding
// A kernel reads constant memory, and may not write it: nvcc warns where it sees it, and the hardware then does what it
// likes.
#include <cuda_runtime.h>
#include <cstdio>

__constant__ float factor[4];

__device__ float *writable(const float *p)
{
    return (float *)p;
}

__global__ void scale(float *x)
{
    x[threadIdx.x] = factor[threadIdx.x % 4] * threadIdx.x;
}

__global__ void spoil(float *x)
{
    writable(factor)[threadIdx.x % 4] = x[threadIdx.x];
}

int main()
{
    const float host[] = {1, 2, 3, 4};
    float *d, last;

    cudaMalloc(&d, 32 * sizeof(*d));
    cudaMemcpyToSymbol(factor, host, sizeof(host));
    scale<<<1, 32>>>(d);
    cudaMemcpy(&last, d + 31, sizeof(last), cudaMemcpyDeviceToHost);
    printf("%g\n", last);
    spoil<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    return 0;
}
