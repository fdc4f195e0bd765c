// Several kernels of one name, kernels with default arguments, and kernels in namespaces.
#include <cstdio>

__global__ void set(int *p)
{
    *p = 1;
}

__global__ void set(float *p)
{
    *p = 2;
}

__global__ void set(int *p, int value)
{
    *p = value;
}

__global__ void count(int *p, int by = 4, int *extra = nullptr)
{
    atomicAdd(p, extra ? by + *extra : by);
}

namespace
{
__global__ void hidden(int *p, unsigned value = 9u)
{
    *p = (int)value;
}
}

namespace outer
{
namespace inner
{
template <typename T> __global__ void set(T *p, T value = T(7))
{
    *p = value;
}
}
using inner::set;
}

static int *device;

static int result()
{
    int value;

    if (cudaMemcpy(&value, device, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
        return -1;
    return value;
}

int main()
{
    cudaMalloc(&device, 2 * sizeof(int));
    cudaMemset(device, 0, 2 * sizeof(int));
    set<<<1, 1>>>(device);
    printf("int %d\n", result());
    set<<<1, 1>>>((float *)device);
    printf("float %d\n", result() == 0x40000000);
    set<<<1, 1>>>(device, 33);
    printf("two arguments %d\n", result());
    count<<<1, 2>>>(device);
    printf("defaults %d\n", result());
    count<<<1, 2>>>(device, 1);
    printf("one default %d\n", result());
    count<<<1, 2>>>(device, 1, device + 1);
    printf("none %d\n", result());
    hidden<<<1, 1>>>(device);
    printf("hidden %d\n", result());
    outer::inner::set<<<1, 1>>>(device);
    printf("inner %d\n", result());
    outer::set<<<1, 1>>>(device, 8);
    printf("outer %d\n", result());
    outer::inner::set<int><<<1, 1>>>(device, 10);
    printf("named %d\n", result());
    return 0;
}
