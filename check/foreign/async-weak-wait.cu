// flags: --check
// status: 1
// error: async-weak-wait.cu:20
// Of two groups the wait lets one be late, and it is that one that is read. In line 18 the copy.
#include <cuda_pipeline.h>
#include <stdio.h>

__global__ void take(int *out, const int *x)
{
    __shared__ int s[2][32];
    int t = threadIdx.x;

    s[0][t] = s[1][t] = -7;
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        int *to = &s[i][t];

        __pipeline_memcpy_async(to, &x[32 * i + t], sizeof(int));
        __pipeline_commit();
    } out[t] = (__pipeline_wait_prior(1), s[0][t] + s[1][t]);
}

int main()
{
    int h[64], r[32], *x, *out;

    for (int i = 0; i < 64; i++)
        h[i] = i;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    take<<<1, 32>>>(out, x);
    cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
    printf("%d %d\n", r[0], r[31]);
    return 0;
}
