// flags: -rdc=true --check
// nvcc: no
// error: nothing found
// cudaDeviceSynchronize in a kernel, which CUDA had up to 11: the parent goes on with what its children
// computed. Here more blocks wait than the device holds at once.
#include <cstdio>

__global__ void halve(int *values, int n)
{
    if (threadIdx.x < n)
        values[threadIdx.x] += values[threadIdx.x + n];
}

__global__ void sum(int *values, int *sums)
{
    int *mine = values + 64 * blockIdx.x;

    mine[threadIdx.x] = threadIdx.x + blockIdx.x;
    __syncthreads();
    for (int n = 32; n > 0; n /= 2) {
        if (threadIdx.x == 0) {
            halve<<<1, 32>>>(mine, n);
            cudaDeviceSynchronize();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = mine[0];
}

int main()
{
    enum { BLOCKS = 600 };
    int *values, *sums, wrong = 0;

    cudaMallocManaged(&values, BLOCKS * 64 * sizeof(int));
    cudaMallocManaged(&sums, BLOCKS * sizeof(int));
    sum<<<BLOCKS, 64>>>(values, sums);
    printf("%d\n", cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS; i++)
        wrong += sums[i] != 63 * 32 + 64 * i;
    printf("%d wrong\n", wrong);
    return 0;
}
