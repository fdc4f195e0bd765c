// Device code in headers: a .cuh file with kernels, shared memory, a template and a launch.
// flags: parts/language-largest.cu -Iparts
#include "language-sums.cuh"

__global__ void start(float *x, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = scaled(i);
}

int main()
{
    const int n = 200;
    float *x, *sums;

    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc(&sums, 4 * sizeof(float)));
    start<<<1, 64>>>(x, n);
    CHECK(cudaGetLastError());
    printf("%g\n", sum<128>(sums, x, n));
    printf("%g\n", sum<64>(sums, x, 10));
    printf("%g\n", largest(x, n));
    return 0;
}
