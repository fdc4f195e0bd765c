// Lanes of a warp that go together, as older programs count on it: a sum through volatile with no
// barrier, also where only some lanes take part, in a loop, and in global memory; and what lanes
// print, one call after the other.
#include <cstdio>

template <int threads>
__device__ void sum_of_warp(volatile int *part, int t)
{
    if (threads >= 64)
        part[t] += part[t + 32];
    part[t] += part[t + 16];
    part[t] += part[t + 8];
    part[t] += part[t + 4];
    part[t] += part[t + 2];
    part[t] += part[t + 1];
}

__global__ void reduce(const int *x, int *sums)
{
    __shared__ int part[128];
    int t = threadIdx.x;

    part[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t < 64)
        part[t] += part[t + 64];
    __syncthreads();
    if (t < 32)
        sum_of_warp<128>(part, t);
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

// The lanes that have nothing more to add leave.
__global__ void reduce_leaving(int *sums)
{
    __shared__ volatile int part[32];
    int t = threadIdx.x;

    part[t] = t + 1;
    for (int half = 16; half > 0; half /= 2)
        if (t < half)
            part[t] += part[t + half];
    if (t == 0)
        sums[0] = part[0];
}

// Lanes go different ways, and are together again behind them.
__global__ void scan(volatile int *x)
{
    int t = threadIdx.x;

    for (int far = 1; far < 32; far *= 2)
        if (t >= far)
            x[t] += x[t - far];
}

// The same in each round of another loop: who is done with the inner loop waits for the others.
__global__ void sum_rows(const int *x, int *sums)
{
    __shared__ volatile int part[32];
    int t = threadIdx.x;

    for (int row = 0; row < 8; row++) {
        part[t] = x[32 * row + t];
        for (int half = 16; half > 0; half /= 2)
            if (t < half)
                part[t] += part[t + half];
        if (t == 0)
            sums[row] = part[0];
    }
}

// In each round twice as many lanes take part.
__global__ void spread(volatile int *x)
{
    int t = threadIdx.x;

    for (int lanes = 1; lanes < 32; lanes *= 2)
        if (t < lanes)
            x[t + lanes] = x[t];
}

// Two ways within a third one.
__global__ void sort(volatile int *x)
{
    int t = threadIdx.x;

    for (int size = 2; size <= 32; size *= 2)
        for (int far = size / 2; far > 0; far /= 2) {
            int other = t ^ far;

            if (other > t) {
                int a = x[t], b = x[other];

                if ((t & size) == 0) {
                    if (a > b) {
                        x[t] = b;
                        x[other] = a;
                    }
                } else if (a < b) {
                    x[t] = b;
                    x[other] = a;
                }
            }
        }
}

__device__ void print_lanes(int round)
{
    if (threadIdx.x <= round)
        printf("round %d of lane %d\n", round, threadIdx.x);
}

__global__ void print_later()
{
    int round = 0;

    while (round < 4) {
        print_lanes(round++);
        if (threadIdx.x == 1)
            continue;
        if (round == 3)
            printf("third of lane %d\n", threadIdx.x);
    }
}

__global__ void print()
{
    int t = threadIdx.x;

    if (t == 0)
        printf("lanes:  ");
    printf("%2d ", t);
    if (t == 0)
        printf("\n");
    if (t % 2)
        printf("odd %d\n", t);
    else
        printf("even %d\n", t);
    for (int i = 0; i < 2; i++)
        printf("round %d of lane %d\n", i, t);
    printf("end of lane %d\n", t);
}

int main()
{
    int *x, *sums, host[256], got[32];

    for (int i = 0; i < 256; i++)
        host[i] = i * i;
    cudaMalloc(&x, sizeof(host));
    cudaMalloc(&sums, sizeof(got));
    cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
    reduce<<<2, 128>>>(x, sums);
    cudaMemcpy(got, sums, 2 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("sums %d %d\n", got[0], got[1]);
    reduce_leaving<<<1, 32>>>(sums);
    cudaMemcpy(got, sums, sizeof(int), cudaMemcpyDeviceToHost);
    printf("sum %d\n", got[0]);
    for (int i = 0; i < 32; i++)
        host[i] = 1;
    cudaMemcpy(x, host, 32 * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<1, 32>>>(x);
    cudaMemcpy(got, x, sizeof(got), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        printf("%d ", got[i]);
    printf("\n");
    for (int i = 0; i < 256; i++)
        host[i] = i % 7 + i / 32 + 3;
    cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
    sum_rows<<<1, 32>>>(x, sums);
    cudaMemcpy(got, sums, 8 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++)
        printf("%d ", got[i]);
    spread<<<1, 32>>>(x);
    cudaMemcpy(got, x, sizeof(got), cudaMemcpyDeviceToHost);
    printf("\n%d %d %d\n", got[1], got[16], got[31]);
    for (int i = 0; i < 32; i++)
        host[i] = i * 13 % 32;
    cudaMemcpy(x, host, 32 * sizeof(int), cudaMemcpyHostToDevice);
    sort<<<1, 32>>>(x);
    cudaMemcpy(got, x, sizeof(got), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        printf("%d ", got[i]);
    printf("\n");
    fflush(stdout);
    print<<<1, 6>>>();
    cudaDeviceSynchronize();
    print_later<<<1, 4>>>();
    return cudaDeviceSynchronize();
}
