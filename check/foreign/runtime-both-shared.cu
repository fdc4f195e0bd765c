// Dynamic and static shared memory together: 48 KiB, unless the kernel's attribute allows more.
// error: both<8208> is launched with 32768 bytes of dynamic shared memory and declares 32832
#include <cstdio>

template <int N> __global__ void both(float *x)
{
    extern __shared__ float dynamic[];
    __shared__ float tile[N];

    dynamic[threadIdx.x] = tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = dynamic[31 - threadIdx.x] + tile[threadIdx.x];
}

int main()
{
    float *x;

    cudaMalloc(&x, 128);
    cudaMemset(x, 0, 128);
    both<8192><<<1, 32, 16 * 1024>>>(x);
    printf("48 KiB: %s\n", cudaDeviceSynchronize() == cudaSuccess ? "passed" : "failed");
    cudaFuncSetAttribute(both<8200>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    both<8200><<<1, 32, 64 * 1024>>>(x);
    printf("96 KiB: %s\n", cudaDeviceSynchronize() == cudaSuccess ? "passed" : "failed");
    both<8208><<<1, 32, 32 * 1024>>>(x);
    bool good = cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
    printf("64 KiB: %s\n", good ? "passed" : "failed");
    cudaFree(x);
    return 0;
}
