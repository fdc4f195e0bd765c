/*
 * The calls about events. An event belongs to the device that was current when it was made.
 */
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/events.h"
#include "cpu/runtime/graphs.h"

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!event || flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming))
        return error_keep(cudaErrorInvalidValue);
    *event = event_make(cpu_current_device, flags);
    return *event ? cudaSuccess : error_keep(cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!event)
        return error_keep(cudaErrorInvalidResourceHandle);
    event_release(event);
    return cudaSuccess;
}

static cudaError_t event_record(cudaEvent_t event, cudaStream_t stream, uintptr_t site)
{
    cudaError_t error = stream_good(stream);
    struct CUstream_st *s;

    if (!event)
        return error_keep(cudaErrorInvalidResourceHandle);
    if (error)
        return error;
    if (event->device != stream_device(stream))
        return error_say(cudaErrorInvalidResourceHandle,
                         "an event of device %d recorded in a stream of device %d", event->device,
                         stream_device(stream));
    queue_lock();
    s = stream_of(stream);
    if (s->capture)
        error = graph_record(&event->captured, s);
    else
        event->captured.capture = 0;
    if (!s->capture && !event_put_record(event, s, site))
        error = cudaErrorMemoryAllocation;
    queue_unlock();
    return error;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return event_record(event, stream, HERE);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    (void)flags;
    return event_record(event, stream, HERE);
}

/* One that was never recorded is not waited for. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t error = stream_good(stream);
    struct CUstream_st *s;

    (void)flags;
    if (!event)
        return error_keep(cudaErrorInvalidResourceHandle);
    if (error)
        return error;
    queue_lock();
    s = stream_of(stream);
    if (event->captured.capture)
        error = graph_wait(&event->captured, s);
    else if (s->capture)
        error = capture_spoilt(s, "cudaStreamWaitEvent for an event that was recorded outside");
    else if (event->wanted && !event_put_wait(event, s, HERE))
        error = cudaErrorMemoryAllocation;
    queue_unlock();
    return error;
}

struct awaited {
    cudaEvent_t event;
    uint64_t recording;
};

static bool has_come(const void *of)
{
    const struct awaited *m = of;

    return m->event->reached >= m->recording || cpu_failure();
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    bool ended;

    if (!event)
        return error_keep(cudaErrorInvalidResourceHandle);
    queue_run();
    queue_lock();
    ended = event->reached == event->wanted;
    if (ended)
        queue_host_knows(event->after);
    queue_unlock();
    return error_keep(cpu_failure() ? cpu_failure() : ended ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    struct awaited last = {.event = event};

    if (!event)
        return error_keep(cudaErrorInvalidResourceHandle);
    if (event->captured.capture)
        return error_say(cudaErrorInvalidValue, "an event that was recorded for a graph");
    queue_lock();
    last.recording = event->wanted;
    queue_wait(has_come, &last);
    queue_host_knows(event->after);
    queue_unlock();
    return error_keep(cpu_failure());
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!milliseconds)
        return error_keep(cudaErrorInvalidValue);
    if (!start || !end || !start->wanted || !end->wanted)
        return error_say(cudaErrorInvalidResourceHandle, "an event that was not recorded");
    if ((start->flags | end->flags) & cudaEventDisableTiming)
        return error_say(cudaErrorInvalidResourceHandle, "an event with cudaEventDisableTiming");
    if (start->device != end->device)
        return error_say(cudaErrorInvalidResourceHandle,
                         "cudaEventElapsedTime of events of device %d and device %d", start->device,
                         end->device);
    if (start->reached < start->wanted || end->reached < end->wanted)
        return error_keep(cudaErrorNotReady);
    *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return cudaSuccess;
}
