// flags: -rdc=true --check
// error: nothing found
// Kernels that launch kernels: children run with what their parent wrote before, in the order of a
// block's launches; a tail launch runs behind all of them; and the host waits for all.
#include <cstdio>

__global__ void add(int *sum, const int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(sum, values[i]);
}

__global__ void twice(int *sum)
{
    *sum *= 2;
}

template <typename T> __global__ void fill(T *values, int n, T from)
{
    if (threadIdx.x < n)
        values[threadIdx.x] = from + (T)threadIdx.x;
}

__global__ void parent(int *sums, int *values)
{
    int *mine = values + 64 * blockIdx.x;

    mine[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        add<<<2, 32>>>(sums + blockIdx.x, mine, 64);
        twice<<<1, 1>>>(sums + blockIdx.x);
        if (blockIdx.x == 0)
            fill<<<1, 32, 0, cudaStreamTailLaunch>>>(values, 32, 100);
        fill<<<1, 32>>>(mine + 32, 32, 7);
        if (cudaGetLastError() != cudaSuccess)
            printf("refused\n");
    }
}

__global__ void halves(int *values, int n, int depth)
{
    values[threadIdx.x] += depth;
    if (threadIdx.x == 0 && n > 1) {
        halves<<<1, n / 2>>>(values, n / 2, depth + 1);
        halves<<<1, n / 2>>>(values + n / 2, n / 2, depth + 1);
    }
}

int main()
{
    int *sums, *values;

    cudaMallocManaged(&sums, 3 * sizeof(int));
    cudaMallocManaged(&values, 3 * 64 * sizeof(int));
    parent<<<3, 64>>>(sums, values);
    cudaDeviceSynchronize();
    printf("%d %d %d, %d %d %d\n", sums[0], sums[1], sums[2], values[0], values[33], values[64]);
    cudaMemset(values, 0, 64 * sizeof(int));
    halves<<<1, 64>>>(values, 64, 1);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", values[0], values[63], cudaGetLastError());
    return 0;
}
