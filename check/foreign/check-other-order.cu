// flags: --check
// status: 1
// error: two threads write data[0] of 1 element, and nothing orders them
// error: (lock_data, --schedule=random:
// error: --check: 1 finding
// error: --check: each launch was run in 4 orders
// Block 0 takes a lock and has no fence behind it. That is wrong only where another block had the lock before: in
// another order than the usual one.
#include <cuda_runtime.h>
#include <stdio.h>

__device__ int lock;

__global__ void lock_data(volatile int *data)
{
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    if (blockIdx.x > 0)
        __threadfence();
    data[0] = blockIdx.x;
    __threadfence();
    atomicExch(&lock, 0);
}

int main()
{
    int *d;

    cudaMalloc(&d, sizeof(int));
    lock_data<<<2, 1>>>(d);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
