// flags: --check
// status: 1
// error: race: two threads write d[0] of 98 elements, with no barrier between (exchange)
// error: (increment)
// error: --check: 3 findings
// A plain write, and a read, a sum and a write, of a word that another thread of the block changes by an atomic.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void exchange(int *d)
{
    if (threadIdx.x == 0)
        atomicExch(d, 1);
    else if (threadIdx.x == 32)
        d[0] = 2;
}

__global__ void increment(unsigned *y)
{
    int i = threadIdx.x;

    y[i] = 2 * y[i] + 1;
    atomicInc(&y[i + 1], 1000);
}

int main()
{
    int *d;

    cudaMalloc(&d, 98 * sizeof(int));
    cudaMemset(d, 0, 98 * sizeof(int));
    exchange<<<1, 64>>>(d);
    increment<<<1, 96>>>((unsigned *)d);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
