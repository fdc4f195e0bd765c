// flags: --check
// status: 1
// error: two threads write x[0] of 8 elements, and only the order in which they took a lock kept them apart
// error: two threads write x[1] of 8 elements, and
// error: two threads write x[2] of 8 elements, and
// error: two threads write x[3] of 8 elements, and
// error: one thread reads what another writes, x[4] of 8 elements, volatile, under a lock, and this write is outside
// error: --check: 5 findings
// Races that most orders of the threads hide, found in whatever order they run: the words are in order only because one
// had the lock first, one of the four fences is missing, or one write of a volatile word stands outside of the lock.
#include <cuda_runtime.h>
#include <stdio.h>

__device__ int lock, other, dummy, turn, held;

__device__ void take(int *l)
{
    while (atomicCAS(l, 0, 1) != 0)
        ;
}

__device__ void outside(int *x, int *count, bool first)
{
    if (first)
        x[0] = 1;
    take(&lock);
    __threadfence();
    count[first] = 1;
    __threadfence();
    atomicExch(&lock, 0);
    if (!first)
        x[0] = 2;
}

__device__ void no_acquire(int *x, bool first)
{
    take(&lock);
    if (!first)
        __threadfence();
    x[1] = first;
    __threadfence();
    atomicExch(&lock, 0);
}

__device__ void no_release(int *x, bool first)
{
    take(&lock);
    __threadfence();
    x[2] = first;
    if (first)
        __threadfence();
    atomicExch(&lock, 0);
}

__global__ void warps(int *x, int *count)
{
    bool first = threadIdx.x == 0;

    if (threadIdx.x % 32)
        return;
    outside(x, count, first);
    no_acquire(x, first);
    no_release(x, first);
}

__global__ void blocks(int *x, volatile int *v)
{
    int before;

    while (atomicExch(&other, 1) != 0)
        ;
    if (atomicAdd(&turn, 1) == 0) // whichever block is first, so that every order has the same findings
        __threadfence_block();
    else
        __threadfence();
    x[3] = blockIdx.x;
    __threadfence();
    *(volatile int *)&other = 0;
    take(&lock);
    __threadfence();
    dummy = v[4];
    before = held++;
    __threadfence();
    atomicExch(&lock, 0);
    if (before == 0)
        v[4] = 1;
}

int main()
{
    int *x;

    cudaMalloc(&x, 8 * sizeof(*x));
    cudaMemset(x, 0, 8 * sizeof(*x));
    int *count;
    cudaMalloc(&count, 2 * sizeof(*count));
    warps<<<1, 64>>>(x, count);
    blocks<<<2, 1>>>(x, x);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
