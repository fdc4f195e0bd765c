/*
 * The runtime calls about devices: choosing one, where there is only number 0, its settings, and
 * waiting for it. Called by the host only. Work is done before a call returns, so there is nothing
 * to wait for. What a setting cannot change here is remembered, so that it can be asked for.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/heap.h"

static cudaError_t device_good(int device)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    return device == 0 ? cudaSuccess
                       : error_say(cudaErrorInvalidDevice, "there is only device 0, no %d", device);
}

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
    return device_good(device);
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return device_good(device);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    for (int i = 0; i < count; i++)
        if (device_good(devices[i]))
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    if (!device || !wanted)
        return error_keep(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

static unsigned device_flags = cudaDeviceMapHost;

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    if (flags & ~(unsigned)cudaDeviceMask)
        return error_keep(cudaErrorInvalidValue);
    device_flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    *flags = device_flags;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    observe_synchronised();
    return error_keep(cpu_failure());
}

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaDeviceReset(void)
{
    observe_synchronised();
    memory_free_all();
    return cudaSuccess;
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

/* --- limits and preferences ------------------------------------------------------------------- */

static size_t limits[] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = (size_t)1 << 20,
    [cudaLimitMallocHeapSize] = HEAP_LIMIT,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
    [cudaLimitPersistingL2CacheSize] = 0,
};

static bool is_limit(enum cudaLimit limit)
{
    return limit >= 0 && (size_t)limit < sizeof(limits) / sizeof(limits[0]);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t error = device_good(0);

    if (error)
        return error;
    if (!is_limit(limit))
        return error_keep(cudaErrorUnsupportedLimit);
    limits[limit] = value;
    if (limit == cudaLimitMallocHeapSize)
        heap_set_limit(value);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!value)
        return error_keep(cudaErrorInvalidValue);
    if (!is_limit(limit))
        return error_keep(cudaErrorUnsupportedLimit);
    *value = limits[limit];
    return cudaSuccess;
}

static enum cudaFuncCache cache_config = cudaFuncCachePreferNone;

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cache_config = config;
    return error_keep(cpu_failure());
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = cache_config;
    return cudaSuccess;
}

/* Banks have 4 bytes since compute capability 5.0, whatever is asked for. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    (void)config;
    return error_keep(cpu_failure());
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return error_keep(cpu_failure());
}

/* --- other devices, of which there are none --------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (device || peer)
        return error_keep(cudaErrorInvalidDevice);
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    return error_say(cudaErrorInvalidDevice, "device 0 has no peer %d", peer);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return error_say(cudaErrorInvalidDevice, "device 0 has no peer %d", peer);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int from, int to)
{
    (void)value, (void)attr, (void)from, (void)to;
    return error_say(cudaErrorInvalidDevice, "there are no two devices");
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int room, int device)
{
    if (device)
        return error_keep(cudaErrorInvalidDevice);
    if (!text || room < 13)
        return error_keep(cudaErrorInvalidValue);
    snprintf(text, (size_t)room, "0000:00:00.0");
    return cudaSuccess;
}

/* --- the profiler: counters are switched on elsewhere (cpu_device.h) -------------------------- */

cudaError_t cudaProfilerStart(void)
{
    return error_keep(cpu_failure());
}

cudaError_t cudaProfilerStop(void)
{
    return error_keep(cpu_failure());
}
