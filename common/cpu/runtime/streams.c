/*
 * Streams and events. Everything is done when a call returns, so work is in order by itself: a
 * stream is a name, and an event the time at which it was recorded.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include "cpu/engine/failure.h"
#include "cpu/runtime/errors.h"

struct CUstream_st {
    int unused;
};

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = calloc(1, sizeof(**stream));
    return error_keep(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return error_keep(cpu_failure());
}

struct CUevent_st {
    struct timespec time;
    bool recorded;
};

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof(**event));
    return error_keep(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    if (!event)
        return error_keep(cudaErrorInvalidResourceHandle);
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->recorded = true;
    return error_keep(cpu_failure());
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return error_keep(event ? cpu_failure() : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!start || !end || !start->recorded || !end->recorded)
        return error_keep(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return cudaSuccess;
}
