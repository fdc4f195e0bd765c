/*
 * The calls about streams: to make one, to wait for it, and functions of the host in it.
 */
#include <stdlib.h>
#include "cpu/abi.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/observer.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/graphs.h"
#include "cpu/runtime/streams.h"

enum { LEAST = 0, GREATEST = -5 }; /* priorities */

/* Copies may go into a stream of another device, launches not. */
int cpu_stream_takes_launch(const void *stream)
{
    if (cpu_thread())
        return cudaSuccess; /* a kernel's own */
    cudaStream_t s = (cudaStream_t)(uintptr_t)stream;
    cudaError_t error = stream_good(s);

    if (!error && stream_device(s) != cpu_current_device)
        return error_say(cudaErrorInvalidResourceHandle,
                         "a launch on device %d into a stream of device %d (cudaSetDevice)",
                         cpu_current_device, stream_device(s));
    return error;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    struct CUstream_st *s;

    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!stream || flags > cudaStreamNonBlocking)
        return error_keep(cudaErrorInvalidValue);
    s = stream_make(cpu_current_device, flags,
                    priority > LEAST      ? LEAST
                    : priority < GREATEST ? GREATEST
                                          : priority);
    if (!s)
        return error_keep(cudaErrorMemoryAllocation);
    *stream = s;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    struct thread *t = cpu_thread();

    if (t) { /* a kernel's, of which there is one: its launches run in order in any case */
        access_observe(t, stream, sizeof(*stream), ACCESS_WRITE, HERE);
        *stream = cudaStreamFireAndForget;
        return cudaSuccess;
    }
    return cudaStreamCreateWithPriority(stream, flags, LEAST);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, LEAST);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error;

    if (cpu_thread())
        return cudaSuccess;
    error = stream_good(stream);
    if (!error && !stream_is_own(stream))
        return error_say(cudaErrorInvalidResourceHandle, "the default stream cannot be destroyed");
    if (!error) /* what is queued is still done */
        stream->destroyed = true;
    return error;
}

/* --- waiting ---------------------------------------------------------------------------------- */

struct awaited {
    const struct CUstream_st *stream;
    uint64_t number;
};

static bool has_ended(const void *of)
{
    const struct awaited *a = of;

    return a->stream->done >= a->number;
}

/* What it has been given until now. Under the lock. */
static void await(struct CUstream_st *s)
{
    struct awaited a = {s, s->queued};

    queue_wait(has_ended, &a);
    queue_host_knows(s->after);
}

static bool shares_order(const struct CUstream_st *s, const struct CUstream_st *other)
{
    return other == s || (stream_is_legacy(s) && other->device == s->device &&
                          !(other->flags & cudaStreamNonBlocking));
}

void stream_wait(struct CUstream_st *s)
{
    queue_lock();
    for (struct CUstream_st *other = streams_first(); other; other = other->next)
        if (shares_order(s, other))
            await(other);
    queue_unlock();
}

void device_wait(int device)
{
    queue_lock();
    for (struct CUstream_st *s = streams_first(); s; s = s->next)
        if (device == ALL_DEVICES || s->device == device)
            await(s);
    queue_unlock();
}

cudaError_t stream_error(struct CUstream_st *s)
{
    cudaError_t error = s->error;

    s->error = cudaSuccess;
    return cpu_failure() || !error ? error_keep(cpu_failure()) : error_say(error, "%s", s->line);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = stream_good(stream);

    if (!error && stream_of(stream)->capture)
        return capture_spoilt(stream_of(stream), "cudaStreamSynchronize");
    if (error)
        return error;
    stream_wait(stream_of(stream));
    return stream_error(stream_of(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    struct CUstream_st *s;
    cudaError_t error = stream_good(stream);
    bool ended = true;

    if (error)
        return error;
    s = stream_of(stream);
    if (s->capture)
        return capture_spoilt(s, "cudaStreamQuery");
    queue_run();
    queue_lock();
    for (struct CUstream_st *other = streams_first(); other; other = other->next)
        if (shares_order(s, other)) {
            ended &= other->done == other->queued;
            if (other->done == other->queued)
                queue_host_knows(other->after);
        }
    queue_unlock();
    return ended ? stream_error(s) : error_keep(cudaErrorNotReady);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    cudaError_t error = stream_good(stream);

    if (!error)
        *flags = stream_is_own(stream) ? stream->flags : cudaStreamDefault;
    return error;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    cudaError_t error = stream_good(stream);

    if (!error)
        *priority = stream_is_own(stream) ? stream->priority : LEAST;
    return error;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                   const cudaStreamAttrValue *value)
{
    cudaError_t error = stream_good(stream);

    if (!error && !value)
        return error_keep(cudaErrorInvalidValue);
    if (!error && attr == cudaStreamAttributePriority && stream_is_own(stream))
        stream->priority = value->priority;
    return error;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LEAST;
    if (greatest)
        *greatest = GREATEST;
    return cudaSuccess;
}

/* --- functions of the host -------------------------------------------------------------------- */

struct function {
    struct work work;
    cudaHostFn_t call;
    cudaStreamCallback_t callback;
    void *data;
};

static bool call_function(struct work *w)
{
    struct function *f = (struct function *)w;

    queue_host_knows(w->after); /* it runs behind what the stream has done */
    queue_unlock();             /* it may wait for a thread that wants it */
    if (f->callback)
        f->callback(w->stream, cudaSuccess, f->data);
    else
        f->call(f->data);
    queue_lock();
    return true;
}

static cudaError_t add_function(cudaStream_t stream, struct function function, const char *call,
                                uintptr_t site)
{
    cudaError_t error = stream_good(stream);
    struct function *f;

    if (error)
        return error;
    if (!function.call && !function.callback)
        return error_keep(cudaErrorInvalidValue);
    f = queue_new(sizeof(*f), call, site);
    if (!f)
        return cudaErrorMemoryAllocation;
    f->work.begin = call_function;
    f->call = function.call;
    f->callback = function.callback;
    f->data = function.data;
    return queue_add(&f->work, stream);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void *data,
                                  unsigned flags)
{
    if (flags && !stream_good(stream))
        return error_keep(cudaErrorInvalidValue);
    return add_function(stream, (struct function){.callback = call, .data = data},
                        "cudaStreamAddCallback", HERE);
}

static cudaError_t add_host_node(const cudaHostNodeParams *p, const char *call, uintptr_t site,
                                 cudaStream_t entry)
{
    return p ? add_function(entry, (struct function){.call = p->fn, .data = p->userData}, call,
                            site)
             : error_keep(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *needed, size_t count,
                                 const cudaHostNodeParams *p)
{
    cudaStream_t entry;
    cudaError_t error = graph_node_begin(graph, needed, count, &entry);

    return graph_node_end(node,
                          error ? error : add_host_node(p, "cudaGraphAddHostNode", HERE, entry));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams *p)
{
    cudaStream_t entry;
    cudaError_t error = graph_change_begin(exec, node, &entry);

    return graph_change_end(
        error ? error : add_host_node(p, "cudaGraphExecHostNodeSetParams", HERE, entry));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *data)
{
    return add_function(stream, (struct function){.call = call, .data = data}, "cudaLaunchHostFunc",
                        HERE);
}
