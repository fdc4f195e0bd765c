// flags: --check
// status: 1
// error: a shuffle of lane 3 reads lane 19, which has ended; the mask is 0xffffffff
// if (i >= n) return; and then a reduction with the full mask: it reads lanes that have ended.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void sum(int *out, const int *x, int n)
{
    int i = threadIdx.x, v;

    if (i >= n)
        return;
    v = x[i];
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_down_sync(0xffffffffu, v, k);
    if (i == 0)
        *out = v;
}

int main()
{
    int h[32], *x, *out;

    for (int i = 0; i < 32; i++)
        h[i] = 1;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    sum<<<1, 32>>>(out, x, 19);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
