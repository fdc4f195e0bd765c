/*
 * What a device is: the one that is modelled. Called by the host only. Every number stands in one
 * table, by its attribute; what the device has not is 0, but for its multiprocessors,
 * which the environment may tell. Devices differ in their PCI bus alone.
 */
#include <string.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/grid_launch.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/state.h"
#include "cpu/runtime/errors.h"

static const struct {
    enum cudaDeviceAttr attr;
    int value;
} values[] = {
    {cudaDevAttrMaxThreadsPerBlock, MAX_THREADS},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7fffffff},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, MODEL_SHARED_PER_BLOCK},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, WARP},
    {cudaDevAttrMaxPitch, 0x7fffffff},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrClockRate, 1000000}, /* kHz: clock64 counts nanoseconds */
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 0},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrMemoryClockRate, 0}, /* unknown */
    {cudaDevAttrGlobalMemoryBusWidth, 0},
    {cudaDevAttrL2CacheSize, MODEL_L2},
    {cudaDevAttrMaxThreadsPerMultiProcessor, MODEL_THREADS_PER_SM},
    {cudaDevAttrAsyncEngineCount, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, MODEL_SHARED_PER_SM},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrMultiGpuBoardGroupID, 0},
    {cudaDevAttrHostNativeAtomicSupported, 1},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrPageableMemoryAccess, 0}, /* a kernel must not touch the host's own memory */
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 0},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, MODEL_SHARED_OPTIN},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
    {cudaDevAttrDirectManagedMemAccessFromHost, 0},
    {cudaDevAttrMaxBlocksPerMultiprocessor, MODEL_BLOCKS_PER_SM},
    {cudaDevAttrMaxPersistingL2CacheSize, 0},
    {cudaDevAttrMaxAccessPolicyWindowSize, 0},
    {cudaDevAttrReservedSharedMemoryPerBlock, MODEL_SHARED_RESERVED},
    {cudaDevAttrHostRegisterReadOnlySupported, 0},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
    {cudaDevAttrClusterLaunch, 1},
    {cudaDevAttrIpcEventSupport, 0},
};

/* Of an attribute of the table; 0 for one that is not in it. */
static int value_of(enum cudaDeviceAttr attr)
{
    if (attr == cudaDevAttrMultiProcessorCount)
        return (int)launch_sms();
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i].attr == attr)
            return values[i].value;
    return 0;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    if (!device_exists(device))
        return error_keep(cudaErrorInvalidDevice);
    if (!value || attr < 1 || attr > 150)
        return error_keep(cudaErrorInvalidValue);
    *value = attr == cudaDevAttrPciBusId ? device : value_of(attr);
    return cudaSuccess;
}

#define V(name) value_of(cudaDevAttr##name)

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    if (!device_exists(device))
        return error_keep(cudaErrorInvalidDevice);
    if (!p)
        return error_keep(cudaErrorInvalidValue);
    *p = (struct cudaDeviceProp){
        .name = "CPU device",
        .totalGlobalMem = memory_total(),
        .sharedMemPerBlock = (size_t)V(MaxSharedMemoryPerBlock),
        .regsPerBlock = V(MaxRegistersPerBlock),
        .warpSize = V(WarpSize),
        .memPitch = (size_t)V(MaxPitch),
        .maxThreadsPerBlock = V(MaxThreadsPerBlock),
        .maxThreadsDim = {V(MaxBlockDimX), V(MaxBlockDimY), V(MaxBlockDimZ)},
        .maxGridSize = {V(MaxGridDimX), V(MaxGridDimY), V(MaxGridDimZ)},
        .clockRate = V(ClockRate),
        .totalConstMem = (size_t)V(TotalConstantMemory),
        .major = V(ComputeCapabilityMajor),
        .minor = V(ComputeCapabilityMinor),
        .textureAlignment = (size_t)V(TextureAlignment),
        .texturePitchAlignment = (size_t)V(TexturePitchAlignment),
        .surfaceAlignment = (size_t)V(SurfaceAlignment),
        .deviceOverlap = V(GpuOverlap),
        .multiProcessorCount = V(MultiProcessorCount),
        .kernelExecTimeoutEnabled = V(KernelExecTimeout),
        .integrated = V(Integrated),
        .canMapHostMemory = V(CanMapHostMemory),
        .computeMode = V(ComputeMode),
        .concurrentKernels = V(ConcurrentKernels),
        .ECCEnabled = V(EccEnabled),
        .asyncEngineCount = V(AsyncEngineCount),
        .unifiedAddressing = V(UnifiedAddressing),
        .memoryClockRate = V(MemoryClockRate),
        .memoryBusWidth = V(GlobalMemoryBusWidth),
        .l2CacheSize = V(L2CacheSize),
        .maxThreadsPerMultiProcessor = V(MaxThreadsPerMultiProcessor),
        .streamPrioritiesSupported = V(StreamPrioritiesSupported),
        .globalL1CacheSupported = V(GlobalL1CacheSupported),
        .localL1CacheSupported = V(LocalL1CacheSupported),
        .sharedMemPerMultiprocessor = (size_t)V(MaxSharedMemoryPerMultiprocessor),
        .regsPerMultiprocessor = V(MaxRegistersPerMultiprocessor),
        .managedMemory = V(ManagedMemory),
        .hostNativeAtomicSupported = V(HostNativeAtomicSupported),
        .singleToDoublePrecisionPerfRatio = V(SingleToDoublePrecisionPerfRatio),
        .pageableMemoryAccess = V(PageableMemoryAccess),
        .concurrentManagedAccess = V(ConcurrentManagedAccess),
        .computePreemptionSupported = V(ComputePreemptionSupported),
        .canUseHostPointerForRegisteredMem = V(CanUseHostPointerForRegisteredMem),
        .cooperativeLaunch = V(CooperativeLaunch),
        .sharedMemPerBlockOptin = (size_t)V(MaxSharedMemoryPerBlockOptin),
        .maxBlocksPerMultiProcessor = V(MaxBlocksPerMultiprocessor),
        .reservedSharedMemPerBlock = (size_t)V(ReservedSharedMemoryPerBlock),
        .hostRegisterSupported = V(HostRegisterSupported),
        .memoryPoolsSupported = V(MemoryPoolsSupported),
        .pciBusID = device,
    };
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    if (total_bytes)
        *total_bytes = memory_total();
    if (free_bytes)
        *free_bytes = memory_total() - memory_used(cpu_current_device);
    return cudaSuccess;
}
