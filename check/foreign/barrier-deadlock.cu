// status: 3
// error: thread 0 of block 0 waits for a barrier object whose phase lacks arrivals: 1, and bytes: 0
// A wait by mbarrier.try_wait that nobody can end: the phase awaits an arrival more than comes.
#include <cstdio>
#include "parts/mbarrier.cuh"

__global__ void wait()
{
    __shared__ uint64_t b;

    if (threadIdx.x == 0)
        barrier_init(&b, 33);
    __syncthreads();
    barrier_arrive(&b);
    barrier_wait(&b, 0);
}

int main()
{
    wait<<<1, 32>>>();
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    return error == cudaSuccess ? 0 : 3;
}
