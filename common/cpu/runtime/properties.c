/*
 * The runtime calls about the device as a whole: the one that is modelled, its limits, its memory.
 * Called by the host only. Work is done before a call returns, so there is nothing to wait for.
 */
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/state.h"
#include "cpu/runtime/errors.h"

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return error_keep(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
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
        {cudaDevAttrWarpSize, WARP},
        {cudaDevAttrMaxRegistersPerBlock, 65536},
        {cudaDevAttrClockRate, 1000000}, /* kHz: clock64 counts nanoseconds */
        {cudaDevAttrMultiProcessorCount, MODEL_SMS},
        {cudaDevAttrMemoryClockRate, 0}, /* unknown */
        {cudaDevAttrGlobalMemoryBusWidth, 0},
        {cudaDevAttrL2CacheSize, MODEL_L2},
        {cudaDevAttrMaxThreadsPerMultiProcessor, MODEL_THREADS_PER_SM},
        {cudaDevAttrComputeCapabilityMajor, 9},
        {cudaDevAttrComputeCapabilityMinor, 0},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, MODEL_SHARED_PER_SM},
        {cudaDevAttrCooperativeLaunch, 1},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, MODEL_SHARED_OPTIN},
        {cudaDevAttrMaxBlocksPerMultiprocessor, MODEL_BLOCKS_PER_SM},
    };

    if (device)
        return error_keep(cudaErrorInvalidDevice);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i].attr == attr) {
            *value = values[i].value;
            return cudaSuccess;
        }
    return error_keep(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    if (device)
        return error_keep(cudaErrorInvalidDevice);
    *p = (struct cudaDeviceProp){
        .name = "CPU device",
        .totalGlobalMem = memory_total(),
        .sharedMemPerBlock = MODEL_SHARED_PER_BLOCK,
        .sharedMemPerMultiprocessor = MODEL_SHARED_PER_SM,
        .sharedMemPerBlockOptin = MODEL_SHARED_OPTIN,
        .warpSize = WARP,
        .maxThreadsPerBlock = MAX_THREADS,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {0x7fffffff, 65535, 65535},
        .major = 9,
        .multiProcessorCount = MODEL_SMS,
        .maxThreadsPerMultiProcessor = MODEL_THREADS_PER_SM,
        .maxBlocksPerMultiProcessor = MODEL_BLOCKS_PER_SM,
        .l2CacheSize = MODEL_L2,
        .cooperativeLaunch = 1,
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

cudaError_t cudaDeviceSynchronize(void)
{
    return error_keep(cpu_failure());
}

cudaError_t cudaDeviceReset(void)
{
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    *total_bytes = memory_total();
    *free_bytes = memory_total() - memory_used();
    return cudaSuccess;
}
