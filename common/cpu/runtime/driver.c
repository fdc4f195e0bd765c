/*
 * The driver API: its errors, devices, contexts, streams and events. All that computes or copies is
 * the runtime's. A context is a device: it has no memory or streams of its own. A program that has
 * used the runtime API before has its device's primary context, as on a GPU.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/device_set.h"
#include "cpu/runtime/driver.h"

enum { MOST_CURRENT = 64 };

struct CUctx_st {
    int device;
    bool destroyed;
    unsigned flags, holders; /* of a primary one: by how many it is retained */
};

static bool ready;
static struct CUctx_st primary[MAX_DEVICES];
static _Thread_local CUcontext current[MOST_CURRENT];
static _Thread_local unsigned depth;

/* --- errors ----------------------------------------------------------------------------------- */

static const struct {
    CUresult code;
    const char *name;
} names[] = {
#define E(name)                                                                                    \
    {                                                                                              \
        name, #name                                                                                \
    }
    E(CUDA_SUCCESS),
    E(CUDA_ERROR_INVALID_VALUE),
    E(CUDA_ERROR_OUT_OF_MEMORY),
    E(CUDA_ERROR_NOT_INITIALIZED),
    E(CUDA_ERROR_DEINITIALIZED),
    E(CUDA_ERROR_NO_DEVICE),
    E(CUDA_ERROR_INVALID_DEVICE),
    E(CUDA_ERROR_INVALID_IMAGE),
    E(CUDA_ERROR_INVALID_CONTEXT),
    E(CUDA_ERROR_NO_BINARY_FOR_GPU),
    E(CUDA_ERROR_UNSUPPORTED_LIMIT),
    E(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
    E(CUDA_ERROR_INVALID_PTX),
    E(CUDA_ERROR_FILE_NOT_FOUND),
    E(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND),
    E(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED),
    E(CUDA_ERROR_OPERATING_SYSTEM),
    E(CUDA_ERROR_INVALID_HANDLE),
    E(CUDA_ERROR_ILLEGAL_STATE),
    E(CUDA_ERROR_NOT_FOUND),
    E(CUDA_ERROR_NOT_READY),
    E(CUDA_ERROR_ILLEGAL_ADDRESS),
    E(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
    E(CUDA_ERROR_LAUNCH_TIMEOUT),
    E(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
    E(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
    E(CUDA_ERROR_CONTEXT_IS_DESTROYED),
    E(CUDA_ERROR_ASSERT),
    E(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
    E(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
    E(CUDA_ERROR_HARDWARE_STACK_ERROR),
    E(CUDA_ERROR_ILLEGAL_INSTRUCTION),
    E(CUDA_ERROR_MISALIGNED_ADDRESS),
    E(CUDA_ERROR_INVALID_ADDRESS_SPACE),
    E(CUDA_ERROR_INVALID_PC),
    E(CUDA_ERROR_LAUNCH_FAILED),
    E(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
    E(CUDA_ERROR_INVALID_CLUSTER_SIZE),
    E(CUDA_ERROR_NOT_PERMITTED),
    E(CUDA_ERROR_NOT_SUPPORTED),
    E(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
    E(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
    E(CUDA_ERROR_CAPTURED_EVENT),
    E(CUDA_ERROR_UNKNOWN),
#undef E
};

static const char *name_of(CUresult error)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].code == error)
            return names[i].name;
    return NULL;
}

/* Those that the driver has not are invalid values. */
CUresult driver_error(cudaError_t error)
{
    if (name_of((CUresult)error))
        return (CUresult)error;
    return driver_say(error == cudaErrorInvalidDeviceFunction ? CUDA_ERROR_INVALID_HANDLE
                                                              : CUDA_ERROR_INVALID_VALUE,
                      "%s", cudaGetErrorString(error));
}

CUresult driver_say(CUresult error, const char *format, ...)
{
    cudaError_t last = error_last();
    char line[300];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    error_say((cudaError_t)error, "%s", line);
    error_put_back(last);
    return error;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = name_of(error);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = name_of(error) ? cudaGetErrorString((cudaError_t)error) : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult initialised(const char *call)
{
    if (ready || cpu_runtime_begun)
        return CUDA_SUCCESS;
    return driver_say(CUDA_ERROR_NOT_INITIALIZED, "%s before cuInit", call);
}

static CUresult device_good(const char *call, CUdevice device)
{
    CUresult error = initialised(call);

    if (error || device_exists(device))
        return error;
    return driver_say(CUDA_ERROR_INVALID_DEVICE, "%s: there is no device %d", call, device);
}

CUresult driver_context(const char *call, CUcontext context)
{
    if (!context)
        return driver_say(CUDA_ERROR_INVALID_CONTEXT, "%s with no context", call);
    if (context->destroyed)
        return driver_say(CUDA_ERROR_CONTEXT_IS_DESTROYED, "%s with a context that is destroyed",
                          call);
    return CUDA_SUCCESS;
}

int driver_device(CUcontext context)
{
    return context->device;
}

static CUcontext now(void)
{
    CUcontext own = &primary[cpu_current_device];

    if (depth)
        return current[depth - 1];
    own->device = cpu_current_device;
    return cpu_runtime_begun ? own : NULL;
}

CUresult driver_ready(const char *call)
{
    CUresult error = initialised(call);

    if (error)
        return error;
    if (!now())
        return driver_say(CUDA_ERROR_INVALID_CONTEXT,
                          "%s needs a context: cuCtxCreate makes one current", call);
    return driver_context(call, now());
}

/* --- the driver and its devices --------------------------------------------------------------- */

CUresult cuInit(unsigned flags)
{
    if (flags)
        return driver_say(CUDA_ERROR_INVALID_VALUE, "cuInit with flags %u, which must be 0", flags);
    ready = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult error = device_good(__func__, ordinal);

    if (!error)
        *device = ordinal;
    return error;
}

CUresult cuDeviceGetCount(int *count)
{
    CUresult error = initialised(__func__);

    return error ? error : driver_error(cudaGetDeviceCount(count));
}

CUresult cuDeviceGetName(char *name, int room, CUdevice device)
{
    struct cudaDeviceProp properties;
    CUresult error = device_good(__func__, device);

    if (error)
        return error;
    if (!name || room < 1)
        return driver_say(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetName with room for %d characters",
                          room);
    error = driver_error(cudaGetDeviceProperties(&properties, device));
    snprintf(name, (size_t)room, "%s", properties.name);
    return error;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    CUresult error = device_good(__func__, device);

    if (!error)
        *uuid = (CUuuid){"CPU device    "};
    if (!error)
        uuid->bytes[15] = (char)device;
    return error;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp properties;
    CUresult error = device_good(__func__, device);

    if (!error)
        error = driver_error(cudaGetDeviceProperties(&properties, device));
    if (!error)
        *bytes = properties.totalGlobalMem;
    return error;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    CUresult error = device_good(__func__, device);

    return error ? error
                 : driver_error(
                       cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
    struct cudaDeviceProp p;
    CUresult error = device_good(__func__, device);

    if (!error)
        error = driver_error(cudaGetDeviceProperties(&p, device));
    if (error)
        return error;
    *properties = (CUdevprop){
        .maxThreadsPerBlock = p.maxThreadsPerBlock,
        .sharedMemPerBlock = (int)p.sharedMemPerBlock,
        .totalConstantMemory = (int)p.totalConstMem,
        .SIMDWidth = p.warpSize,
        .memPitch = (int)p.memPitch,
        .regsPerBlock = p.regsPerBlock,
        .clockRate = p.clockRate,
        .textureAlign = (int)p.textureAlignment,
    };
    memcpy(properties->maxThreadsDim, p.maxThreadsDim, sizeof(p.maxThreadsDim));
    memcpy(properties->maxGridSize, p.maxGridSize, sizeof(p.maxGridSize));
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    CUresult error =
        cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);

    return error
               ? error
               : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceGetPCIBusId(char *text, int room, CUdevice device)
{
    CUresult error = device_good(__func__, device);

    return error ? error : driver_error(cudaDeviceGetPCIBusId(text, room, device));
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    CUresult error = device_good(__func__, device);

    return error ? error : driver_error(cudaDeviceCanAccessPeer(can, device, peer));
}

/* --- contexts --------------------------------------------------------------------------------- */

static void select_device(void)
{
    if (depth)
        cpu_current_device = current[depth - 1]->device;
}

static CUresult push(const char *call, CUcontext context)
{
    if (depth == MOST_CURRENT)
        return driver_say(CUDA_ERROR_INVALID_VALUE, "%s: %d contexts are current already", call,
                          MOST_CURRENT);
    current[depth++] = context;
    select_device();
    return CUDA_SUCCESS;
}

CUresult cpu_context_create(CUcontext *context, unsigned flags, CUdevice device)
{
    CUresult error = device_good("cuCtxCreate", device);
    CUcontext c;

    if (error)
        return error;
    if (!context || flags > (CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX))
        return driver_say(CUDA_ERROR_INVALID_VALUE, "cuCtxCreate with flags %u", flags);
    c = calloc(1, sizeof(*c));
    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    c->device = device;
    c->flags = flags;
    error = push("cuCtxCreate", c);
    if (error)
        free(c);
    else
        *context = c;
    return error;
}

/* What it says of itself stays, so that a later use of it is found. */
CUresult cuCtxDestroy(CUcontext context)
{
    CUresult error = initialised(__func__);

    if (!error)
        error = driver_context(__func__, context);
    if (error)
        return error;
    if (context >= primary && context < primary + MAX_DEVICES)
        return driver_say(CUDA_ERROR_INVALID_CONTEXT,
                          "cuCtxDestroy of a primary context: cuDevicePrimaryCtxRelease");
    error = driver_error(cudaDeviceSynchronize());
    context->destroyed = true;
    if (depth && current[depth - 1] == context)
        depth--;
    select_device();
    return error;
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    CUresult error = initialised(__func__);

    if (!error)
        error = driver_context(__func__, context);
    return error ? error : push(__func__, context);
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    DRIVER_READY();
    if (context)
        *context = now();
    depth -= depth > 0;
    select_device();
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    CUresult error = initialised(__func__);

    if (!error && context)
        error = driver_context(__func__, context);
    if (error)
        return error;
    depth -= depth > 0;
    return context ? push(__func__, context) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    CUresult error = initialised(__func__);

    *context = error ? NULL : now();
    return error;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    DRIVER_READY();
    *device = now()->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    DRIVER_READY();
    *flags = now()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    (void)context;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUresult error = device_good(__func__, device);

    if (error)
        return error;
    primary[device].device = device;
    primary[device].holders++;
    *context = &primary[device];
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CUresult error = device_good(__func__, device);

    if (!error && !primary[device].holders)
        return driver_say(CUDA_ERROR_INVALID_CONTEXT,
                          "cuDevicePrimaryCtxRelease of a context that is not retained");
    if (!error)
        primary[device].holders--;
    return error;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    int before = cpu_current_device;
    CUresult error = device_good(__func__, device);

    if (error)
        return error;
    cpu_current_device = device;
    error = driver_error(cudaDeviceReset());
    cpu_current_device = before;
    return error;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    CUresult error = device_good(__func__, device);

    if (!error)
        primary[device].flags = flags;
    return error;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    CUresult error = device_good(__func__, device);

    if (error)
        return error;
    *flags = primary[device].flags;
    *active = primary[device].holders > 0 || cpu_runtime_begun;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    DRIVER_CALL(cudaDeviceSynchronize());
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    DRIVER_CALL(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    DRIVER_CALL(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    DRIVER_CALL(cudaDeviceGetCacheConfig((enum cudaFuncCache *)config));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    DRIVER_CALL(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    DRIVER_CALL(cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)config));
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    DRIVER_CALL(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    DRIVER_CALL(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    CUresult error;

    DRIVER_READY();
    error = driver_context(__func__, peer);
    return error ? error : driver_error(cudaDeviceEnablePeerAccess(peer->device, flags));
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    CUresult error;

    DRIVER_READY();
    error = driver_context(__func__, peer);
    return error ? error : driver_error(cudaDeviceDisablePeerAccess(peer->device));
}

/* --- streams and events ----------------------------------------------------------------------- */

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    DRIVER_CALL(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    DRIVER_CALL(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamDestroy(CUstream stream)
{
    DRIVER_CALL(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
    DRIVER_CALL(cudaStreamSynchronize(stream));
}

CUresult cuStreamQuery(CUstream stream)
{
    DRIVER_CALL(cudaStreamQuery(stream));
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    DRIVER_CALL(cudaStreamGetFlags(stream, flags));
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    DRIVER_CALL(cudaStreamGetPriority(stream, priority));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    DRIVER_CALL(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback call, void *data, unsigned flags)
{
    DRIVER_CALL(
        cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))call, data, flags));
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn call, void *data)
{
    DRIVER_CALL(cudaLaunchHostFunc(stream, call, data));
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    DRIVER_CALL(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy(CUevent event)
{
    DRIVER_CALL(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    DRIVER_CALL(cudaEventRecord(event, stream));
}

CUresult cuEventQuery(CUevent event)
{
    DRIVER_CALL(cudaEventQuery(event));
}

CUresult cuEventSynchronize(CUevent event)
{
    DRIVER_CALL(cudaEventSynchronize(event));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    DRIVER_CALL(cudaEventElapsedTime(milliseconds, start, end));
}

CUresult cuProfilerStart(void)
{
    DRIVER_CALL(cudaProfilerStart());
}

CUresult cuProfilerStop(void)
{
    DRIVER_CALL(cudaProfilerStop());
}
