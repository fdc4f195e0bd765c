/*
 * Copies and sets of rows with a pitch: 2-D and 3-D. Called by the host only. The rules are those
 * of host_copies.c, for the range from the first byte of the first row to the last byte of the last
 * one.
 */
#include <stdint.h>
#include <string.h>
#include "cpu/runtime/access.h"
#include "cpu/runtime/arrays.h"
#include "cpu/runtime/host_copies.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/graphs.h"

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
    unsigned value, element; /* of a set: of elements of so many bytes, 1, 2 or 4 */
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
    b->work.copies = true;
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

static void set_row(char *at, size_t bytes, unsigned value, unsigned element)
{
    if (element == 1)
        memset(at, (int)value, bytes);
    else
        for (size_t i = 0; i < bytes; i += element)
            memcpy(at + i, &value, element); /* the value's low bytes come first */
}

static bool do_set(struct work *w)
{
    struct rows *b = (struct rows *)w;

    for (size_t z = 0; z < b->extent.depth; z++)
        for (size_t y = 0; y < b->extent.height; y++) {
            notify_touched(w, row(&b->to, y, z), b->extent.width, true);
            set_row(row(&b->to, y, z), b->extent.width, b->value, b->element);
        }
    return true;
}

static cudaError_t set_elements(const char *call, uintptr_t site, struct box to, unsigned value,
                                unsigned element, struct cudaExtent e, cudaStream_t stream)
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
    b->element = element;
    return queue_add(&b->work, stream);
}

static cudaError_t set_box(const char *call, uintptr_t site, struct box to, int value,
                           struct cudaExtent e, cudaStream_t stream)
{
    return set_elements(call, site, to, (unsigned)value, 1, e, stream);
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

/* --- arrays ----------------------------------------------------------------------------------- */

/* From byte x of row y of layer z on. */
static struct box box_in(cudaArray_const_t a, size_t x, size_t y, size_t z)
{
    size_t pitch = a->width * a->element;

    return (struct box){a->at + (z * a->height + y) * pitch + x, pitch, a->height};
}

/* Are the bytes, rows and layers from (x, y, z) on all in the array? */
static cudaError_t in_array(const char *call, cudaArray_const_t a, struct cudaPos at,
                            struct cudaExtent e)
{
    size_t row;

    if (!array_exists(a))
        return error_say(cudaErrorInvalidValue, "%s: no array, or one that was freed", call);
    row = a->width * a->element;
    if (at.x > row || e.width > row - at.x || at.y > a->height || e.height > a->height - at.y ||
        at.z > a->depth || e.depth > a->depth - at.z)
        return error_say(cudaErrorInvalidValue,
                         "%s: %zu bytes of %zu rows of %zu layers, from (%zu, %zu, %zu) on, in an "
                         "array that has %zu of %zu of %zu",
                         call, e.width, e.height, e.depth, at.x, at.y, at.z, row, a->height,
                         a->depth);
    return cudaSuccess;
}

/* With an array on one side or both: all lengths of x are in elements but those of a pointer. */
static cudaError_t copy_arrays(const char *call, uintptr_t site, const struct cudaMemcpy3DParms *p,
                               cudaStream_t stream, bool waits)
{
    cudaArray_const_t of = p->srcArray ? p->srcArray : p->dstArray;
    struct cudaPos from = p->srcPos, to = p->dstPos;
    struct cudaExtent e = p->extent;
    cudaError_t error = cudaSuccess;

    if ((!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr))
        return error_say(cudaErrorInvalidValue, "%s: neither an array nor a pointer", call);
    if (!array_exists(of))
        return error_say(cudaErrorInvalidValue, "%s: no array, or one that was freed", call);
    e.width *= of->element;
    if (p->srcArray) {
        from.x *= of->element;
        error = in_array(call, p->srcArray, from, e);
    }
    if (!error && p->dstArray) {
        to.x *= p->srcArray && array_exists(p->dstArray) ? p->dstArray->element : of->element;
        error = in_array(call, p->dstArray, to, e);
    }
    if (error)
        return error;
    return copy_box(
        call, site, p->dstArray ? box_in(p->dstArray, to.x, to.y, to.z) : box_of(&p->dstPtr, &to),
        p->srcArray ? box_in(p->srcArray, from.x, from.y, from.z) : box_of(&p->srcPtr, &from), e,
        p->kind, stream, waits);
}

/* Rows of bytes between an array and memory, or another array; waits as in copy_box. */
static cudaError_t copy_rows(const char *call, uintptr_t site, cudaArray_const_t to, size_t to_x,
                             size_t to_y, struct box to_rows, cudaArray_const_t from, size_t from_x,
                             size_t from_y, struct box from_rows, struct cudaExtent e,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    cudaError_t error = cudaSuccess;

    if (!to_rows.at)
        error = in_array(call, to, make_cudaPos(to_x, to_y, 0), e);
    if (!error && !from_rows.at)
        error = in_array(call, from, make_cudaPos(from_x, from_y, 0), e);
    if (error)
        return error;
    return copy_box(call, site, to_rows.at ? to_rows : box_in(to, to_x, to_y, 0),
                    from_rows.at ? from_rows : box_in(from, from_x, from_y, 0), e, kind, stream,
                    waits);
}

static const struct box no_rows;

static cudaError_t to_array(const char *call, uintptr_t site, cudaArray_t to, size_t x, size_t y,
                            const void *from, size_t pitch, struct cudaExtent e,
                            enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    if (!from)
        return error_say(cudaErrorInvalidValue, "%s: a null pointer", call);
    return copy_rows(call, site, to, x, y, no_rows, NULL, 0, 0,
                     (struct box){(char *)(uintptr_t)from, pitch, 0}, e, kind, stream, waits);
}

static cudaError_t from_array(const char *call, uintptr_t site, void *to, size_t pitch,
                              cudaArray_const_t from, size_t x, size_t y, struct cudaExtent e,
                              enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    if (!to)
        return error_say(cudaErrorInvalidValue, "%s: a null pointer", call);
    return copy_rows(call, site, NULL, 0, 0, (struct box){to, pitch, 0}, from, x, y, no_rows, e,
                     kind, stream, waits);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    copy_waits(from, from);
    return to_array("cudaMemcpy2DToArray", HERE, to, x, y, from, pitch,
                    make_cudaExtent(width, height, 1), kind, NULL, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return to_array("cudaMemcpy2DToArrayAsync", HERE, to, x, y, from, pitch,
                    make_cudaExtent(width, height, 1), kind, stream, false);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    copy_waits(to, to);
    return from_array("cudaMemcpy2DFromArray", HERE, to, pitch, from, x, y,
                      make_cudaExtent(width, height, 1), kind, NULL, true);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return from_array("cudaMemcpy2DFromArrayAsync", HERE, to, pitch, from, x, y,
                      make_cudaExtent(width, height, 1), kind, stream, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    copy_waits(NULL, NULL);
    return copy_rows("cudaMemcpy2DArrayToArray", HERE, to, to_x, to_y, no_rows, from, from_x,
                     from_y, no_rows, make_cudaExtent(width, height, 1), kind, NULL, true);
}

/* So many bytes from there on, row behind row: the array's rows stand without gaps. What begins in
 * the middle of a row and goes on in the next one is one long row. */
static cudaError_t range_of(const char *call, cudaArray_const_t a, size_t x, size_t y, size_t bytes,
                            char **at)
{
    size_t all, before;

    if (!array_exists(a))
        return error_say(cudaErrorInvalidValue, "%s: no array, or one that was freed", call);
    all = a->width * a->element * a->height;
    before = y * a->width * a->element + x;
    if (before > all || bytes > all - before)
        return error_say(cudaErrorInvalidValue,
                         "%s: %zu bytes from byte %zu of an array that has "
                         "%zu",
                         call, bytes, before, all);
    *at = a->at + before;
    return cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    char *at = NULL;
    cudaError_t error = range_of("cudaMemcpyToArray", to, x, y, bytes, &at);

    return error ? error : cudaMemcpy(at, from, bytes, kind);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    char *at = NULL;
    cudaError_t error = range_of("cudaMemcpyFromArray", from, x, y, bytes, &at);

    return error ? error : cudaMemcpy(to, at, bytes, kind);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    char *at = NULL;
    cudaError_t error = range_of("cudaMemcpyToArrayAsync", to, x, y, bytes, &at);

    return error ? error : cudaMemcpyAsync(at, from, bytes, kind, stream);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    char *at = NULL;
    cudaError_t error = range_of("cudaMemcpyFromArrayAsync", from, x, y, bytes, &at);

    return error ? error : cudaMemcpyAsync(to, at, bytes, kind, stream);
}

/* --- 3-D, of pointers or arrays --------------------------------------------------------------- */

static cudaError_t copy_3d(const char *call, uintptr_t site, const struct cudaMemcpy3DParms *p,
                           cudaStream_t stream, bool waits)
{
    if (!p)
        return error_keep(cudaErrorInvalidValue);
    if (p->srcArray || p->dstArray)
        return copy_arrays(call, site, p, stream, waits);
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

/* --- nodes of graphs -------------------------------------------------------------------------- */

static cudaError_t set_node(const char *call, uintptr_t site, const cudaMemsetParams *p,
                            cudaStream_t entry)
{
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return error_keep(cudaErrorInvalidValue);
    return set_elements(
        call, site, (struct box){p->dst, p->height > 1 ? p->pitch : p->width * p->elementSize, 0},
        p->value, p->elementSize, make_cudaExtent(p->width * p->elementSize, p->height, 1), entry);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *needed, size_t count,
                                   const cudaMemsetParams *p)
{
    cudaStream_t entry;
    cudaError_t error = graph_node_begin(graph, needed, count, &entry);

    return graph_node_end(node, error ? error : set_node("cudaGraphAddMemsetNode", HERE, p, entry));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams *p)
{
    cudaStream_t entry;
    cudaError_t error = graph_change_begin(exec, node, &entry);

    return graph_change_end(error ? error
                                  : set_node("cudaGraphExecMemsetNodeSetParams", HERE, p, entry));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *needed, size_t count,
                                   const struct cudaMemcpy3DParms *p)
{
    cudaStream_t entry;
    cudaError_t error = graph_node_begin(graph, needed, count, &entry);

    return graph_node_end(node,
                          error ? error : copy_3d("cudaGraphAddMemcpyNode", HERE, p, entry, false));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *p)
{
    cudaStream_t entry;
    cudaError_t error = graph_change_begin(exec, node, &entry);

    return graph_change_end(
        error ? error : copy_3d("cudaGraphExecMemcpyNodeSetParams", HERE, p, entry, false));
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
