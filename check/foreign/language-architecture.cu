// Code that asks for __CUDA_ARCH__: defined for the device, not for the host.
#include <cstdio>

#ifdef __CUDA_ARCH__
#define PLACE "device"
#else
#define PLACE "host"
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double *p, double v);
#endif

struct counted {
    int value;
    __host__ __device__ counted(int v) : value(v)
    {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
        value += 1000;
#endif
    }
    __host__ __device__ int get() const
    {
#ifndef __CUDA_ARCH__
        return -value;
#else
        return value + threadIdx.x;
#endif
    }
};

template <typename T> __host__ __device__ T smallest(T a, T b)
{
#ifdef __CUDA_ARCH__
    return min(a, b);
#else
    return a < b ? a : b;
#endif
}

__host__ __device__ constexpr int architecture()
{
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__ >= 700;
#else
    return 0;
#endif
}

__global__ void kernel(int *out)
{
#ifdef __CUDA_ARCH__
    if (threadIdx.x == 1)
        printf("in the kernel: %s\n", PLACE);
    out[threadIdx.x] = counted(5).get() + smallest(30, 20) + 10000 * architecture();
#endif
}

int main()
{
    int *d, h[2];

#ifdef __CUDA_ARCH__
    printf("never\n");
#endif
    cudaMalloc(&d, sizeof(h));
    kernel<<<1, 2>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("on the %s: %d, %d %d\n", PLACE, counted(5).get(), smallest(3, 4), architecture());
    printf("%d %d\n", h[0], h[1]);
    return 0;
}
