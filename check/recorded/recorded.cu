/* Launches whose steps check/cases/recorded.py knows: argv[1] says which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cooperative_groups.h>

__global__ void exchange(int *out, const int *x)
{
    __shared__ int s[64];
    int t = threadIdx.x, y;

    s[STRIDE * t % 64] = x[t];
    __syncthreads();
    y = s[t];
    if (t % 2)
        y += x[64 + t];
    y = __shfl_down_sync(~0u, y, 1);
    if (t < 3)
        atomicAdd(&out[0], y);
}

__global__ void race(int *out, const int *x)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    s[t] = x[t];
    out[t] = s[t ^ 32]; /* no barrier between */
}

__global__ void deadlock(int *out, const int *x)
{
    if (threadIdx.x < 32)
        while (!((volatile int *)out)[0])
            ;
    out[1] = x[0];
}

__global__ void outside(int *out, const int *x)
{
    out[threadIdx.x + 127] = x[threadIdx.x];
}

__global__ void rounds(int *out, const int *x)
{
    int sum = 0;

    for (int i = 0; i < 5000; i++)
        sum += ((volatile const int *)x)[i % 128];
    out[threadIdx.x] = sum;
}

__global__ void apart(int *out, const int *x)
{
    int t = threadIdx.x, sum = 0;

    for (int i = 0; i <= t % 3; i++) {
        int y = x[t + i];

        if (y % 2)
            sum += x[64 + i];
    }
    out[t] = sum;
}

/* Each block gives its numbers to the other one of its cluster, and reads what it was given. */
__global__ void __cluster_dims__(2, 1, 1) cluster(int *out, const int *x)
{
    __shared__ int s[64];
    cooperative_groups::cluster_group both = cooperative_groups::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    int *other = both.map_shared_rank(s, both.block_rank() ^ 1);

    both.sync();
    other[t + 1] = x[i];
    both.sync();
    out[i] = s[t + 1];
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int h[128], *x, *out;

    for (int i = 0; i < 128; i++)
        h[i] = i;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(h));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(h));
    if (!strcmp(what, "exchange"))
        exchange<<<1, 64>>>(out, x);
    if (!strcmp(what, "race"))
        race<<<1, 64>>>(out, x);
    if (!strcmp(what, "deadlock"))
        deadlock<<<1, 64>>>(out, x);
    if (!strcmp(what, "outside"))
        outside<<<1, 32>>>(out, x);
    if (!strcmp(what, "rounds"))
        rounds<<<1, 32>>>(out, x);
    if (!strcmp(what, "apart"))
        apart<<<1, 32>>>(out, x);
    if (!strcmp(what, "cluster"))
        cluster<<<2, 32>>>(out, x);
    if (!strcmp(what, "large"))
        race<<<5, 64>>>(out, x);
    if (cudaDeviceSynchronize() != cudaSuccess)
        printf("failed\n");
    puts("end");
    return 0;
}
