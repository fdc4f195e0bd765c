// delete twice in a kernel: the launch fails, with a line.
// error: twice: free or delete of memory that was freed already
#include <cstdio>

__device__ int *list;

__global__ void make()
{
    list = new int[4];
    list[0] = 4;
}

__global__ void twice(int *out)
{
    *out = list[0];
    delete[] list;
    delete[] list;
}

int main()
{
    int *device;

    cudaMalloc(&device, sizeof(int));
    make<<<1, 1>>>();
    twice<<<1, 1>>>(device);
    printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "passed" : "failed");
    return 0;
}
