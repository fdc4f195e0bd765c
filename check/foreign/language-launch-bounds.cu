// __launch_bounds__: a launch with more threads is refused, whichever way it is written, and the next
// one runs.
#include <cstdio>

__global__ void __launch_bounds__(128) plain(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

template <int THREADS, typename T>
__global__ __launch_bounds__(THREADS * 2, 2) void instance(T *out)
{
    out[threadIdx.x] = (T)(THREADS + threadIdx.x);
}

__launch_bounds__(64) __global__ void overloaded(int *out, int by = 3)
{
    out[threadIdx.x] = by * threadIdx.x;
}

__global__ void overloaded(float *out)
{
    out[threadIdx.x] = -1;
}

namespace inside
{
static __global__ void __launch_bounds__(32, 4) small(int *out)
{
    out[threadIdx.x] = 8;
}
}

static int *device;

static void show(const char *what)
{
    cudaError_t error = cudaGetLastError();
    int host[2];

    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%s: %s, %d\n", what, error == cudaSuccess ? "runs" : "refused", host[1]);
    cudaMemset(device, 0, sizeof(host));
}

int main()
{
    void (*const pointer)(int *) = plain;
    cudaFuncAttributes attributes;

    cudaMalloc(&device, 1024 * sizeof(int));
    cudaMemset(device, 0, 2 * sizeof(int));
    plain<<<1, 128>>>(device);
    show("plain 128");
    plain<<<1, 129>>>(device);
    show("plain 129");
    pointer<<<1, dim3(16, 16)>>>(device);
    show("pointer 256");
    instance<32><<<1, 64>>>(device);
    show("instance 64");
    instance<32><<<1, 96>>>(device);
    show("instance 96");
    instance<100><<<1, 200>>>(device);
    show("another 200");
    overloaded<<<1, 64>>>(device);
    show("overloaded 64");
    overloaded<<<1, 65>>>(device, 4);
    show("overloaded 65");
    overloaded<<<1, 1024>>>((float *)device);
    show("the other one 1024");
    inside::small<<<1, 33>>>(device);
    show("small 33");
    cudaFuncGetAttributes(&attributes, instance<100, short>);
    printf("%d\n", attributes.maxThreadsPerBlock);
    return cudaDeviceSynchronize();
}
