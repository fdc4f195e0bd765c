// flags: --check
// error: --check: nothing found
// error: --check: 1 of 2 launches were run in 4 orders, the others in one
// Volatile as CUDA's model allows it: flags behind a fence and read before one, of every block in turn; and a count
// that atomics change. The second launch is too large to be run in several orders.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void in_turn(volatile unsigned *flag, unsigned *count, volatile int *sum)
{
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && flag[blockIdx.x - 1] == 0)
            ;
        __threadfence();
        *sum += blockIdx.x + 1;
        __threadfence();
        flag[blockIdx.x] = 1;
        atomicAdd(count, 1u);
        while (*(volatile unsigned *)count < gridDim.x)
            ;
    }
}

__global__ void fill(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

int main()
{
    int h, *d;

    cudaMalloc(&d, 200 * sizeof(int) + (1 << 17));
    cudaMemset(d, 0, 200 * sizeof(int));
    in_turn<<<40, 32>>>((unsigned *)d + 2, (unsigned *)d + 1, d);
    fill<<<128, 256>>>(d + 200);
    cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    return 0;
}
