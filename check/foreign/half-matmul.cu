// A tiled product of half matrices, summed in float: exact for small integers.
#include <cstdio>
#include <cuda_fp16.h>

const int N = 64, TILE = 16;

__global__ void multiply(half *c, const half *a, const half *b)
{
    __shared__ half sa[TILE][TILE], sb[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (int t = 0; t < N; t += TILE) {
        sa[threadIdx.y][threadIdx.x] = a[row * N + t + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * N + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += __half2float(sa[threadIdx.y][k]) * __half2float(sb[k][threadIdx.x]);
        __syncthreads();
    }
    c[row * N + col] = __float2half(sum);
}

int main()
{
    static half a[N * N], b[N * N], c[N * N];
    half *da, *db, *dc;
    int wrong = 0;

    for (int i = 0; i < N * N; i++) {
        a[i] = i % 7 - 3;
        b[i] = (float)(i % 5 - 2);
    }
    cudaMalloc(&da, sizeof(a));
    cudaMalloc(&db, sizeof(b));
    cudaMalloc(&dc, sizeof(c));
    cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice);
    multiply<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(dc, da, db);
    cudaMemcpy(c, dc, sizeof(c), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;

            for (int k = 0; k < N; k++)
                sum += ((i * N + k) % 7 - 3) * ((k * N + j) % 5 - 2);
            wrong += (float)c[i * N + j] != sum;
        }
    printf("%d of %d wrong\n", wrong, N * N);
    return 0;
}
