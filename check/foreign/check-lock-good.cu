// flags: --check
// Locks as they should be: nothing is wrong. What a section of the lock tells the other one is in order behind it; a
// block or a warp may work under a lock that one of its threads took; a lock within a lock; a word that is handed on,
// that is set once, or swapped until it fits is no lock.
#include <cuda_runtime.h>
#include <stdio.h>

enum { BLOCKS = 4, THREADS = 64, BUCKETS = 7 };

__device__ int lock[BUCKETS], big, small, turn, once, state[BUCKETS];
__device__ double total;

__device__ void take(int *l)
{
    while (atomicCAS(l, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ void give(int *l)
{
    __threadfence();
    atomicExch(l, 0);
}

/* x is written before the section that says so, and read behind the one that sees it. */
__global__ void hand_over(int *x, int *ready, int *seen)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *x = 5;
        take(&lock[0]);
        *ready = 1;
        give(&lock[0]);
    } else {
        for (bool done = false; !done;) {
            take(&lock[0]);
            done = *ready;
            give(&lock[0]);
        }
        seen[blockIdx.x] = *x;
    }
}

__global__ void together(int *sums)
{
    if (threadIdx.x == 0)
        take(&lock[0]);
    __syncthreads();
    sums[threadIdx.x] += blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        give(&lock[0]);
    if (threadIdx.x % 32 == 0)
        while (atomicExch(&lock[1], 1) != 0)
            ;
    __threadfence();
    __syncwarp();
    sums[THREADS + threadIdx.x % 32] += 1;
    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        *(volatile int *)&lock[1] = 0;
}

__global__ void within(int *a, int *b)
{
    if (threadIdx.x % 32)
        return;
    take(&big);
    *a += 1;
    take(&small);
    *b += 1;
    give(&small);
    *a += 1;
    give(&big);
    take(&small);
    *b += 1;
    give(&small);
}

__global__ void buckets(int *count)
{
    int bucket = (threadIdx.x * 5 + blockIdx.x) % BUCKETS;

    for (bool done = false; !done;)
        if (atomicCAS(&lock[bucket], 0, 1) == 0) {
            __threadfence();
            count[bucket] += 1;
            give(&lock[bucket]);
            done = true;
        }
}

/* No locks. */
__global__ void others(int *x, int *y, double *d)
{
    unsigned long long *bits = (unsigned long long *)d, old = *bits, was;

    do {
        was = old;
        old = atomicCAS(bits, was, __double_as_longlong(__longlong_as_double(was) + 1));
    } while (old != was);
    if (threadIdx.x)
        return;
    if (atomicCAS(&once, 0, 1) == 0) {
        *x = 7;
        __threadfence();
        atomicExch(&once, 2);
    }
    while (atomicAdd(&once, 0) != 2)
        ;
    __threadfence();
    atomicAdd(y, *x);
    if (blockIdx.x == 0)
        x[1] = 9;
    while (atomicCAS(&turn, blockIdx.x, -1) != blockIdx.x)
        ;
    __threadfence();
    x[1] += 1;
    __threadfence();
    atomicExch(&turn, blockIdx.x + 1);
}

int main()
{
    int *d, h[256] = {0};
    double *sum, total;

    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&sum, sizeof(*sum));
    cudaMemset(d, 0, sizeof(h));
    cudaMemset(sum, 0, sizeof(*sum));
    hand_over<<<BLOCKS, THREADS>>>(d, d + 1, d + 2);
    together<<<BLOCKS, THREADS>>>(d + 10);
    within<<<BLOCKS, THREADS>>>(d + 110, d + 111);
    buckets<<<BLOCKS, THREADS>>>(d + 120);
    others<<<BLOCKS, THREADS>>>(d + 130, d + 132, sum);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpy(&total, sum, sizeof(total), cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %d %d\n", h[3], h[10], h[10 + THREADS], h[110], h[111], h[120]);
    printf("%d %d %g %s\n", h[131], h[132], total, cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
