// flags: --check
// status: 1
// error: async: read of s[1] of 32 elements in shared memory, where an asynchronous copy may still arrive
// A barrier of the block is no wait for a copy.
#include <cuda_pipeline.h>
#include <stdio.h>

__global__ void reverse(int *out, const int *x)
{
    __shared__ int s[32];
    int t = threadIdx.x;

    s[t] = -1;
    __syncthreads();
    __pipeline_memcpy_async(&s[t], &x[t], sizeof(int));
    __pipeline_commit();
    /* __pipeline_wait_prior(0) is missing */
    __syncthreads();
    if (t == 30)
        out[0] = s[31 - t];
}

int main()
{
    int h[32], r, *x, *out;

    for (int i = 0; i < 32; i++)
        h[i] = i;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    reverse<<<1, 32>>>(out, x);
    cudaMemcpy(&r, out, sizeof(r), cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    return 0;
}
