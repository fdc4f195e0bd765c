// 64 KiB of static shared memory: nvcc's assembler refuses it, the launch here does, by name.
// nvcc: no
// error: big: 65536 bytes of static shared memory
#include <cstdio>

__global__ void big(float *x)
{
    __shared__ float tile[128][128];

    tile[threadIdx.x][0] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[31 - threadIdx.x][0];
}

int main()
{
    float *x;

    cudaMalloc(&x, 128);
    big<<<1, 32>>>(x);
    printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "passed" : "failed");
    return 0;
}
