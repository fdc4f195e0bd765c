// flags: --check
// status: 1
// error: race: two threads write d[0] of 2 elements, and nothing orders them
// error: the last one wins, and volatile does not help (both)
// error: the last one wins, and volatile does not help (mixed)
// error: race: one thread reads what another writes, d[1] of 2 elements, volatile
// error: no fence stands before the write (stop)
// Volatile orders nothing: two blocks write a word, one of them by an atomic; and a flag that no fence stands before.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void both(volatile int *d)
{
    d[0] = blockIdx.x;
}

__global__ void mixed(int *d)
{
    if (blockIdx.x == 0)
        atomicExch(d, 1);
    else
        *(volatile int *)d = 2;
}

__global__ void stop(volatile int *d)
{
    if (blockIdx.x == 0)
        d[1] = 1;
    else
        while (d[1] == 0)
            ;
}

int main()
{
    int *d;

    cudaMalloc(&d, 2 * sizeof(int));
    cudaMemset(d, 0, 2 * sizeof(int));
    both<<<2, 1>>>(d);
    mixed<<<2, 1>>>(d);
    stop<<<2, 1>>>(d);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
