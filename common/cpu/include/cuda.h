/*
 * The CUDA driver API of the CPU device, for C and C++: the calls that load kernels while a program
 * runs and launch them, with CUDA's names, argument order and error codes. See the CUDA Driver API
 * reference for each call; comments here say only where the CPU device differs. Arrays, textures,
 * graphs and mapped ranges of addresses are the runtime API's alone.
 *
 * A module is a file that ./steps/cuda -cubin, -fatbin or -ptx made, or what NVRTC made: machine
 * code of this processor. It stays loaded until the program ends. PTX and code of a GPU are
 * refused.
 */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__ /* CUDA's own guard, by which samples ask whether it is included */

#include "cuda_driver_types.h"
#include "cuda_runtime.h"
#include "tensor_map_functions.h"

#define CUDA_VERSION 12000

#ifdef __cplusplus
extern "C" {
#endif

/* --- the driver, devices and contexts --- */

CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *version); /* CUDA_VERSION: there is no driver */
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetErrorString(CUresult error, const char **text); /* of the latest one: what it was */
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGetName(char *name, int room, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *text, int room, CUdevice device);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active);
CUresult cpu_context_create(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetFlags(unsigned *flags);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult cuCtxGetCacheConfig(CUfunc_cache *config);
CUresult cuCtxSetCacheConfig(CUfunc_cache config);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);

/* cuCtxCreate(context, flags, device), and with the parameters that CUDA 13 has before flags. */
#define CPU_CONTEXT_OF_4(context, parameters, flags, device)                                       \
    cpu_context_create(context, ((void)(parameters), flags), device)
#define CPU_CONTEXT_OF(a, b, c, d, name, ...) name
#define cuCtxCreate(...)                                                                           \
    CPU_CONTEXT_OF(__VA_ARGS__, CPU_CONTEXT_OF_4, cpu_context_create, , )(__VA_ARGS__)

/* --- modules and functions --- */

CUresult cuModuleLoad(CUmodule *module, const char *file);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values); /* options change nothing */
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name);
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                           void **values, unsigned count, CUlibraryOption *library_options,
                           void **library_values, unsigned library_count);
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *options,
                               void **values, unsigned count, CUlibraryOption *library_options,
                               void **library_values, unsigned library_count);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library,
                            const char *name);
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuFuncGetName(const char **name, CUfunction function);
CUresult cuFuncGetModule(CUmodule *module, CUfunction function);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared);
CUresult cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit);
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                          void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void **arguments);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn call, void *data);

/* --- memory --- */

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes);
CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes);
CUresult cuMemAllocPitch(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                         unsigned element);
CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags);
CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream);
CUresult cuMemFree(CUdeviceptr pointer);
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream);
CUresult cuMemAllocHost(void **pointer, size_t bytes);
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags);
CUresult cuMemFreeHost(void *pointer);
CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *pointer);
CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned flags);
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer);
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr pointer);
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream);
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes);
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy); /* no arrays */
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream);
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                      size_t height);

/* --- streams and events --- */

CUresult cuStreamCreate(CUstream *stream, unsigned flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback call, void *data, unsigned flags);
CUresult cuEventCreate(CUevent *event, unsigned flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventQuery(CUevent event);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

#ifdef __cplusplus
}
#endif
#endif
