// An atomic of one's own, made of compare-and-swap: its first read is plain, and is no mistake.
// flags: --check
#include <cstdio>

__device__ float max_of(float *place, float value)
{
    int *bits = (int *)place, old = *bits, assumed;

    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}

__global__ void largest(float *result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        max_of(result, i * 37 % 101);
}

int main()
{
    float *result, largest_of_all;

    cudaMalloc(&result, sizeof(float));
    cudaMemset(result, 0, sizeof(float));
    largest<<<8, 128>>>(result, 1000);
    cudaMemcpy(&largest_of_all, result, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", largest_of_all);
    return cudaFree(result);
}
