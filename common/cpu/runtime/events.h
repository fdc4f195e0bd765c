/* Events. See event_queue.c, events.c. */
#ifndef CPU_RUNTIME_EVENTS_H
#define CPU_RUNTIME_EVENTS_H

#include <time.h>
#include "cpu/runtime/graphs.h"
#include "cpu/runtime/streams.h"

struct CUevent_st {
    int device;
    unsigned flags;
    /* Under the queue's lock. */
    uint64_t wanted, reached; /* recordings that were queued, and that have been done */
    unsigned uses;            /* by operations that are queued, and by the host */
    struct timespec time;     /* of the last one that was done */
    uint64_t after[MAX_ORDERED + 1];
    struct captured_event captured;
};

/* Put it into a stream that is not captured, under the queue's lock. false: no memory. */
bool event_put_record(cudaEvent_t event, struct CUstream_st *s, uintptr_t site);
bool event_put_wait(cudaEvent_t event, struct CUstream_st *s, uintptr_t site);

cudaEvent_t event_make(int device, unsigned flags); /* NULL: no memory */
void event_release(cudaEvent_t event); /* it goes when nothing that is queued needs it */

#endif
