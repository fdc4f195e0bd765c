/*
 * Events in streams. Recording one is an operation of its stream, and so is waiting for one: each
 * has the number of the recording that it is about, which grows.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cpu/runtime/events.h"

/* Of a stream: a recording, or that it waits for one. */
struct moment {
    struct work work;
    cudaEvent_t event;
    uint64_t recording;
};

static void drop(cudaEvent_t event)
{
    if (!--event->uses)
        free(event);
}

static void forget(struct work *w)
{
    drop(((struct moment *)w)->event);
}

static bool record(struct work *w)
{
    struct moment *m = (struct moment *)w;

    clock_gettime(CLOCK_MONOTONIC, &m->event->time);
    memcpy(m->event->after, w->after, sizeof(w->after));
    m->event->reached = m->recording;
    return true;
}

static bool await(struct work *w)
{
    struct moment *m = (struct moment *)w;

    if (m->event->reached < m->recording)
        return false;
    queue_join(w->after, m->event->after);
    return true;
}

static bool put(cudaEvent_t event, struct CUstream_st *s, bool (*begin)(struct work *),
                const char *call, uintptr_t site)
{
    struct moment *m = queue_new(sizeof(*m), call, site);

    if (!m)
        return false;
    event->uses++;
    m->event = event;
    m->work.begin = begin;
    m->work.forget = forget;
    m->recording = event->wanted;
    queue_put(&m->work, s);
    return true;
}

bool event_put_record(cudaEvent_t event, struct CUstream_st *s, uintptr_t site)
{
    event->wanted++;
    return put(event, s, record, "cudaEventRecord", site);
}

bool event_put_wait(cudaEvent_t event, struct CUstream_st *s, uintptr_t site)
{
    return put(event, s, await, "cudaStreamWaitEvent", site);
}

cudaEvent_t event_make(int device, unsigned flags)
{
    cudaEvent_t event = calloc(1, sizeof(*event));

    if (event) {
        event->device = device;
        event->flags = flags;
        event->uses = 1;
    }
    return event;
}

void event_release(cudaEvent_t event)
{
    queue_lock();
    drop(event);
    queue_unlock();
}
