// flags: --check
// Copies of 4, 8 and 16 bytes of which the end is filled with zeros, so that a row's end needs no if.
#include <cuda_pipeline.h>
#include <stdio.h>

__global__ void rows(int *out, const int *x, int n)
{
    __shared__ __align__(16) int s[64];
    int t = threadIdx.x, left = n - 4 * t, have = left > 4 ? 4 : left > 0 ? left : 0;

    __pipeline_memcpy_async(&s[4 * t], &x[have ? 4 * t : 0], 16, 16 - 4 * have);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = t; i < 64; i += blockDim.x)
        out[i] = s[i];
    __syncthreads();
    __pipeline_memcpy_async(&s[t], &x[t], 4, 4 * (t % 2));
    __pipeline_memcpy_async(&s[32 + 2 * t], &x[2 * t], 8, t % 3 == 0 ? 4 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[64 + t] = s[t];
    out[80 + t] = s[32 + 2 * t] * 1000 + s[33 + 2 * t];
}

int main()
{
    int h[64], r[96], *x, *out, bad = 0;

    for (int i = 0; i < 64; i++)
        h[i] = i + 1;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    rows<<<1, 16>>>(out, x, 37);
    cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        bad += r[i] != (i < 37 ? i + 1 : 0);
    for (int t = 0; t < 16; t++) {
        bad += r[64 + t] != (t % 2 ? 0 : t + 1);
        bad += r[80 + t] != (2 * t + 1) * 1000 + (t % 3 == 0 ? 0 : 2 * t + 2);
    }
    printf("%d %d %d %d: %d wrong\n", r[35], r[36], r[37], r[84], bad);
    return 0;
}
