// assert in a kernel: cudaErrorAssert, and the file, line, block and thread on standard error.
// error: runtime-assert.cu:12: block: [1,0,0], thread: [3,0,0] Assertion `x[i] >= 0` failed.
#include <cassert>
#include <cstdio>

__global__ void root(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    assert(x[i] >= 0);
    x[i] = sqrtf(x[i]);
}

int main()
{
    float host[64], *device;

    assert(sizeof(host) == 256);
    for (int i = 0; i < 64; i++)
        host[i] = i == 35 ? -1.0f : (float)(i * i);
    cudaMalloc(&device, sizeof(host));
    cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
    root<<<1, 32>>>(device, 64);
    printf("first half: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    root<<<2, 32>>>(device, 64);
    printf("both: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
