/*
 * The runtime calls about memory: allocating, copying, setting. Called by the host only, while no
 * kernel runs. A copy or set that CUDA would refuse changes nothing; what is written to the device
 * is told to the tools, after it is done.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"
#include "cpu/runtime/errors.h"

int cpu_malloc(void **pointer, size_t bytes)
{
    return memory_allocate(pointer, bytes);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return error_keep(memory_allocate(pointer, bytes));
}

cudaError_t cudaFree(void *pointer)
{
    return error_keep(memory_free(pointer));
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    *pointer = malloc(bytes);
    return error_keep(*pointer || !bytes ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *pointer)
{
    free(pointer);
    return cudaSuccess;
}

/* A range of a copy: all of it in one allocation, or none of it in device memory. */
static bool range_is_good(uintptr_t start, size_t bytes)
{
    struct allocation *a;

    if (!memory_is_device(start))
        return true;
    a = memory_find(start);
    return a && !a->freed && start - a->base <= a->bytes && bytes <= a->bytes - (start - a->base);
}

/* The copy is said to read or write the device at an address that can only be the host's. */
static bool is_misdirected(const void *to, const void *from, enum cudaMemcpyKind kind)
{
    bool to_device = memory_is_device((uintptr_t)to) ||
                     memory_is_program((uintptr_t)to); /* a __device__ variable */
    bool from_device = memory_is_device((uintptr_t)from) || memory_is_program((uintptr_t)from);

    return ((kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) && !to_device) ||
           ((kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) && !from_device);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    bool to_device = memory_is_device((uintptr_t)to);
    bool from_device = memory_is_device((uintptr_t)from);

    if (cpu_failure())
        return error_keep(cpu_failure());
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return error_keep(cudaErrorInvalidMemcpyDirection);
    if (!bytes)
        return cudaSuccess;
    if ((kind == cudaMemcpyHostToHost && (to_device || from_device)) ||
        (kind == cudaMemcpyDeviceToHost && to_device) ||
        (kind == cudaMemcpyHostToDevice && from_device) || is_misdirected(to, from, kind) ||
        !range_is_good((uintptr_t)to, bytes) || !range_is_good((uintptr_t)from, bytes))
        return error_keep(cudaErrorInvalidValue);
    memmove(to, from, bytes);
    if (to_device)
        OBSERVE(host_write, (uintptr_t)to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!bytes)
        return cudaSuccess;
    if (!memory_is_device((uintptr_t)to) || !range_is_good((uintptr_t)to, bytes))
        return error_keep(cudaErrorInvalidValue);
    memset(to, value, bytes);
    OBSERVE(host_write, (uintptr_t)to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(to, value, bytes);
}
