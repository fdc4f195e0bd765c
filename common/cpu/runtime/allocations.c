/*
 * The runtime calls that allocate: device memory, pinned host memory, managed memory, all of it
 * plain memory of the CPU (engine/memory.h). Called by the host only, while no kernel runs. It is
 * the current device's, or the one's whose stream or pool is named.
 */
#include <stdint.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/machine_memory.h"
#include "cpu/engine/memory.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/streams.h"

enum { PITCH = 512 }; /* bytes: a row of cudaMallocPitch begins at a multiple */

/* Of the device's, and of what the machine has at this moment. */
static size_t memory_left(int device)
{
    size_t left = memory_total() - memory_used(device), now = machine_memory_available();

    return now < left ? now : left;
}

static cudaError_t allocate_on(int device, void **pointer, size_t bytes, enum memory_kind kind,
                               const char *call)
{
    cudaError_t error;

    cpu_runtime_begun = true;
    if (cpu_failure())
        return error_keep(cpu_failure());
    queue_lock(); /* kernels look into the table */
    error = memory_allocate(pointer, bytes, kind, device);
    queue_unlock();
    if (error == cudaErrorMemoryAllocation)
        return error_say(error, "%s of %zu bytes, where %zu of %zu are left%s", call, bytes,
                         memory_left(device), memory_total(),
                         memory_left(device) < memory_total() - memory_used(device)
                             ? ", because other programs have the machine's memory"
                             : "");
    return error_keep(error);
}

static cudaError_t allocate(void **pointer, size_t bytes, enum memory_kind kind, const char *call)
{
    return allocate_on(cpu_current_device, pointer, bytes, kind, call);
}

/* The device waits for its work before it frees, so this is a synchronisation too. */
static cudaError_t give_back(void *pointer, bool device, const char *call)
{
    cudaError_t error;
    const struct allocation *a;

    if (pointer)
        device_wait(memory_device((uintptr_t)pointer));
    queue_lock();
    error = memory_free(pointer, device);
    queue_unlock();
    if (!error)
        return error_keep(cpu_failure());
    a = memory_find((uintptr_t)pointer);
    if (a && a->base == (uintptr_t)pointer && a->freed)
        return error_say(error, "%s of memory that was freed already", call);
    return error_say(error, "%s of a pointer that %s did not return", call,
                     device ? "cudaMalloc" : "cudaMallocHost");
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    struct thread *t = cpu_thread();

    if (t) { /* in a kernel it is malloc */
        access_observe(t, pointer, sizeof(*pointer), ACCESS_WRITE, HERE);
        *pointer = cpu_heap_malloc(bytes);
        return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    return allocate(pointer, bytes, MEMORY_DEVICE, "cudaMalloc");
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return allocate_on(stream_device(stream), pointer, bytes, MEMORY_DEVICE, "cudaMallocAsync");
}

cudaError_t cudaFree(void *pointer)
{
    if (cpu_thread()) {
        cpu_heap_free(pointer);
        return cudaSuccess;
    }
    cpu_runtime_begun = true; /* as cudaFree(0) is often meant */
    return give_back(pointer, true, "cudaFree");
}

struct free {
    struct work work;
    void *pointer;
};

static bool do_free(struct work *w)
{
    memory_free(((struct free *)w)->pointer, true);
    return true;
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    const struct allocation *a = memory_find((uintptr_t)pointer);
    struct free *f;

    if (stream_good(stream))
        return cudaGetLastError();
    if (!a || a->base != (uintptr_t)pointer || a->freed || a->kind != MEMORY_DEVICE)
        return give_back(pointer, true, "cudaFreeAsync"); /* which says what is wrong */
    f = queue_new(sizeof(*f), "cudaFreeAsync", HERE);
    if (!f)
        return cudaErrorMemoryAllocation;
    f->work.begin = do_free;
    f->pointer = pointer;
    return queue_add(&f->work, stream);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    size_t bytes = (width + PITCH - 1) / PITCH * PITCH;

    if (!pitch || width > SIZE_MAX - PITCH || (height && bytes > SIZE_MAX / height))
        return error_keep(cudaErrorInvalidValue);
    *pitch = bytes;
    return allocate(pointer, bytes * height, MEMORY_DEVICE, "cudaMallocPitch");
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
    if (!p || (extent.height && extent.depth > SIZE_MAX / extent.height))
        return error_keep(cudaErrorInvalidValue);
    p->xsize = extent.width;
    p->ysize = extent.height;
    return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

/* --- memory that the host may touch too ------------------------------------------------------- */

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return allocate(pointer, bytes, MEMORY_PINNED, "cudaMallocHost");
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    if (flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return error_say(cudaErrorInvalidValue, "cudaHostAlloc has no flags %#x", flags);
    return allocate(pointer, bytes, MEMORY_PINNED, "cudaHostAlloc");
}

cudaError_t cudaFreeHost(void *pointer)
{
    return give_back(pointer, false, "cudaFreeHost");
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    if (!bytes || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return error_say(cudaErrorInvalidValue, "cudaMallocManaged of %zu bytes with flags %#x",
                         bytes, flags);
    return allocate(pointer, bytes, MEMORY_MANAGED, "cudaMallocManaged");
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    cudaError_t error;

    (void)flags;
    queue_lock();
    error = memory_register(pointer, bytes);
    queue_unlock();
    if (error == cudaErrorHostMemoryAlreadyRegistered)
        return error_keep(error);
    return error ? error_say(error, "cudaHostRegister of %zu bytes at %p", bytes, pointer) : error;
}

cudaError_t cudaHostUnregister(void *pointer)
{
    device_wait(ALL_DEVICES);
    return error_keep(memory_unregister(pointer));
}

/* The live allocation that holds the address; NULL: none does. */
static const struct allocation *holding(const void *pointer)
{
    const struct allocation *a = memory_find((uintptr_t)pointer);

    return a && !a->freed && (uintptr_t)pointer - a->base < a->bytes ? a : NULL;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    const struct allocation *a = holding(host);

    if (!device || flags)
        return error_keep(cudaErrorInvalidValue);
    *device = NULL;
    if (!a || (a->kind != MEMORY_PINNED && a->kind != MEMORY_REGISTERED))
        return error_say(cudaErrorInvalidValue,
                         "cudaHostGetDevicePointer of memory that neither cudaHostAlloc nor "
                         "cudaHostRegister made known");
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    const struct allocation *a = holding(host);

    if (!flags || !a || (a->kind != MEMORY_PINNED && a->kind != MEMORY_REGISTERED))
        return error_keep(cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *p, const void *pointer)
{
    const struct allocation *a = holding(pointer);
    bool variable = memory_is_program((uintptr_t)pointer);
    void *same = (void *)(uintptr_t)pointer;

    if (!p)
        return error_keep(cudaErrorInvalidValue);
    memset(p, 0, sizeof(*p));
    p->device = a ? a->device : variable ? cpu_current_device : cudaInvalidDeviceId;
    if (variable || (a && memory_device((uintptr_t)pointer) != ALL_DEVICES)) {
        p->type = cudaMemoryTypeDevice;
        p->devicePointer = same;
    } else if (a) {
        p->type = a->kind == MEMORY_MANAGED ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
        p->devicePointer = p->hostPointer = same;
    } else {
        p->type = cudaMemoryTypeUnregistered;
        p->hostPointer = same;
    }
    return cudaSuccess;
}

/* --- advice: there is only one memory, but what is said of it must be true -------------------- */

/* Managed memory of an allocation, or a variable of the program. */
static cudaError_t managed(const void *pointer, size_t bytes, int device, const char *call)
{
    const struct allocation *a = holding(pointer);

    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!device_exists(device) && device != cudaCpuDeviceId)
        return error_keep(cudaErrorInvalidDevice);
    if (memory_is_program((uintptr_t)pointer))
        return cudaSuccess;
    if (!a || a->kind != MEMORY_MANAGED || bytes > a->bytes - ((uintptr_t)pointer - a->base))
        return error_say(cudaErrorInvalidValue, "%s: the %zu bytes at %p are not managed memory",
                         call, bytes, pointer);
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cudaStream_t stream)
{
    (void)stream;
    return managed(pointer, bytes, device, "cudaMemPrefetchAsync");
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          int device)
{
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return error_keep(cudaErrorInvalidValue);
    return managed(pointer, bytes, device, "cudaMemAdvise");
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                     unsigned flags)
{
    (void)flags;
    return managed(pointer, bytes, stream_device(stream), "cudaStreamAttachMemAsync");
}

/* --- pools: each device has one, which keeps nothing ------------------------------------------ */

struct cpu_mem_pool {
    unsigned long long threshold;
};
static struct cpu_mem_pool pools[MAX_DEVICES];

static bool is_pool(cudaMemPool_t pool)
{
    return pool >= pools && pool < pools + cpu_devices;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    if (!pool)
        return error_keep(cudaErrorInvalidValue);
    if (!device_exists(device))
        return error_keep(cudaErrorInvalidDevice);
    *pool = &pools[device];
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    (void)stream;
    if (!is_pool(pool))
        return error_keep(cudaErrorInvalidValue);
    return allocate_on((int)(pool - pools), pointer, bytes, MEMORY_DEVICE,
                       "cudaMallocFromPoolAsync");
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    if (!is_pool(pool) || !value)
        return error_keep(cudaErrorInvalidValue);
    if (attr == cudaMemPoolAttrReleaseThreshold)
        pool->threshold = *(unsigned long long *)value;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    if (!is_pool(pool) || !value)
        return error_keep(cudaErrorInvalidValue);
    if (attr <= cudaMemPoolReuseAllowInternalDependencies)
        *(int *)value = 1;
    else
        *(unsigned long long *)value = attr == cudaMemPoolAttrReleaseThreshold
                                           ? pool->threshold
                                           : memory_used((int)(pool - pools));
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)keep;
    return error_keep(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}
