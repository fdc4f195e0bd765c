/*
 * Queued work: what streams have been given and has not been done. See queue.c.
 *
 * With one device, and no stream but its default one, nothing is queued: work is done at once, by
 * the thread that gives it.
 */
#ifndef CPU_RUNTIME_QUEUE_H
#define CPU_RUNTIME_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>
#include "cpu/engine/order.h"
#include "cpu/engine/state.h"

struct CUstream_st;

/* One operation of a stream. It is given away with queue_add. */
struct work {
    struct work *next;
    struct CUstream_st *stream;
    /* It is its turn: do it, or begin it. false: not yet, ask again when something has changed. */
    bool (*begin)(struct work *);
    bool (*ended)(struct work *);  /* once it has begun; NULL: with begin */
    void (*forget)(struct work *); /* what hangs on it goes; NULL: nothing does */
    bool (*copy)(struct work *, const struct work *); /* for a graph: what hangs on it once more;
                                                       * NULL: nothing does */
    bool has_begun;
    bool copies;      /* of a graph's nodes, those that copy are of one kind */
    const char *call; /* as cudaMemcpyAsync */
    uintptr_t site;   /* the place in the code that called it; 0: unknown */
    uint64_t number;  /* in its stream, from 1 */
    struct needed {   /* operations that must have ended before */
        struct CUstream_st *stream;
        uint64_t number;
    } * needs;
    unsigned need_count;
    uint64_t after[MAX_ORDERED + 1]; /* of each stream: so many are in order before it; and what the
                                      * host had waited for when it called */
    size_t bytes;                    /* of the whole structure, whose first member this is */
};

/* A new one, zeroed, of so many bytes, that begins with a struct work; NULL: no memory. */
void *queue_new(size_t bytes, const char *call, uintptr_t site);
void queue_free(struct work *w);

/* Give it to the stream, or to the graph that the stream is captured for. The error of a stream
 * that is none; the work is freed then. */
cudaError_t queue_add(struct work *w, cudaStream_t stream);
void queue_put(struct work *w,
               struct CUstream_st *s); /* the same without questions, under the lock */

/* From now on work is queued, also with one device. */
void queue_needed(void);
bool queue_is_needed(void); /* work is queued, and not done at once */

/* While it is held, nothing queued is done. May be taken again by the same thread. */
void queue_lock(void);
void queue_unlock(void);

void queue_helper(void); /* this thread is ours, and gives no work */

/* Return when done(of), asked under the lock, says true. It must when nothing is queued. */
void queue_wait(bool (*done)(const void *), const void *of);
/* The same for something that another thread of the host does; false: not within so many
 * seconds. */
bool queue_wait_for(bool (*done)(const void *), const void *of, int seconds);
void queue_run(void);     /* what can be done without the host, is done */
void queue_changed(void); /* something came that others wait for */

/* How long somebody is waited for who may never come: seconds; CPU_DEVICE_WAIT, or 30. */
int queue_patience(void);

/* Set by graphs.c: takes what is put into a stream that is captured. */
extern cudaError_t (*queue_capture)(struct work *w, struct CUstream_st *s);

/* NULL, or set by nccl.c. Nothing can go on any more: end what waits for other ranks, and say
 * whether there was any. in_time: it could have, from outside, but too long has passed. */
extern bool (*queue_give_up)(bool in_time);
extern bool (*queue_is_remote)(void); /* some work waits for another process */

/* --- the order, for --check; under the lock --- */

void queue_host_knows(const uint64_t *after); /* the host has waited for so much of each stream */

/* With nothing queued the stream does an operation at once: its number. */
uint64_t queue_direct(struct CUstream_st *s);
void queue_join(uint64_t *to, const uint64_t *from);

#endif
