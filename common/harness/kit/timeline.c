#include "harness/kit/timeline.h"

#include <stdbool.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"

struct mark {
    struct CUstream_st *stream;
    cudaEvent_t begin, end; /* end: NULL while the operation is being put */
};

static struct {
    bool wanted;
    cudaError_t error; /* the first */
    cudaEvent_t start;
    struct timeline_span *spans;
    struct mark *marks;
    size_t count, room;
    const char *row; /* of the stamps */
    unsigned long long *stamps;
    size_t items;
} line;

static cudaEvent_t record(struct CUstream_st *stream)
{
    cudaEvent_t event = NULL;
    cudaError_t error = cudaEventCreate(&event);

    if (error == cudaSuccess)
        error = cudaEventRecord(event, stream);
    if (line.error == cudaSuccess)
        line.error = error;
    return event;
}

/* Room for more spans, with a mark for each. */
static bool grow(size_t more)
{
    size_t room = 2 * (line.count + more);
    struct timeline_span *spans = NULL;
    struct mark *marks = NULL;

    if (line.count + more <= line.room)
        return true;
    spans = (struct timeline_span *)realloc(line.spans, room * sizeof(*spans));
    line.spans = spans ? spans : line.spans;
    marks = (struct mark *)realloc(line.marks, room * sizeof(*marks));
    line.marks = marks ? marks : line.marks;
    if (!spans || !marks)
        line.error = cudaErrorMemoryAllocation;
    else
        line.room = room;
    return spans && marks;
}

void timeline_begin(const char *row, size_t item, struct CUstream_st *stream)
{
    if (!line.wanted || !grow(1))
        return;
    line.spans[line.count] = (struct timeline_span){.row = row, .item = item};
    line.marks[line.count++] = (struct mark){.stream = stream, .begin = record(stream)};
}

void timeline_end(struct CUstream_st *stream)
{
    size_t i = line.count;

    while (line.wanted && i-- > 0)
        if (line.marks[i].stream == stream) {
            line.marks[i].end = record(stream);
            return;
        }
}

unsigned long long *timeline_stamps(const char *row, size_t items)
{
    void *stamps = NULL;

    if (!line.wanted || line.stamps)
        return line.wanted ? line.stamps : NULL;
    stamps = device_try_alloc(2 * items * sizeof(*line.stamps));
    line.row = row;
    line.items = stamps ? items : 0;
    return line.stamps = (unsigned long long *)stamps;
}

static void forget_marks(void)
{
    for (size_t i = 0; i < line.count; i++) {
        cudaEventDestroy(line.marks[i].begin);
        if (line.marks[i].end)
            cudaEventDestroy(line.marks[i].end);
    }
    if (line.start)
        cudaEventDestroy(line.start);
    line.start = NULL;
    line.count = 0;
}

int timeline_open(void)
{
    forget_marks();
    line.wanted = true;
    line.start = record(NULL);
    return device_check(line.error);
}

/* Microseconds from the start to the event. */
static double passed(cudaEvent_t event)
{
    float milliseconds = 0;
    cudaError_t error = event ? cudaEventElapsedTime(&milliseconds, line.start, event)
                              : cudaErrorInvalidResourceHandle;

    if (line.error == cudaSuccess)
        line.error = error;
    return 1e3 * (double)milliseconds;
}

/* A span per pair of stamps. */
static int read_stamps(void)
{
    size_t bytes = 2 * line.items * sizeof(*line.stamps);
    unsigned long long *at = (unsigned long long *)malloc(bytes ? bytes : 1);
    int status = 0;

    if (!at || !grow(line.items)) {
        free(at);
        return complain(BAD_DEVICE, "no memory left on the host");
    }
    status = device_check(cudaMemcpy(at, line.stamps, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < line.items && status == 0; i++)
        line.spans[line.count + i] =
            (struct timeline_span){.row = line.row,
                                   .item = i,
                                   .begin_us = 1e-3 * (double)(at[2 * i] - at[0]),
                                   .end_us = 1e-3 * (double)(at[2 * i + 1] - at[0])};
    free(at);
    return status;
}

int timeline_read(const struct timeline_span **spans, size_t *count)
{
    int status = device_check(cudaDeviceSynchronize());

    for (size_t i = 0; i < line.count && status == 0; i++) {
        line.spans[i].begin_us = passed(line.marks[i].begin);
        line.spans[i].end_us = passed(line.marks[i].end);
    }
    if (status == 0 && line.items)
        status = read_stamps();
    *spans = line.spans;
    *count = line.count + line.items;
    return status == 0 ? device_check(line.error) : status;
}

void timeline_close(void)
{
    forget_marks();
    device_free(line.stamps);
    free(line.spans);
    free(line.marks);
    line = (__typeof__(line)){0};
}
