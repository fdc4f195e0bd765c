// flags: --check
// status: 1
// error: race: one thread reads what another writes
// Each thread waits for its own copy, but behind the barrier: who reads another's has none between.
#include <cuda_pipeline.h>
#include <stdio.h>

__global__ void rotate(int *out, const int *x)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    __pipeline_memcpy_async(&s[t], &x[t], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    out[t] = s[(t + 63) % 64];
}

int main()
{
    int h[64], *x, *out;

    for (int i = 0; i < 64; i++)
        h[i] = i;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(h));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    rotate<<<1, 64>>>(out, x);
    cudaDeviceSynchronize();
    printf("done\n");
    return 0;
}
