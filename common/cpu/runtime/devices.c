/*
 * The runtime calls about devices: choosing one, its settings, its peers, and waiting for it.
 * Called by the host only. What a setting cannot change here is remembered, so that it can be asked
 * for.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/children.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/heap.h"
#include "cpu/runtime/streams.h"

static cudaError_t device_good(int device)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (device_exists(device))
        return cudaSuccess;
    if (cpu_devices == 1)
        return error_say(cudaErrorInvalidDevice, "there is only device 0, no %d", device);
    return error_say(cudaErrorInvalidDevice, "there are devices 0 to %d, no %d", cpu_devices - 1,
                     device);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = cpu_devices;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = cpu_current_device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = device_good(device);

    cpu_runtime_begun = true;
    if (!error)
        cpu_current_device = device;
    return error;
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

static unsigned flags_of[MAX_DEVICES];

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    if (flags & ~(unsigned)cudaDeviceMask)
        return error_keep(cudaErrorInvalidValue);
    flags_of[cpu_current_device] = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    *flags = flags_of[cpu_current_device] | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    if (cpu_thread())
        return children_wait(cpu_thread());
    cudaError_t error = cudaSuccess;

    device_wait(cpu_current_device);
    for (struct CUstream_st *s = streams_first(); s; s = s->next)
        if (s->device == cpu_current_device && s->error)
            error = stream_error(s);
    return cpu_failure() ? error_keep(cpu_failure()) : error;
}

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaDeviceReset(void)
{
    device_wait(cpu_current_device);
    memory_free_all(cpu_current_device);
    device_forget_peers(cpu_current_device);
    return cudaSuccess;
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

/* --- limits and preferences ------------------------------------------------------------------- */

enum { LIMITS = cudaLimitPersistingL2CacheSize + 1 };

static const size_t first_limits[LIMITS] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = (size_t)1 << 20,
    [cudaLimitMallocHeapSize] = HEAP_LIMIT,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
    [cudaLimitPersistingL2CacheSize] = 0,
};
static struct limit {
    bool set;
    size_t value;
} limits[MAX_DEVICES][LIMITS];

static bool is_limit(enum cudaLimit limit)
{
    return limit >= 0 && limit < (enum cudaLimit)LIMITS;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!is_limit(limit))
        return error_keep(cudaErrorUnsupportedLimit);
    limits[cpu_current_device][limit] = (struct limit){true, value};
    if (limit == cudaLimitMallocHeapSize)
        heap_set_limit(cpu_current_device, value);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    const struct limit *l = limits[cpu_current_device];

    if (!value)
        return error_keep(cudaErrorInvalidValue);
    if (!is_limit(limit))
        return error_keep(cudaErrorUnsupportedLimit);
    *value = l[limit].set ? l[limit].value : first_limits[limit];
    return cudaSuccess;
}

static enum cudaFuncCache cache_config[MAX_DEVICES]; /* cudaFuncCachePreferNone is 0 */

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cache_config[cpu_current_device] = config;
    return error_keep(cpu_failure());
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = cache_config[cpu_current_device];
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

/* --- peers: each device may be every other's -------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can)
        return error_keep(cudaErrorInvalidValue);
    if (!device_exists(device) || !device_exists(peer))
        return error_keep(cudaErrorInvalidDevice);
    *can = device != peer;
    return cudaSuccess;
}

/* A device that exists and is not the current one. */
static cudaError_t peer_good(int peer)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!device_exists(peer) || peer == cpu_current_device)
        return error_say(cudaErrorInvalidDevice, "device %d has no peer %d", cpu_current_device,
                         peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    cudaError_t error;

    if (!cpu_failure() && peer == cpu_current_device)
        return error_say(cudaErrorPeerAccessUnsupported, "device %d is no peer of itself", peer);
    error = peer_good(peer);
    if (error)
        return error;
    if (flags)
        return error_say(cudaErrorInvalidValue, "cudaDeviceEnablePeerAccess has no flags %#x",
                         flags);
    if (!device_set_peer(cpu_current_device, peer, true))
        return error_say(cudaErrorPeerAccessAlreadyEnabled, "from device %d to device %d",
                         cpu_current_device, peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    cudaError_t error = peer_good(peer);

    if (error)
        return error;
    if (!device_set_peer(cpu_current_device, peer, false))
        return error_say(cudaErrorPeerAccessNotEnabled, "from device %d to device %d",
                         cpu_current_device, peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int from, int to)
{
    if (!value || attr < cudaDevP2PAttrPerformanceRank ||
        attr > cudaDevP2PAttrCudaArrayAccessSupported)
        return error_keep(cudaErrorInvalidValue);
    if (!device_exists(from) || !device_exists(to) || from == to)
        return error_say(cudaErrorInvalidDevice, "devices %d and %d are no two devices", from, to);
    *value = attr == cudaDevP2PAttrAccessSupported || attr == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int room, int device)
{
    if (!device_exists(device))
        return error_keep(cudaErrorInvalidDevice);
    if (!text || room < 13)
        return error_keep(cudaErrorInvalidValue);
    snprintf(text, (size_t)room, "0000:%02x:00.0", device);
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
