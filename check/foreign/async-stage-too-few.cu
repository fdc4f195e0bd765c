// flags: --check
// status: 1
// error: async: write of s[0][0] of 2 x 32 elements in shared memory
// error: async-stage-too-few.cu:19
// Three stages are on their way and there is room for two: a copy goes where another may still go.
#include <cuda_pipeline.h>
#include <stdio.h>

__global__ void sums(int *out, const int *x)
{
    __shared__ int s[2][32];
    int t = threadIdx.x, sum = 0;

    for (int i = 0, next = 0; i < 6; i++) {
        for (; next < 6 && next < i + 3; next++) {
            int *to = &s[next % 2][t];
            const int *from = &x[32 * next + t];

            __pipeline_memcpy_async(to, from, sizeof(int));
            __pipeline_commit();
        }
        __pipeline_wait_prior(next - i - 1);
        sum += s[i % 2][t];
    }
    out[t] = sum;
}

int main()
{
    int h[192], *x, *out;

    for (int i = 0; i < 192; i++)
        h[i] = i;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    sums<<<1, 32>>>(out, x);
    cudaDeviceSynchronize();
    printf("done\n");
    return 0;
}
