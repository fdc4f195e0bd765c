// flags: -Xcompiler "-O2 -fopenmp"
// OpenMP in the host's code, whose threads launch kernels of their own.
#include <cstdio>
#include <omp.h>

__global__ void add(int *sum, int n)
{
    if (threadIdx.x < n)
        atomicAdd(sum, threadIdx.x + 1);
}

int main()
{
    int *sums, threads = 0;

    cudaMallocManaged(&sums, 4 * sizeof(int));
#pragma omp parallel num_threads(4) reduction(+ : threads)
    {
        int me = omp_get_thread_num();

        add<<<1, 32>>>(sums + me, me + 1);
        cudaDeviceSynchronize();
        threads++;
    }
    printf("%d threads: %d %d %d %d\n", threads, sums[0], sums[1], sums[2], sums[3]);
    return 0;
}
