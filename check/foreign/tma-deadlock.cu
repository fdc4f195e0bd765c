// status: 3
// error: whose phase lacks arrivals: 0, and bytes: 64
// The barrier expects 64 bytes more than are copied: its phase does not end.
#include "parts/tma.cuh"

#ifndef EXPECTED
#define EXPECTED 192
#endif

__global__ void wait(const char *x)
{
    __shared__ __align__(128) char s[128];
    __shared__ uint64_t full;

    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        barrier_expect(&full, EXPECTED);
        bulk_load(s, x, 128, &full);
    }
    __syncthreads();
    barrier_wait(&full, 0);
}

int main()
{
    char *x;

    cudaMalloc(&x, 128);
    wait<<<1, 32>>>(x);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    return error == cudaSuccess ? 0 : 3;
}
