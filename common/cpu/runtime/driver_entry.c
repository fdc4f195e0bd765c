/* Calls of the driver API that a program asks for by name, in place of linking the driver. */
#include <string.h>
#include <cuda.h>
#include "cpu/runtime/errors.h"

typedef void call(void);

static const struct {
    const char *name;
    call *at;
} calls[] = {
#define E(name)                                                                                    \
    {                                                                                              \
#name, (call *)name                                                                        \
    }
    {"cuCtxCreate", (call *)cpu_context_create},
    E(cuInit),
    E(cuDriverGetVersion),
    E(cuGetErrorName),
    E(cuGetErrorString),
    E(cuDeviceGet),
    E(cuDeviceGetCount),
    E(cuDeviceGetName),
    E(cuDeviceGetUuid),
    E(cuDeviceTotalMem),
    E(cuDeviceGetAttribute),
    E(cuDeviceGetProperties),
    E(cuDeviceComputeCapability),
    E(cuDeviceGetPCIBusId),
    E(cuDeviceCanAccessPeer),
    E(cuDevicePrimaryCtxRetain),
    E(cuDevicePrimaryCtxRelease),
    E(cuDevicePrimaryCtxReset),
    E(cuDevicePrimaryCtxSetFlags),
    E(cuDevicePrimaryCtxGetState),
    E(cuCtxDestroy),
    E(cuCtxPushCurrent),
    E(cuCtxPopCurrent),
    E(cuCtxSetCurrent),
    E(cuCtxGetCurrent),
    E(cuCtxGetDevice),
    E(cuCtxGetFlags),
    E(cuCtxGetApiVersion),
    E(cuCtxSynchronize),
    E(cuCtxSetLimit),
    E(cuCtxGetLimit),
    E(cuCtxGetCacheConfig),
    E(cuCtxSetCacheConfig),
    E(cuCtxGetSharedMemConfig),
    E(cuCtxSetSharedMemConfig),
    E(cuCtxGetStreamPriorityRange),
    E(cuCtxEnablePeerAccess),
    E(cuCtxDisablePeerAccess),
    E(cuModuleLoad),
    E(cuModuleLoadData),
    E(cuModuleLoadDataEx),
    E(cuModuleLoadFatBinary),
    E(cuModuleUnload),
    E(cuModuleGetFunction),
    E(cuModuleGetGlobal),
    E(cuLibraryLoadData),
    E(cuLibraryLoadFromFile),
    E(cuLibraryUnload),
    E(cuLibraryGetKernel),
    E(cuLibraryGetModule),
    E(cuLibraryGetGlobal),
    E(cuKernelGetFunction),
    E(cuFuncGetName),
    E(cuFuncGetModule),
    E(cuFuncGetAttribute),
    E(cuFuncSetAttribute),
    E(cuFuncSetCacheConfig),
    E(cuFuncSetSharedMemConfig),
    E(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    E(cuOccupancyMaxPotentialBlockSize),
    E(cuLaunchKernel),
    E(cuLaunchKernelEx),
    E(cuLaunchCooperativeKernel),
    E(cuLaunchHostFunc),
    E(cuMemGetInfo),
    E(cuMemAlloc),
    E(cuMemAllocPitch),
    E(cuMemAllocManaged),
    E(cuMemAllocAsync),
    E(cuMemFree),
    E(cuMemFreeAsync),
    E(cuMemAllocHost),
    E(cuMemHostAlloc),
    E(cuMemFreeHost),
    E(cuMemHostRegister),
    E(cuMemHostUnregister),
    E(cuMemHostGetDevicePointer),
    E(cuMemGetAddressRange),
    E(cuPointerGetAttribute),
    E(cuMemPrefetchAsync),
    E(cuMemAdvise),
    E(cuMemcpy),
    E(cuMemcpyAsync),
    E(cuMemcpyHtoD),
    E(cuMemcpyHtoDAsync),
    E(cuMemcpyDtoH),
    E(cuMemcpyDtoHAsync),
    E(cuMemcpyDtoD),
    E(cuMemcpyDtoDAsync),
    E(cuMemcpyPeer),
    E(cuMemcpy2D),
    E(cuMemcpy2DUnaligned),
    E(cuMemcpy2DAsync),
    E(cuMemsetD8),
    E(cuMemsetD16),
    E(cuMemsetD32),
    E(cuMemsetD8Async),
    E(cuMemsetD16Async),
    E(cuMemsetD32Async),
    E(cuMemsetD2D8),
    E(cuStreamCreate),
    E(cuStreamCreateWithPriority),
    E(cuStreamDestroy),
    E(cuStreamSynchronize),
    E(cuStreamQuery),
    E(cuStreamGetFlags),
    E(cuStreamGetPriority),
    E(cuStreamWaitEvent),
    E(cuStreamAddCallback),
    E(cuEventCreate),
    E(cuEventDestroy),
    E(cuEventRecord),
    E(cuEventQuery),
    E(cuEventSynchronize),
    E(cuEventElapsedTime),
    E(cuProfilerStart),
    E(cuProfilerStop),
    E(cuTensorMapEncodeTiled),
    E(cuTensorMapReplaceAddress),
#undef E
};

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **pointer, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    call *at = NULL;

    if (!symbol || !pointer || flags > cudaEnablePerThreadDefaultStream)
        return error_keep(cudaErrorInvalidValue);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (!strcmp(symbol, calls[i].name)) {
            found = version < 12000 ? cudaDriverEntryPointVersionNotSufficent
                                    : cudaDriverEntryPointSuccess;
            at = version < 12000 ? NULL : calls[i].at;
        }
    memcpy(pointer, &at, sizeof(at));
    if (result)
        *result = found;
    return !result && !at ? error_keep(cudaErrorSymbolNotFound) : cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **pointer, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(symbol, pointer, CUDA_VERSION, flags, result);
}
