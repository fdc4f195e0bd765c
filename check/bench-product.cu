/* A product of matrices in tiles, as books have it: what a tool costs, by check/bench. */
#include <stdio.h>
#include <stdlib.h>

enum { TILE = 32 }; /* and SIDE, the rows and columns, which check/cost.py sets */

__global__ void multiply(const float *a, const float *b, float *c)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;

    for (int t = 0; t < SIDE; t += TILE) {
        as[threadIdx.y][threadIdx.x] = a[y * SIDE + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * SIDE + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[y * SIDE + x] = sum;
}

int main()
{
    const int bytes = SIDE * SIDE * sizeof(float);
    float *host = (float *)malloc(bytes), *a, *b, *c;

    for (int i = 0; i < SIDE * SIDE; i++) /* a row of each is 0, 1, 2, 3, ... */
        host[i] = (float)(i % SIDE % 4);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
    multiply<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(a, b, c);
    cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost);
    printf("%g\n", host[1]);
    return host[1] != SIDE * 1.5f; /* the sum of a row, times 1 */
}
