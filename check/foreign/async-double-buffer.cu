// flags: --check
// The pipeline primitives: while a block sums one tile the next is on its way.
#include <cuda_pipeline.h>
#include <stdio.h>

#define TILE 128

__global__ void sums(float *out, const float *x, int tiles)
{
    __shared__ __align__(16) float stage[2][TILE];
    int t = threadIdx.x;
    float sum = 0;

    __pipeline_memcpy_async(&stage[0][4 * t], &x[4 * t], 16);
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            __pipeline_memcpy_async(&stage[(i + 1) % 2][4 * t], &x[(i + 1) * TILE + 4 * t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = 0; k < 4; k++)
            sum += stage[i % 2][(t + 32 * k + 1) % TILE]; /* what other threads copied */
        __syncthreads();
    }
    out[t] = sum;
}

int main()
{
    const int tiles = 10, n = tiles * TILE;
    float *x, *out, h[n], r[TILE / 4], most = 0;

    for (int i = 0; i < n; i++)
        h[i] = i % 61;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    sums<<<1, TILE / 4>>>(out, x, tiles);
    cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
    for (int t = 0; t < TILE / 4; t++) {
        float s = 0;

        for (int i = 0; i < tiles; i++)
            for (int k = 0; k < 4; k++)
                s += h[i * TILE + (t + 32 * k + 1) % TILE];
        most = s - r[t] > most ? s - r[t] : most;
    }
    printf("first sum %g, largest difference %g, %s\n", r[0], most,
           cudaGetErrorString(cudaGetLastError()));
    return 0;
}
