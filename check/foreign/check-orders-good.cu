// flags: --check
// error: --check: nothing found
// A lock with a fence on either side, in four orders. What a kernel prints, and changes on the host, is done once.
#include <cuda_runtime.h>
#include <stdio.h>

__device__ int lock;

__global__ void lock_data(volatile int *data)
{
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence();
    data[0] += blockIdx.x + 1;
    __threadfence();
    atomicExch(&lock, 0);
    printf("a block\n");
}

int main()
{
    int h, *d;

    cudaMalloc(&d, sizeof(int));
    cudaMemset(d, 0, sizeof(int));
    lock_data<<<2, 1>>>(d);
    printf("%s\n", cudaGetErrorString(cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost)));
    printf("%d\n", h);
    return 0;
}
