/*
 * CUDA's arrays: memory of the device in which only textures, surfaces and copies look. Called by
 * the host only. Copies stand in copies_2d.c.
 */
#include <stdlib.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/runtime/arrays.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/queue.h"

unsigned format_channels(const struct cudaChannelFormatDesc *f)
{
    return !f->x ? 0 : !f->y ? 1 : !f->z ? 2 : f->w ? 4 : 0;
}

unsigned format_bytes(const struct cudaChannelFormatDesc *f)
{
    unsigned channels = format_channels(f);

    if (!channels || (f->x != 8 && f->x != 16 && f->x != 32) || (f->y && f->y != f->x) ||
        (f->z && f->z != f->x) || (f->w && f->w != f->x) || (unsigned)f->f > 2 ||
        (f->f == cudaChannelFormatKindFloat && f->x == 8))
        return 0;
    return channels * (unsigned)f->x / 8;
}

/* Is there an allocation that begins where it says that its elements are? */
bool array_exists(cudaArray_const_t array)
{
    const struct allocation *a = array ? memory_find((uintptr_t)array->at) : NULL;

    return a && a->base == (uintptr_t)array->at && !a->freed;
}

static cudaError_t allocate(const char *call, cudaArray_t *array,
                            const struct cudaChannelFormatDesc *format, struct cudaExtent e,
                            unsigned flags)
{
    bool cube = flags & cudaArrayCubemap;
    struct cudaArray *a;
    cudaError_t error;
    size_t bytes;

    if (!array || !format)
        return error_keep(cudaErrorInvalidValue);
    if (!format_bytes(format))
        return error_say(cudaErrorInvalidValue,
                         "%s: no element has channels of %d, %d, %d and %d bits", call, format->x,
                         format->y, format->z, format->w);
    if (!e.width || (cube && (e.width != e.height || e.depth % 6 || !e.depth)))
        return error_say(cudaErrorInvalidValue, "%s: an array of %zu x %zu x %zu elements", call,
                         e.width, e.height, e.depth);
    a = calloc(1, sizeof(*a));
    if (!a)
        return error_keep(cudaErrorMemoryAllocation);
    *a = (struct cudaArray){.format = *format,
                            .extent = e,
                            .flags = flags,
                            .element = format_bytes(format),
                            .width = e.width,
                            .height = e.height ? e.height : 1,
                            .depth = e.depth ? e.depth : 1};
    bytes = a->width * a->height * a->depth * a->element;
    queue_lock(); /* kernels look into the table */
    error = memory_allocate((void **)&a->at, bytes, MEMORY_DEVICE, cpu_current_device);
    queue_unlock();
    if (error) {
        free(a);
        return error_say(error, "%s of %zu bytes", call, bytes);
    }
    *array = a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned flags)
{
    return allocate("cudaMallocArray", array, format, make_cudaExtent(width, height, 0), flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags)
{
    return allocate("cudaMalloc3DArray", array, format, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t error;

    if (!array)
        return cudaSuccess;
    if (!array_exists(array))
        return error_say(cudaErrorInvalidValue, "cudaFreeArray: no array, or one that was freed");
    if (!cpu_failure())
        (void)cudaDeviceSynchronize(); /* as cudaFree */
    queue_lock();
    error = memory_free(array->at, true); /* the rest stays: to tell one that was freed */
    queue_unlock();
    return error_keep(error);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array)
{
    if (!array_exists(array))
        return error_keep(cudaErrorInvalidResourceHandle);
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    if (!format || !array_exists(array))
        return error_keep(cudaErrorInvalidValue);
    *format = array->format;
    return cudaSuccess;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
