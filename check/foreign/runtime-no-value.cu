// Functions that end without the value they promise, on the host and on the device: nobody uses it, and the program
// goes on, as one that nvcc has compiled.
// error: control reaches end of non-void function
#include <cstdio>

static bool is_right(const int *all, int n)
{
    for (int i = 0; i < n; i++)
        if (all[i] != 2 * i) {
            printf("%d: %d\n", i, all[i]);
            return false;
        }
}

__device__ int store(int *all, int i)
{
    all[i] = 2 * i;
    if (all[i] < 0)
        return 1;
}

__global__ void twice(int *all, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        store(all, i);
}

static int test(int n)
{
    int *all;

    cudaMallocManaged(&all, n * sizeof(*all));
    twice<<<(n + 63) / 64, 64>>>(all, n);
    cudaDeviceSynchronize();
    is_right(all, n);
    cudaFree(all);
}

int main()
{
    test(1);
    test(1000);
    printf("the end\n");
}
