// flags: --check
// error: --check: nothing found
// Kernels that are launched by pointers that hold them: out of a table, and as an argument of a function.
#include <stdio.h>

__global__ void fill(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = value;
}

template <typename T> __global__ void add(T *x, int n, T value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] += value;
}

static const void *const kernels[] = {(const void *)fill, (const void *)add<int>};

static void launch(const void *kernel, int *x, int n, int value)
{
    void *arguments[] = {&x, &n, &value};
    cudaError_t error = cudaLaunchKernel(kernel, dim3(4), dim3(32), arguments, 0, 0);

    printf("%s\n", cudaGetErrorName(error));
}

int main()
{
    int *x, host[100], none = 0;

    cudaMalloc(&x, sizeof(host));
    for (int i = 0; i < 2; i++)
        launch(kernels[i], x, 100, 20 + i);
    cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[99]);
    launch(&none, x, 100, 0);
    return 0;
}
