/*
 * Streams. Everything is done when a call returns, so work is in order by itself: a stream is a
 * name with flags, on the device that was current when it was made; each device has a default
 * stream of its own. One that was destroyed is kept, so that its use is known for what it is.
 */
#include <stdlib.h>
#include "cpu/abi.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/observer.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/streams.h"

enum { LEAST = 0, GREATEST = -5 }; /* priorities */

struct CUstream_st {
    int device;
    unsigned flags;
    int priority;
    bool destroyed;
    struct CUstream_st *next;
};
static struct CUstream_st *streams; /* all that ever were; by one host thread at a time */

static bool is_own(cudaStream_t stream)
{
    return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

/* NULL: no such stream was made. */
static const struct CUstream_st *find(cudaStream_t stream)
{
    const struct CUstream_st *s = __atomic_load_n(&streams, __ATOMIC_ACQUIRE);

    while (s && s != stream)
        s = s->next;
    return s;
}

cudaError_t stream_good(cudaStream_t stream)
{
    const struct CUstream_st *s;

    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!is_own(stream))
        return cudaSuccess;
    s = find(stream);
    if (!s)
        return error_say(cudaErrorInvalidResourceHandle, "no stream was created with this value");
    return s->destroyed ? error_say(cudaErrorInvalidResourceHandle, "the stream was destroyed")
                        : cudaSuccess;
}

int stream_device(cudaStream_t stream)
{
    const struct CUstream_st *s = is_own(stream) ? find(stream) : NULL;

    return s ? s->device : cpu_current_device;
}

/* Copies may go into a stream of another device, launches not. */
int cpu_stream_takes_launch(const void *stream)
{
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
    s = calloc(1, sizeof(*s));
    if (!s)
        return error_keep(cudaErrorMemoryAllocation);
    s->device = cpu_current_device;
    s->flags = flags;
    s->priority = priority > LEAST ? LEAST : priority < GREATEST ? GREATEST : priority;
    do
        s->next = __atomic_load_n(&streams, __ATOMIC_ACQUIRE);
    while (
        !__atomic_compare_exchange_n(&streams, &s->next, s, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    *stream = s;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, LEAST);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, LEAST);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error = stream_good(stream);

    if (!error && !is_own(stream))
        return error_say(cudaErrorInvalidResourceHandle, "the default stream cannot be destroyed");
    if (!error)
        stream->destroyed = true;
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    observe_synchronised(stream_device(stream));
    return stream_good(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    observe_synchronised(stream_device(stream));
    return stream_good(stream);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    cudaError_t error = stream_good(stream);

    if (!error)
        *flags = is_own(stream) ? stream->flags : cudaStreamDefault;
    return error;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    cudaError_t error = stream_good(stream);

    if (!error)
        *priority = is_own(stream) ? stream->priority : LEAST;
    return error;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                   const cudaStreamAttrValue *value)
{
    cudaError_t error = stream_good(stream);

    if (!error && !value)
        return error_keep(cudaErrorInvalidValue);
    if (!error && attr == cudaStreamAttributePriority && is_own(stream))
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

/* --- functions of the host, which run at once ------------------------------------------------- */

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void *data,
                                  unsigned flags)
{
    cudaError_t error = stream_good(stream);

    if (error)
        return error;
    if (!call || flags)
        return error_keep(cudaErrorInvalidValue);
    observe_synchronised(stream_device(stream)); /* it runs behind what the stream has done */
    call(stream, cudaSuccess, data);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *data)
{
    cudaError_t error = stream_good(stream);

    if (error)
        return error;
    if (!call)
        return error_keep(cudaErrorInvalidValue);
    observe_synchronised(stream_device(stream));
    call(data);
    return cudaSuccess;
}
