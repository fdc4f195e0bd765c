// Findings name the lines of the source and of its header, whatever stands before them.
// flags: --check -Iparts
// status: 1
// error: wrote     language-lines.cuh:13
// error: reads     language-lines.cu:31
// error: wrote     language-lines.cu:30
// error: --check: 3 findings
#include <cstdio>
#include "language-lines.cuh"

#define LAUNCH(kernel, n) \
    kernel \
        <<<1, n>>>

__global__ void race(int *sum, const int *x)
{
    __shared__ int
        local[32],
        last[2];

    local[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x == 31)
        last[1] = 1;
    __syncthreads();
    add_all(sum, &local[threadIdx.x]);
}

template <typename T> __global__ void beyond(T *x, int n = 32)
{
    x[threadIdx.x + n - 31] =
        x[threadIdx.x];
}

int main()
{
    int *d;

    cudaMalloc(&d, 33 * sizeof(int));
    cudaMemset(d, 0, 33 * sizeof(int));
    LAUNCH(race, 32) (d + 32, d);
    beyond<<<
        1,
        32
    >>>(
        d);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
