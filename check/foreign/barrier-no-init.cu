// flags: --check
// status: 1
// error: race: two threads write bar in shared memory
// Thread 0 initialises the barrier, and nothing makes the others wait for that.
#include <cuda/barrier>
#include <stdio.h>

__global__ void no_barrier(int *x)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;

    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    x[threadIdx.x] = 1;
    bar.arrive_and_wait();
    x[threadIdx.x] = 2;
}

int main()
{
    int *d;

    cudaMalloc(&d, 64 * sizeof(int));
    no_barrier<<<1, 64>>>(d);
    cudaDeviceSynchronize();
    return 0;
}
