// What a device query prints, and that properties and attributes agree.
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>

#define AGREE(member, attribute)                                                                   \
    cudaDeviceGetAttribute(&value, cudaDevAttr##attribute, 0);                                     \
    if ((long long)p.member != value)                                                              \
        printf("%s: %lld, not %d\n", #member, (long long)p.member, value)

int main()
{
    cudaDeviceProp p;
    int count = 0, value = 0, driver = -1, runtime = -1;
    size_t left = 0, total = 0;

    cudaGetDeviceCount(&count);
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess || count < 1)
        return 1;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaMemGetInfo(&left, &total);
    printf("warps of %d, blocks of %d (%d x %d x %d)\n", p.warpSize, p.maxThreadsPerBlock,
           p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    printf("grids of %d x %d x %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("%d KiB constant, %d registers\n", (int)(p.totalConstMem >> 10), p.regsPerBlock);
    printf("named: %d, versions: %d, memory: %d\n", p.name[0] != 0, driver >= 0 && runtime >= 0,
           left <= total && total <= p.totalGlobalMem);
    AGREE(multiProcessorCount, MultiProcessorCount);
    AGREE(sharedMemPerBlock, MaxSharedMemoryPerBlock);
    AGREE(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
    AGREE(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
    AGREE(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
    AGREE(l2CacheSize, L2CacheSize);
    AGREE(memoryBusWidth, GlobalMemoryBusWidth);
    AGREE(major, ComputeCapabilityMajor);
    AGREE(concurrentKernels, ConcurrentKernels);
    AGREE(asyncEngineCount, AsyncEngineCount);
    AGREE(canMapHostMemory, CanMapHostMemory);
    AGREE(managedMemory, ManagedMemory);
    AGREE(cooperativeLaunch, CooperativeLaunch);
    AGREE(unifiedAddressing, UnifiedAddressing);
    cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0);
    printf("a clock: %d\n", value > 0);
    cudaProfilerStart();
    cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
    cudaProfilerStop();
    printf("%s\n", cudaGetErrorString(cudaDeviceReset()));
    return 0;
}
