// flags: --estimate
// error: Estimated for NVIDIA H200 from counters, not measured: kernels alone, without copies
// error: 1 columns 
// error: with stores of whole sectors
// error: 5 one_word 
// error: with atomics on different lines
// error: 7 waits
// error: and for words that others write
// error: program: 9 launches,
// Pairs of kernels: what the first of each has too much of, the second has not. A change that is
// estimated of the first must bring what the second takes; check/cases/cuda_cpu compares them.
#include <cstdio>

const int rounds = 64, blocks = 264, threads = 256, elements = blocks * threads;

__global__ void columns(float *y, const float *x)
{
    int row = blockIdx.x * threads + threadIdx.x;

    for (int i = 0; i < rounds; i++)
        y[row * rounds + i] = 2 * x[row * rounds + i];
}

__global__ void rows(float *y, const float *x)
{
    int at = blockIdx.x * threads + threadIdx.x;

    for (int i = 0; i < rounds; i++)
        y[i * elements + at] = 2 * x[i * elements + at];
}

__global__ void one_bank(int *y)
{
    __shared__ int part[32 * threads];
    int t = threadIdx.x, sum = 0;

    for (int i = 0; i < 32; i++)
        part[32 * t + i] = i + t;
    for (int i = 0; i < 32; i++)
        sum += part[32 * t + i];
    y[blockIdx.x * threads + t] = sum;
}

__global__ void all_banks(int *y)
{
    __shared__ int part[32 * threads];
    int t = threadIdx.x, sum = 0;

    for (int i = 0; i < 32; i++)
        part[threads * i + t] = i + t;
    for (int i = 0; i < 32; i++)
        sum += part[threads * i + t];
    y[blockIdx.x * threads + t] = sum;
}

__global__ void one_word(float *total)
{
    atomicAdd(total, 1.0f);
}

__global__ void a_word_each(float *total)
{
    atomicAdd(&total[blockIdx.x * threads + threadIdx.x], 1.0f);
}

__global__ void waits(volatile int *flag, int *seen)
{
    if (blockIdx.x == 0) {
        while (!flag[0])
            ;
        *seen = 1;
    } else {
        flag[0] = 1;
    }
}

int main()
{
    float *x, *y;
    int *seen;

    cudaMallocManaged(&x, elements * rounds * sizeof(float));
    cudaMallocManaged(&y, elements * rounds * sizeof(float));
    cudaMallocManaged(&seen, 2 * sizeof(int));
    columns<<<blocks, threads>>>(y, x);
    columns<<<blocks, threads>>>(y, x);
    rows<<<blocks, threads>>>(y, x);
    one_bank<<<blocks, threads>>>((int *)y);
    all_banks<<<blocks, threads>>>((int *)y);
    one_word<<<blocks, threads>>>(x);
    a_word_each<<<blocks, threads>>>(y);
    waits<<<2, 1>>>(seen, seen + 1);
    rows<<<blocks, threads>>>(y, x);
    cudaDeviceSynchronize();
    printf("%g %d\n", x[0], seen[1]);
    return 0;
}
