/*
 * The driver API's memory: the runtime's calls by other names. An address is a number there.
 */
#include <stdint.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/memory.h"
#include "cpu/runtime/driver.h"
#include "cpu/runtime/host_copies.h"

static void *at(CUdeviceptr pointer)
{
    return (void *)(uintptr_t)pointer;
}

/* An allocation, as a call with a pointer to a pointer makes it. */
#define ALLOCATE(POINTER, CALL)                                                                    \
    void *made = NULL;                                                                             \
                                                                                                   \
    if (!(POINTER))                                                                                \
        return driver_say(CUDA_ERROR_INVALID_VALUE, "%s without a place for the pointer",          \
                          __func__);                                                               \
    DRIVER_CALL(into(POINTER, &made, CALL))

static cudaError_t into(CUdeviceptr *pointer, void *const *made, cudaError_t error)
{
    *pointer = (CUdeviceptr)(uintptr_t)*made;
    return error;
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    DRIVER_CALL(cudaMemGetInfo(free_bytes, total_bytes));
}

/* Unlike cudaMalloc the driver gives no memory for no bytes. */
static CUresult some(const char *call, size_t bytes)
{
    return bytes ? CUDA_SUCCESS : driver_say(CUDA_ERROR_INVALID_VALUE, "%s of 0 bytes", call);
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes)
{
    if (some(__func__, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    ALLOCATE(pointer, cudaMalloc(&made, bytes));
}

CUresult cuMemAllocPitch(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                         unsigned element)
{
    if (element != 4 && element != 8 && element != 16)
        return driver_say(CUDA_ERROR_INVALID_VALUE,
                          "cuMemAllocPitch for elements of %u bytes, which must be 4, 8 or 16",
                          element);
    ALLOCATE(pointer, cudaMallocPitch(&made, pitch, width, height));
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags)
{
    if (some(__func__, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    ALLOCATE(pointer, cudaMallocManaged(&made, bytes, flags));
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream)
{
    ALLOCATE(pointer, cudaMallocAsync(&made, bytes, stream));
}

CUresult cuMemFree(CUdeviceptr pointer)
{
    DRIVER_CALL(cudaFree(at(pointer)));
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
    DRIVER_CALL(cudaFreeAsync(at(pointer), stream));
}

CUresult cuMemAllocHost(void **pointer, size_t bytes)
{
    DRIVER_CALL(cudaMallocHost(pointer, bytes));
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    DRIVER_CALL(cudaHostAlloc(pointer, bytes, flags));
}

CUresult cuMemFreeHost(void *pointer)
{
    DRIVER_CALL(cudaFreeHost(pointer));
}

CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    DRIVER_CALL(cudaHostRegister(pointer, bytes, flags));
}

CUresult cuMemHostUnregister(void *pointer)
{
    DRIVER_CALL(cudaHostUnregister(pointer));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned flags)
{
    ALLOCATE(device, cudaHostGetDevicePointer(&made, host, flags));
}

/* --- what is known of an address -------------------------------------------------------------- */

static const struct allocation *allocation_of(CUdeviceptr pointer)
{
    const struct allocation *a = memory_find((uintptr_t)pointer);

    return a && !a->freed && pointer - a->base < a->bytes ? a : NULL;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer)
{
    const struct allocation *a = allocation_of(pointer);

    DRIVER_READY();
    if (!a)
        return driver_say(CUDA_ERROR_NOT_FOUND, "cuMemGetAddressRange: %p is in no allocation",
                          at(pointer));
    if (base)
        *base = a->base;
    if (bytes)
        *bytes = a->bytes;
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    const struct allocation *a = allocation_of(pointer);
    struct cudaPointerAttributes p;
    CUcontext context;

    DRIVER_READY();
    cudaPointerGetAttributes(&p, at(pointer));
    if (!value || p.type == cudaMemoryTypeUnregistered)
        return driver_say(CUDA_ERROR_INVALID_VALUE,
                          "cuPointerGetAttribute: CUDA knows nothing of %p", at(pointer));
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        cuCtxGetCurrent(&context);
        *(CUcontext *)value = context;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(CUmemorytype *)value =
            p.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)value = (CUdeviceptr)(uintptr_t)p.devicePointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)value = p.hostPointer;
        return p.hostPointer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)value = p.type == cudaMemoryTypeManaged;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = p.device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)value = a ? a->base : pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)value = a ? a->bytes : 0;
        return CUDA_SUCCESS;
    }
    return driver_say(CUDA_ERROR_NOT_SUPPORTED, "cuPointerGetAttribute of attribute %d", attribute);
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream)
{
    DRIVER_CALL(cudaMemPrefetchAsync(at(pointer), bytes, device, stream));
}

CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device)
{
    DRIVER_CALL(cudaMemAdvise(at(pointer), bytes, (enum cudaMemoryAdvise)advice, device));
}

/* --- copies ----------------------------------------------------------------------------------- */

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy(at(to), at(from), bytes, cudaMemcpyDefault));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync(at(to), at(from), bytes, cudaMemcpyDefault, stream));
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy(at(to), from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync(at(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy(to, at(from), bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync(to, at(from), bytes, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync(at(to), at(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes)
{
    CUresult error;

    DRIVER_READY();
    error = driver_context(__func__, to_context);
    if (!error)
        error = driver_context(__func__, from_context);
    if (error)
        return error;
    return driver_error(cudaMemcpyPeer(at(to), driver_device(to_context), at(from),
                                       driver_device(from_context), bytes));
}

/* One side of a copy in two dimensions; false: an array, which there is none of. */
static bool side(CUmemorytype type, const void *host, CUdeviceptr device, size_t x, size_t y,
                 size_t pitch, char **first)
{
    *first =
        (char *)(type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : (uintptr_t)device) + y * pitch + x;
    return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE ||
           type == CU_MEMORYTYPE_UNIFIED;
}

static enum cudaMemcpyKind kind_of(const CUDA_MEMCPY2D *c)
{
    if (c->srcMemoryType == CU_MEMORYTYPE_UNIFIED || c->dstMemoryType == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (c->srcMemoryType == CU_MEMORYTYPE_HOST)
        return c->dstMemoryType == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost
                                                      : cudaMemcpyHostToDevice;
    return c->dstMemoryType == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost
                                                  : cudaMemcpyDeviceToDevice;
}

static CUresult copy_2d(const char *call, const CUDA_MEMCPY2D *c, CUstream stream, bool later)
{
    char *to, *from;
    CUresult error = driver_ready(call);

    if (error)
        return error;
    if (!c ||
        !side(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, c->srcPitch,
              &from) ||
        !side(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, c->dstPitch,
              &to))
        return driver_say(CUDA_ERROR_NOT_SUPPORTED, "%s of an array of the driver API", call);
    if (later)
        return driver_error(cudaMemcpy2DAsync(to, c->dstPitch, from, c->srcPitch, c->WidthInBytes,
                                              c->Height, kind_of(c), stream));
    return driver_error(
        cudaMemcpy2D(to, c->dstPitch, from, c->srcPitch, c->WidthInBytes, c->Height, kind_of(c)));
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy)
{
    return copy_2d(__func__, copy, NULL, false);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy)
{
    return copy_2d(__func__, copy, NULL, false);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    return copy_2d(__func__, copy, stream, true);
}

/* --- sets ------------------------------------------------------------------------------------- */

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count)
{
    DRIVER_CALL(set_pattern(__func__, at(to), value, 1, count, NULL));
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count)
{
    DRIVER_CALL(set_pattern(__func__, at(to), value, 2, count, NULL));
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count)
{
    DRIVER_CALL(set_pattern(__func__, at(to), value, 4, count, NULL));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    DRIVER_CALL(set_pattern(__func__, at(to), value, 1, count, stream));
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    DRIVER_CALL(set_pattern(__func__, at(to), value, 2, count, stream));
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
    DRIVER_CALL(set_pattern(__func__, at(to), value, 4, count, stream));
}

CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                      size_t height)
{
    DRIVER_CALL(cudaMemset2D(at(to), pitch, value, width, height));
}
