/*
 * Events: the time at which each was recorded. What is before it is done by then. An event belongs
 * to the device that was current when it was made.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/observer.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/streams.h"

struct CUevent_st {
    struct timespec time;
    int device;
    unsigned flags;
    bool recorded;
};

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!event || flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming))
        return error_keep(cudaErrorInvalidValue);
    *event = calloc(1, sizeof(**event));
    if (!*event)
        return error_keep(cudaErrorMemoryAllocation);
    (*event)->device = cpu_current_device;
    (*event)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!event)
        return error_keep(cudaErrorInvalidResourceHandle);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = stream_good(stream);

    if (!event)
        return error_keep(cudaErrorInvalidResourceHandle);
    if (!error && event->device != stream_device(stream))
        return error_say(cudaErrorInvalidResourceHandle,
                         "an event of device %d recorded in a stream of device %d", event->device,
                         stream_device(stream));
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->recorded = true;
    return error;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    return event ? stream_good(stream) : error_keep(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    observe_synchronised(event ? event->device : cpu_current_device);
    return error_keep(event ? cpu_failure() : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    observe_synchronised(event ? event->device : cpu_current_device);
    return error_keep(event ? cpu_failure() : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!milliseconds)
        return error_keep(cudaErrorInvalidValue);
    if (!start || !end || !start->recorded || !end->recorded)
        return error_say(cudaErrorInvalidResourceHandle, "an event that was not recorded");
    if ((start->flags | end->flags) & cudaEventDisableTiming)
        return error_say(cudaErrorInvalidResourceHandle, "an event with cudaEventDisableTiming");
    if (start->device != end->device)
        return error_say(cudaErrorInvalidResourceHandle,
                         "cudaEventElapsedTime of events of device %d and device %d", start->device,
                         end->device);
    *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return cudaSuccess;
}
