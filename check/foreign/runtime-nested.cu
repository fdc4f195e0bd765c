// A launch that a kernel reaches through a function of the host: refused where it happens.
// nvcc: no
// error: outer launches inner
#include <cstdio>

__global__ void inner(int *x)
{
    x[threadIdx.x] = 1;
}

void launch(int *x)
{
    inner<<<1, 32>>>(x);
}

__global__ void outer(int *x)
{
    launch(x);
}

int main()
{
    int *x;

    cudaMalloc(&x, 128);
    outer<<<1, 2>>>(x);
    printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "passed" : "failed");
    return 0;
}
