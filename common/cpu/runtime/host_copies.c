/*
 * The runtime calls that copy and set memory. Called by the host only, while no kernel runs. A copy
 * or set that CUDA would refuse changes nothing; what is written to the device is told to the
 * tools, after it is done.
 */
#include <stdint.h>
#include <string.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"
#include "cpu/runtime/host_copies.h"
#include "cpu/runtime/errors.h"

/* What an address can be taken for. Pinned and managed memory is both; so is a variable of the
 * program, which may be the host's or a __device__ one. */
enum side { HOST = 1, DEVICE = 2, BOTH = 3 };

static enum side side_of(uintptr_t address)
{
    if (memory_is_hidden(address))
        return DEVICE;
    return memory_is_device(address) || memory_is_program(address) ? BOTH : HOST;
}

/* A range of a copy: all of it in one allocation, or none of it in device memory. */
static cudaError_t range_allowed(const char *call, uintptr_t start, size_t bytes)
{
    struct allocation *a;

    if (!memory_is_device(start))
        return start ? cudaSuccess : error_say(cudaErrorInvalidValue, "%s: a null pointer", call);
    a = memory_find(start);
    if (!a || a->kind == MEMORY_HEAP || start - a->base >= a->bytes + 4096)
        return error_say(cudaErrorInvalidValue, "%s: no allocation holds the address %#zx", call,
                         (size_t)start);
    if (a->freed)
        return error_say(cudaErrorInvalidValue, "%s: the memory at %#zx was freed", call,
                         (size_t)start);
    if (start - a->base > a->bytes || bytes > a->bytes - (start - a->base))
        return error_say(cudaErrorInvalidValue,
                         "%s: %zu bytes from byte %zu of an allocation that has %zu", call, bytes,
                         (size_t)(start - a->base), a->bytes);
    return cudaSuccess;
}

cudaError_t copy_allowed(const char *call, const void *to, size_t to_bytes, const void *from,
                         size_t from_bytes, enum cudaMemcpyKind kind)
{
    static const struct {
        const char *name;
        enum side to, from;
    } kinds[] = {
        {"cudaMemcpyHostToHost", HOST, HOST},     {"cudaMemcpyHostToDevice", DEVICE, HOST},
        {"cudaMemcpyDeviceToHost", HOST, DEVICE}, {"cudaMemcpyDeviceToDevice", DEVICE, DEVICE},
        {"cudaMemcpyDefault", BOTH, BOTH},
    };
    cudaError_t error;

    if (cpu_failure())
        return error_keep(cpu_failure());
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return error_say(cudaErrorInvalidMemcpyDirection, "%s: there is no kind %d", call,
                         (int)kind);
    if (!to_bytes)
        return cudaSuccess;
    error = range_allowed(call, (uintptr_t)to, to_bytes);
    if (!error)
        error = range_allowed(call, (uintptr_t)from, from_bytes);
    if (error)
        return error;
    if (!(kinds[kind].to & side_of((uintptr_t)to)))
        return error_say(cudaErrorInvalidValue, "%s: the target of %s is %s memory", call,
                         kinds[kind].name, kinds[kind].to == HOST ? "device" : "host");
    if (!(kinds[kind].from & side_of((uintptr_t)from)))
        return error_say(cudaErrorInvalidValue, "%s: the source of %s is %s memory", call,
                         kinds[kind].name, kinds[kind].from == HOST ? "device" : "host");
    return cudaSuccess;
}

cudaError_t set_allowed(const char *call, const void *to, size_t bytes)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!bytes)
        return cudaSuccess;
    if (!(side_of((uintptr_t)to) & DEVICE))
        return error_say(cudaErrorInvalidValue, "%s: %p is no device memory", call, to);
    return range_allowed(call, (uintptr_t)to, bytes);
}

void notify_host_write(const void *to, size_t bytes)
{
    if (bytes && memory_is_device((uintptr_t)to))
        OBSERVE(host_write, (uintptr_t)to, bytes);
}

void copy_waits(const void *to, const void *from)
{
    int owner[] = {cpu_current_device, memory_device((uintptr_t)to),
                   memory_device((uintptr_t)from)};

    for (int i = 0; i < 3; i++)
        if (owner[i] != ALL_DEVICES)
            observe_synchronised(owner[i]);
}

/* --- one range -------------------------------------------------------------------------------- */

static cudaError_t copy(const char *call, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind)
{
    cudaError_t error = copy_allowed(call, to, bytes, from, bytes, kind);

    if (error || !bytes)
        return error;
    memmove(to, from, bytes);
    notify_host_write(to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    copy_waits(to, from);
    return copy("cudaMemcpy", to, from, bytes, kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return copy("cudaMemcpyAsync", to, from, bytes, kind);
}

static cudaError_t copy_peer(const char *call, void *to, int to_device, const void *from,
                             int from_device, size_t bytes)
{
    if (!device_exists(to_device) || !device_exists(from_device))
        return error_say(cudaErrorInvalidDevice, "%s: there is no device %d", call,
                         device_exists(to_device) ? from_device : to_device);
    return copy(call, to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    copy_waits(to, from);
    return copy_peer("cudaMemcpyPeer", to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return copy_peer("cudaMemcpyPeerAsync", to, to_device, from, from_device, bytes);
}

static cudaError_t set(const char *call, void *to, int value, size_t bytes)
{
    cudaError_t error = set_allowed(call, to, bytes);

    if (error || !bytes)
        return error;
    memset(to, value, bytes);
    notify_host_write(to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return set("cudaMemset", to, value, bytes);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return set("cudaMemsetAsync", to, value, bytes);
}
