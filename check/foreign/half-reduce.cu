// Sums, maxima and counts of halves: shuffles, comparisons, and atomics of one and of two.
#include <cstdio>
#include <cuda_fp16.h>

__global__ void reduce(half *sum, half *most, half2 *both, unsigned *above, const half *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half v = x[i], top = v;
    half2 pair = __halves2half2(v, __hneg(v));

    for (int lanes = 16; lanes > 0; lanes /= 2) {
        v = __hadd(v, __shfl_down_sync(0xffffffff, v, lanes));
        top = __hmax(top, __shfl_xor_sync(0xffffffff, top, lanes));
        pair += __shfl_down_sync(0xffffffff, pair, lanes);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(sum, v);
        atomicAdd(both, pair);
        most[i / 32] = top;
    }
    if (__hgt(x[i], __float2half(2.0f)) && !__hisnan(x[i]))
        atomicAdd(above, 1);
}

int main()
{
    const int n = 256;
    half h[n], *x, *sum, *most, host_sum, host_most[n / 32];
    half2 *both, host_both;
    unsigned *above, host_above;

    for (int i = 0; i < n; i++)
        h[i] = (float)(i % 17) / 4;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&sum, sizeof(half));
    cudaMalloc(&most, sizeof(host_most));
    cudaMalloc(&both, sizeof(half2));
    cudaMalloc(&above, sizeof(unsigned));
    cudaMemset(sum, 0, sizeof(half));
    cudaMemset(both, 0, sizeof(half2));
    cudaMemset(above, 0, sizeof(unsigned));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    void *arguments[] = {&sum, &most, &both, &above, &x};
    cudaLaunchKernel((void *)reduce, dim3(2), dim3(n / 2), arguments, 0, 0);
    cudaMemcpy(&host_sum, sum, sizeof(half), cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_both, both, sizeof(half2), cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_above, above, sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaMemcpy(host_most, most, sizeof(host_most), cudaMemcpyDeviceToHost);
    printf("sum %g, pair %g %g, %u above 2, most %g\n", __half2float(host_sum),
           __low2float(host_both), __high2float(host_both), host_above, (float)host_most[3]);
    return 0;
}
