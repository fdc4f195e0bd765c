/*
 * Copies and sets of rows with a pitch: 2-D and 3-D. Called by the host only. The rules are those
 * of host_copies.c, for the range from the first byte of the first row to the last byte of the last
 * one.
 */
#include <stdint.h>
#include <string.h>
#include "cpu/runtime/access.h"
#include "cpu/runtime/host_copies.h"
#include "cpu/runtime/errors.h"

/* Rows: `width` bytes each, `height` of them `pitch` bytes apart, in `depth` layers of `rows`. */
struct box {
    char *at;
    size_t pitch, rows;
};

/* Bytes from the first to behind the last of a box; 0: none. SIZE_MAX: more than there are. */
static size_t span(const struct box *b, size_t width, size_t height, size_t depth)
{
    size_t rows = 0;

    if (!width || !height || !depth)
        return 0;
    if (__builtin_mul_overflow(b->rows, depth - 1, &rows) ||
        __builtin_add_overflow(rows, height - 1, &rows) ||
        __builtin_mul_overflow(rows, b->pitch, &rows) || __builtin_add_overflow(rows, width, &rows))
        return SIZE_MAX;
    return rows;
}

static cudaError_t pitch_good(const char *call, size_t pitch, size_t width, size_t height)
{
    if (width > pitch && height > 1)
        return error_say(cudaErrorInvalidPitchValue,
                         "%s: rows of %zu bytes, and a pitch of only %zu", call, width, pitch);
    return cudaSuccess;
}

static char *row(const struct box *b, size_t y, size_t z)
{
    return b->at + (z * b->rows + y) * b->pitch;
}

struct rows {
    struct work work;
    struct box to, from;
    struct cudaExtent extent;
    int value; /* of a set */
};

static bool do_copy(struct work *w)
{
    struct rows *b = (struct rows *)w;

    for (size_t z = 0; z < b->extent.depth; z++)
        for (size_t y = 0; y < b->extent.height; y++) {
            notify_copied(row(&b->to, y, z), row(&b->from, y, z), b->extent.width);
            notify_touched(w, row(&b->from, y, z), b->extent.width, false);
            notify_touched(w, row(&b->to, y, z), b->extent.width, true);
            memmove(row(&b->to, y, z), row(&b->from, y, z), b->extent.width);
        }
    return true;
}

/* waits: it is done when the call returns; with the host's own memory it is in any case. */
static cudaError_t copy_box(const char *call, uintptr_t site, struct box to, struct box from,
                            struct cudaExtent e, enum cudaMemcpyKind kind, cudaStream_t stream,
                            bool waits)
{
    size_t rows = e.height * e.depth;
    struct rows *b;
    bool captured;
    cudaError_t error = pitch_good(call, to.pitch, e.width, rows);

    if (!error)
        error = pitch_good(call, from.pitch, e.width, rows);
    if (!error)
        error = copy_allowed(call, to.at, span(&to, e.width, e.height, e.depth), from.at,
                             span(&from, e.width, e.height, e.depth), kind);
    if (!error)
        error = stream_good(stream);
    if (error || !e.width || !rows)
        return error;
    b = queue_new(sizeof(*b), call, site);
    if (!b)
        return cudaErrorMemoryAllocation;
    captured = stream_of(stream)->capture != NULL;
    waits |= !captured && (is_pageable(to.at) || is_pageable(from.at));
    b->work.begin = do_copy;
    b->to = to;
    b->from = from;
    b->extent = e;
    error = queue_add(&b->work, stream);
    if (!error && waits) {
        stream_wait(stream_of(stream));
        error = stream_error(stream_of(stream));
    }
    return error;
}

static bool do_set(struct work *w)
{
    struct rows *b = (struct rows *)w;

    for (size_t z = 0; z < b->extent.depth; z++)
        for (size_t y = 0; y < b->extent.height; y++) {
            notify_touched(w, row(&b->to, y, z), b->extent.width, true);
            memset(row(&b->to, y, z), b->value, b->extent.width);
        }
    return true;
}

static cudaError_t set_box(const char *call, uintptr_t site, struct box to, int value,
                           struct cudaExtent e, cudaStream_t stream)
{
    cudaError_t error = pitch_good(call, to.pitch, e.width, e.height * e.depth);
    struct rows *b;

    if (!error)
        error = set_allowed(call, to.at, span(&to, e.width, e.height, e.depth));
    if (!error)
        error = stream_good(stream);
    if (error || !e.width)
        return error;
    b = queue_new(sizeof(*b), call, site);
    if (!b)
        return cudaErrorMemoryAllocation;
    b->work.begin = do_set;
    b->to = to;
    b->extent = e;
    b->value = value;
    return queue_add(&b->work, stream);
}

/* --- 2-D -------------------------------------------------------------------------------------- */

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    copy_waits(to, from);
    return copy_box("cudaMemcpy2D", HERE, (struct box){to, to_pitch, 0},
                    (struct box){(char *)(uintptr_t)from, from_pitch, 0},
                    make_cudaExtent(width, height, 1), kind, NULL, true);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy_box("cudaMemcpy2DAsync", HERE, (struct box){to, to_pitch, 0},
                    (struct box){(char *)(uintptr_t)from, from_pitch, 0},
                    make_cudaExtent(width, height, 1), kind, stream, false);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return set_box("cudaMemset2D", HERE, (struct box){to, pitch, 0}, value,
                   make_cudaExtent(width, height, 1), NULL);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return set_box("cudaMemset2DAsync", HERE, (struct box){to, pitch, 0}, value,
                   make_cudaExtent(width, height, 1), stream);
}

/* --- 3-D -------------------------------------------------------------------------------------- */

static struct box box_of(const struct cudaPitchedPtr *p, const struct cudaPos *at)
{
    size_t offset = (at->z * p->ysize + at->y) * p->pitch + at->x;

    return (struct box){(char *)p->ptr + offset, p->pitch, p->ysize};
}

static cudaError_t copy_3d(const char *call, uintptr_t site, const struct cudaMemcpy3DParms *p,
                           cudaStream_t stream, bool waits)
{
    if (!p)
        return error_keep(cudaErrorInvalidValue);
    if (p->srcArray || p->dstArray)
        return error_say(cudaErrorNotSupported, "%s: the CPU device has no CUDA arrays", call);
    if (!p->srcPtr.ptr || !p->dstPtr.ptr)
        return error_say(cudaErrorInvalidValue, "%s: a null pointer", call);
    if (p->extent.depth > 1 &&
        (p->extent.height > p->srcPtr.ysize || p->extent.height > p->dstPtr.ysize))
        return error_say(cudaErrorInvalidValue, "%s: layers of %zu rows, and a ysize of only %zu",
                         call, p->extent.height,
                         p->srcPtr.ysize < p->dstPtr.ysize ? p->srcPtr.ysize : p->dstPtr.ysize);
    return copy_box(call, site, box_of(&p->dstPtr, &p->dstPos), box_of(&p->srcPtr, &p->srcPos),
                    p->extent, p->kind, stream, waits);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    if (p)
        copy_waits(p->dstPtr.ptr, p->srcPtr.ptr);
    return copy_3d("cudaMemcpy3D", HERE, p, NULL, true);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_3d("cudaMemcpy3DAsync", HERE, p, stream, false);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return set_box("cudaMemset3D", HERE, (struct box){to.ptr, to.pitch, to.ysize}, value, extent,
                   NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    return set_box("cudaMemset3DAsync", HERE, (struct box){to.ptr, to.pitch, to.ysize}, value,
                   extent, stream);
}
