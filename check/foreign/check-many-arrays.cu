// flags: --check
// Thousands of arrays, each used from its first byte to its last, and static shared memory of all that a block may
// have beside the most dynamic: nothing is wrong.
#include <cuda_runtime.h>
#include <stdio.h>

enum { ARRAYS = 3000 };

__global__ void all(unsigned char *x, size_t n, int *sum)
{
    for (size_t i = threadIdx.x; i < n; i += 32)
        x[i] = (unsigned char)i;
    __syncthreads();
    if (threadIdx.x == 0)
        *sum += x[n - 1];
}

__global__ void shared(int *sum, int words)
{
    __shared__ int a[1000], b[3][1000];
    __shared__ double c[1000];
    __shared__ char d[24 * 1024 + 1];
    extern __shared__ int e[];

    for (int i = threadIdx.x; i < words; i += 32)
        e[i] = 1;
    for (int i = threadIdx.x; i < 1000; i += 32)
        a[i] = b[0][i] = b[2][i] = 1, c[i] = 1;
    for (int i = threadIdx.x; i < (int)sizeof(d); i += 32)
        d[i] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        *sum += a[999] + b[2][999] + (int)c[999] + d[sizeof(d) - 1] + e[0] + e[words - 1];
}

int main()
{
    const int dynamic = 227 * 1024 - (24 * 1000 + 24 * 1024 + 16);
    int *sum, h = 0;

    cudaMalloc(&sum, sizeof(h));
    cudaMemset(sum, 0, sizeof(h));
    for (int i = 1; i <= ARRAYS; i++) {
        unsigned char *x;

        cudaMalloc(&x, i);
        all<<<1, 32>>>(x, i, sum);
        if (i % 2)
            cudaFree(x);
    }
    cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic);
    shared<<<1, 32, dynamic>>>(sum, dynamic / 4);
    cudaMemcpy(&h, sum, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %s\n", h, cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
