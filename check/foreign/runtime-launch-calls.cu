// Kernels launched by a call, with and without a cast, templates too; attributes and occupancy.
#include <cooperative_groups.h>
#include <cstdio>

template <typename T, int FACTOR> __global__ void scaled(T *x, int n, T offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = x[i] * FACTOR + offset;
}

__global__ void ones(float *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void neighbours(const float *from, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = from[i];
    cooperative_groups::this_grid().sync();
    if (i == 0)
        to[0] = to[n - 1] + to[n / 2];
}

__global__ void dynamic(float *x)
{
    extern __shared__ float tile[];

    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    int n = 512, grid = 0, block = 0, resident = 0;
    float *x, *y, offset = 0.5f, host[512];
    cudaFuncAttributes attributes;
    cudaLaunchConfig_t config = {};

    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    void *one[] = {&x}, *three[] = {&x, &n, &offset}, *both[] = {&x, &y, &n};

    cudaLaunchKernel((void *)ones, dim3(4), dim3(128), one, 0, 0);
    cudaLaunchKernel((const void *)scaled<float, 3>, 4, 128, three, 0, 0);
    cudaLaunchKernel(scaled<float, 2>, dim3(4), dim3(128), three, 0, 0);
    printf("launched: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaLaunchCooperativeKernel((void *)neighbours, dim3(4), dim3(128), both, 0, 0);
    cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[1]);
    config.gridDim = dim3(1);
    config.blockDim = dim3(128);
    config.dynamicSmemBytes = 128 * sizeof(float);
    cudaLaunchKernelEx(&config, dynamic, y);
    cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[127]);

    cudaFuncGetAttributes(&attributes, dynamic);
    printf("at most %d threads\n", attributes.maxThreadsPerBlock);
    cudaFuncSetCacheConfig(dynamic, cudaFuncCachePreferShared);
    printf("carveout: %s\n",
           cudaGetErrorName(cudaFuncSetAttribute(dynamic,
                                                 cudaFuncAttributePreferredSharedMemoryCarveout,
                                                 cudaSharedmemCarveoutMaxShared)));
    printf("96 KiB: %s\n",
           cudaGetErrorName(cudaFuncSetAttribute((void *)dynamic,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 96 * 1024)));
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, ones, 0, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, ones, 256, 0);
    printf("potential: %d %d, resident: %d\n", block > 0 && block % 32 == 0, grid > 0, resident > 0);
    cudaFree(x);
    cudaFree(y);
    return 0;
}
