// Shared memory of a known size that is declared once, outside of all functions: all that a kernel
// calls has the same one, and another name may hide it.
#include <cstdio>

__shared__ int line[32], first;
namespace own
{
__shared__ float first;

__device__ int half()
{
    first = 0.5f;
    return first == 0.5f;
}
}

template <typename T> __device__ T at(int i)
{
    return line[i] + first;
}

__device__ int hides()
{
    int first = 3;

    return first;
}

__device__ int parameter(int first)
{
    return first;
}

__global__ void turn(int *out)
{
    line[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        first = 100;
    __syncthreads();
    out[threadIdx.x] = at<int>(31 - threadIdx.x) + hides() + parameter(1) + own::half();
}

__global__ void inner(int *out)
{
    __shared__ int line[32];

    line[threadIdx.x] = 2 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = line[31 - threadIdx.x];
}

int main()
{
    int *d, h[32];

    cudaMalloc(&d, sizeof(h));
    turn<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[31]);
    inner<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[31]);
    printf("%d %d\n", INT_MIN, CHAR_BIT); // nvcc includes climits by itself
    return 0;
}
