// A launch inside a kernel: dynamic parallelism.
// nvcc: no
// status: 2
// error: language-refused-launch.cu:15: error: child<<<...>>> in device code
#include <cstdio>

__global__ void child(int *p)
{
    p[threadIdx.x]++;
}

__global__ void parent(int *p)
{
    if (threadIdx.x == 0)
        child<<<1, 32>>>(p);
}

int main()
{
    int *d;

    cudaMalloc(&d, 128);
    parent<<<1, 32>>>(d);
    return cudaDeviceSynchronize();
}
