// flags: --counters
// error: one, blocks: nvcc may add up a warp's integer atomics on one address first
// error: many: of atomics to many sectors a GPU counts up to 2 % more sectors
// error: blocks: of shared atomics a GPU counts up to 3 % more wavefronts, each time another number
// error: wide: of wide stores in conflict a GPU counts up to 6 % more wavefronts
// In what a GPU's counters may differ is named beside them, for the kernels that do such things:
// `floats` and `none` do not.
#include <cstdio>

__global__ void one(int *sum)
{
    atomicAdd(sum, 1);
}

__global__ void many(int *sums)
{
    atomicAdd(&sums[threadIdx.x * 37 % 1024], 1);
}

__global__ void blocks(int *sum, const int *x)
{
    __shared__ int bins[8];

    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[x[threadIdx.x] % 8], 1);
    __syncthreads();
    atomicAdd(sum, bins[0]);
}

__global__ void wide(double *out)
{
    __shared__ double d[32 * 32];

    d[threadIdx.x * 32] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x * 32];
}

__global__ void floats(float *sum)
{
    atomicAdd(sum, 1.0f);
}

__global__ void none(int *x)
{
    __shared__ int part[64];

    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = part[63 - threadIdx.x];
}

int main()
{
    int *x;

    cudaMallocManaged(&x, 4096 * sizeof(int));
    for (int i = 0; i < 4096; i++)
        x[i] = i;
    one<<<2, 64>>>(x);
    many<<<1, 64>>>(x + 1024);
    blocks<<<1, 64>>>(x, x + 2048);
    wide<<<1, 32>>>((double *)x);
    floats<<<1, 32>>>((float *)x);
    none<<<1, 64>>>(x);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
