/*
 * All streams: lists of queued work (queue.c), each on the device that was current when it was
 * made; each device has a default stream of its own. One that was destroyed is kept, so that its
 * use is known for what it is.
 */
#include <pthread.h>
#include <stdlib.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/streams.h"

/* All that ever were, but the default ones; under the queue's lock. */
static struct CUstream_st *made, **made_last = &made;
static struct CUstream_st defaults[MAX_DEVICES], per_thread[MAX_DEVICES];
static unsigned numbers = MAX_DEVICES;

bool stream_is_own(cudaStream_t stream)
{
    return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

bool stream_is_legacy(const struct CUstream_st *s)
{
    return s >= defaults && s < defaults + MAX_DEVICES;
}

static void make_defaults(void)
{
    for (int device = 0; device < MAX_DEVICES; device++) {
        struct CUstream_st *s = &defaults[device];

        *s = (struct CUstream_st){.device = device, .number = (unsigned)device};
        s->last = &s->first;
        s->next = device + 1 < MAX_DEVICES ? s + 1 : NULL;
    }
}

static void be_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_defaults);
}

struct CUstream_st *streams_first(void)
{
    be_ready();
    defaults[MAX_DEVICES - 1].next = made;
    return defaults;
}

struct CUstream_st *stream_default(int device)
{
    be_ready();
    return &defaults[device];
}

unsigned streams_numbers(void)
{
    return numbers < MAX_ORDERED ? numbers : MAX_ORDERED;
}

static void begin(struct CUstream_st *s, int device, unsigned flags, int priority)
{
    be_ready();
    *s = (struct CUstream_st){.device = device, .flags = flags, .priority = priority};
    s->number = numbers < MAX_ORDERED ? numbers++ : MAX_ORDERED;
    s->last = &s->first;
    *made_last = s;
    made_last = &s->next;
}

struct CUstream_st *stream_make(int device, unsigned flags, int priority)
{
    struct CUstream_st *s = calloc(1, sizeof(*s));

    queue_lock();
    if (s) {
        queue_needed();
        begin(s, device, flags, priority);
    }
    queue_unlock();
    return s;
}

/* NULL: no such stream was made. */
static struct CUstream_st *find(cudaStream_t stream)
{
    struct CUstream_st *s;

    queue_lock();
    for (s = made; s && s != stream; s = s->next)
        ;
    queue_unlock();
    return s;
}

struct CUstream_st *stream_of(cudaStream_t stream)
{
    struct CUstream_st *s = stream_is_own(stream) ? find(stream) : NULL;

    if (stream == cudaStreamPerThread) {
        s = &per_thread[cpu_current_device];
        queue_lock();
        if (!s->last) {
            queue_needed();
            begin(s, cpu_current_device, cudaStreamDefault, 0);
        }
        queue_unlock();
    }
    return s ? s : stream_default(cpu_current_device);
}

cudaError_t stream_good(cudaStream_t stream)
{
    const struct CUstream_st *s;

    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!stream_is_own(stream))
        return cudaSuccess;
    s = find(stream);
    if (!s)
        return error_say(cudaErrorInvalidResourceHandle, "no stream was created with this value");
    return s->destroyed ? error_say(cudaErrorInvalidResourceHandle, "the stream was destroyed")
                        : cudaSuccess;
}

int stream_device(cudaStream_t stream)
{
    const struct CUstream_st *s = stream_is_own(stream) ? find(stream) : NULL;

    return s ? s->device : cpu_current_device;
}

cudaError_t capture_spoilt(struct CUstream_st *s, const char *call)
{
    queue_lock();
    if (!s->capture->spoilt)
        s->capture->spoilt = call;
    queue_unlock();
    return error_say(cudaErrorStreamCaptureUnsupported, "%s while the stream is captured", call);
}
