// status: 1
// error: 63 at a cuda::barrier
// One thread returns without arriving at a cuda::barrier: a deadlock, and found at once.
#include <cuda/barrier>
#include <stdio.h>

__global__ void early(int *x)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;

    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 7)
        return;
    bar.arrive_and_wait();
    x[threadIdx.x] = 1;
}

int main()
{
    int *d;

    cudaMalloc(&d, 64 * sizeof(int));
    early<<<1, 64>>>(d);
    cudaError_t error = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
