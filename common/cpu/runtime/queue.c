/*
 * Queued work, and the thread that does it.
 *
 * A stream is a list; its first operation is begun when what it needs has ended. One thread does
 * all of it, the driver, and only when somebody waits, so that the order of execution is the same
 * in every run: the streams in the order in which they were made, each as far as it goes. Kernels
 * that wait for those of another stream or device pause (engine/grid_launch.c), and the others go
 * on. When nothing goes on, and nobody else can help, that is a deadlock: the device fails, with a
 * line.
 *
 * The driver holds the lock but for the moments between two operations, so a call that changes what
 * kernels see takes it. With work queued and nobody waiting for SECONDS_ALONE it begins by itself,
 * because a program may wait by other means than ours.
 *
 * For --check each operation knows what is in order before it, a count for each stream: what its
 * stream had done, what its stream waited for, and what the host had waited for when it called.
 */
#define _GNU_SOURCE
#include "cpu/runtime/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/grid_launch.h"
#include "cpu/engine/schedule.h"
#include "cpu/runtime/device_variables.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/queue_lock.h"
#include "cpu/runtime/streams.h"

enum { PATIENCE = 30, STILL_TURNS = 100, MOST_TURNS = 100000 };
static const double SECONDS_ALONE = 0.2;

cudaError_t (*queue_capture)(struct work *, struct CUstream_st *);
bool (*queue_give_up)(bool);
bool (*queue_is_remote)(void);

static pthread_cond_t wake = PTHREAD_COND_INITIALIZER; /* the driver: there is something to do */
static pthread_cond_t told = PTHREAD_COND_INITIALIZER; /* who waits: something has ended */

/* Under the lock. */
static bool started;
static unsigned waiting;                   /* threads of the host in queue_wait */
static uint64_t tries_wanted, tries_given; /* of queue_run */

int queue_patience(void)
{
    const char *wanted = getenv("CPU_DEVICE_WAIT");
    int seconds = wanted ? atoi(wanted) : 0;

    return seconds > 0 ? seconds : PATIENCE;
}

/* --- the order -------------------------------------------------------------------------------- */

void queue_join(uint64_t *to, const uint64_t *from)
{
    for (unsigned i = 0; i < streams_numbers(); i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

void queue_host_knows(const uint64_t *after)
{
    queue_join(cpu_host_after, after);
}

/* Its stream's turn has come to it: what is in order before it. */
static void order(struct work *w)
{
    struct CUstream_st *s = w->stream;

    queue_join(w->after, s->after);
    if (s->flags & cudaStreamNonBlocking)
        return;
    for (struct CUstream_st *other = streams_first(); other; other = other->next)
        if (other != s && other->queued && other->device == s->device &&
            !(other->flags & cudaStreamNonBlocking) &&
            (stream_is_legacy(s) || stream_is_legacy(other)))
            queue_join(w->after, other->after);
}

/* --- operations ------------------------------------------------------------------------------- */

void *queue_new(size_t bytes, const char *call, uintptr_t site)
{
    struct work *w = calloc(1, bytes);

    if (!w) {
        error_keep(cudaErrorMemoryAllocation);
        return NULL;
    }
    w->bytes = bytes;
    w->call = call;
    w->site = site;
    return w;
}

void queue_free(struct work *w)
{
    if (w->forget)
        w->forget(w);
    free(w->needs);
    free(w);
}

/* It has ended, and so is gone. */
static void finish(struct work *w)
{
    struct CUstream_st *s = w->stream;

    s->first = w->next;
    if (!s->first)
        s->last = &s->first;
    queue_join(s->after, w->after);
    s->after[s->number] = w->number;
    s->done = w->number;
    queue_free(w);
}

static bool needs_ended(const struct work *w)
{
    for (unsigned i = 0; i < w->need_count; i++)
        if (w->needs[i].stream->done < w->needs[i].number)
            return false;
    return true;
}

/* As far as the stream goes. Did anything end or begin? */
static bool advance(struct CUstream_st *s)
{
    bool moved = false;

    while (s->first) {
        struct work *w = s->first;

        if (!w->has_begun) {
            if (!needs_ended(w))
                break;
            order(w);
            if (!w->begin(w))
                break;
            w->has_begun = moved = true;
        }
        if (w->ended && !w->ended(w))
            break;
        finish(w);
        moved = true;
    }
    return moved;
}

/* The device has failed: nothing that was queued is done. */
static void drop_all(void)
{
    while (launches_begun())
        launch_go_on(launches_begun()); /* its blocks are given up */
    cpu_worker = NULL;
    for (struct CUstream_st *s = streams_first(); s; s = s->next)
        while (s->first)
            finish(s->first);
}

static void let_others_in(void)
{
    struct timespec moment = {0, 20000};

    if (!queue_coming)
        return;
    pthread_cond_broadcast(&told);
    pthread_mutex_unlock(&queue_mutex);
    while (queue_coming)
        nanosleep(&moment, NULL);
    pthread_mutex_lock(&queue_mutex);
}

/* Where the order is to be random: the launch that goes on before all others. It may begin the next
 * of its stream then, and so a device gets as far ahead as the others let it. */
static struct launch *at_random(void)
{
    static uint64_t random;
    struct launch *l = launches_begun();
    unsigned count = 0;

    if (!cpu_random_order || !l)
        return NULL;
    for (; l; l = l->next_begun)
        count++;
    l = launches_begun();
    random = random ? random : cpu_random_seed;
    for (count = (unsigned)(cpu_random(&random) % count); count; count--)
        l = l->next_begun;
    return l;
}

/* Has it ended? */
static bool goes_on(struct launch *l, bool *moved)
{
    uint64_t before = launch_progress();
    bool ended;

    device_variables_select(l->device);
    ended = launch_go_on(l);
    cpu_worker = NULL;
    *moved |= ended || launch_progress() != before;
    if (!ended)
        let_others_in();
    return ended;
}

/* Once around all streams and kernels. Did anything go on? */
static bool go_around(void)
{
    struct launch *first;
    bool moved = false;

    for (struct CUstream_st *s = streams_first(); s; s = s->next)
        moved |= advance(s);
    first = at_random();
    if (first && goes_on(first, &moved))
        return true;
    for (struct launch *l = launches_begun(), *next; l && !cpu_failure(); l = next) {
        next = l->next_begun;
        if (l != first && goes_on(l, &moved))
            return true;
    }
    if (cpu_failure())
        drop_all();
    return moved;
}

static bool any_queued(void)
{
    for (struct CUstream_st *s = streams_first(); s; s = s->next)
        if (s->first)
            return true;
    return false;
}

/* --- the driver ------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Until the host does something, or for so many seconds. */
static void sleep_for(double seconds)
{
    struct timespec at;
    long long ns;

    clock_gettime(CLOCK_REALTIME, &at);
    ns = at.tv_nsec + (long long)(seconds * 1e9);
    at.tv_sec += (time_t)(ns / 1000000000);
    at.tv_nsec = (long)(ns % 1000000000);
    pthread_cond_timedwait(&wake, &queue_mutex, &at);
}

/* Nothing goes on, and nothing will. */
static void give_up(bool by_host)
{
    if (queue_give_up && queue_give_up(by_host))
        return;
    if (launches_begun())
        launches_fail();
    else
        cpu_fail(cudaErrorLaunchTimeout, "deadlock: what is queued waits for what never comes");
    drop_all();
}

/* Nothing went on, and somebody waits: for good? turn: how often that was so. */
static void stand_still(uint64_t *turn, double *since)
{
    bool by_host = waiting < queue_hosts || (queue_is_remote && queue_is_remote());
    uint64_t before = queue_changes;

    if (!(*turn)++)
        *since = now();
    if (launches_begun() && *turn < MOST_TURNS && (!launches_loop(*turn) || *turn < STILL_TURNS)) {
        let_others_in();
        return;
    }
    if (!by_host || now() - *since > queue_patience()) {
        give_up(by_host);
        *turn = 0;
        return;
    }
    sleep_for(0.5);
    if (queue_changes != before)
        *turn = 0;
}

static void *drive(void *unused)
{
    uint64_t turn = 0, tried;
    double since = 0;

    (void)unused;
    queue_driver = true;
    pthread_mutex_lock(&queue_mutex);
    queue_depth = 1;
    for (;;) {
        bool queued = any_queued(), alone = false;

        if (!queued || (!waiting && tries_given == tries_wanted)) {
            uint64_t before = queue_changes;

            tries_given = queued ? tries_given : tries_wanted;
            pthread_cond_broadcast(&told);
            if (queued) {
                sleep_for(SECONDS_ALONE);
                alone = queue_changes == before;
            } else {
                pthread_cond_wait(&wake, &queue_mutex);
            }
            if (!alone)
                continue;
        }
        tried = tries_wanted;
        if (go_around()) {
            turn = 0;
        } else {
            tries_given = tried;
            pthread_cond_broadcast(&told);
            if (waiting)
                stand_still(&turn, &since);
        }
        pthread_cond_broadcast(&told);
        let_others_in();
    }
    return NULL;
}

static void start(void)
{
    pthread_t thread;

    if (started)
        return;
    started = true;
    if (pthread_create(&thread, NULL, drive, NULL))
        abort();
    pthread_detach(thread);
    atexit(queue_run);
}

void queue_changed(void)
{
    queue_lock();
    queue_changes++;
    pthread_cond_signal(&wake);
    pthread_cond_broadcast(&told);
    queue_unlock();
}

/* --- by the host ------------------------------------------------------------------------------ */

static bool need(struct work *w, struct CUstream_st *s)
{
    struct needed *more;

    if (s->done == s->queued)
        return true;
    more = realloc(w->needs, (w->need_count + 1) * sizeof(*more));
    if (!more)
        return false;
    w->needs = more;
    more[w->need_count++] = (struct needed){s, s->queued};
    return true;
}

/* The default stream waits for all others of its device but those that say no, and these for it. */
static bool need_others(struct work *w)
{
    struct CUstream_st *s = w->stream;
    bool good = true;

    if (s->flags & cudaStreamNonBlocking)
        return true;
    for (struct CUstream_st *other = streams_first(); other; other = other->next)
        if (other != s && other->device == s->device && !(other->flags & cudaStreamNonBlocking) &&
            (stream_is_legacy(s) || stream_is_legacy(other)))
            good &= need(w, other);
    return good;
}

void queue_put(struct work *w, struct CUstream_st *s)
{
    w->stream = s;
    w->number = ++s->queued;
    w->next = NULL;
    memcpy(w->after, cpu_host_after, sizeof(w->after));
    if (!need_others(w))
        abort();
    *s->last = w;
    s->last = &w->next;
    queue_changes++;
    if (queue_is_needed()) {
        start();
        if (waiting)
            pthread_cond_signal(&wake);
    } else {
        advance(s);
    }
}

uint64_t queue_direct(struct CUstream_st *s)
{
    s->done = ++s->queued;
    return s->after[s->number] = s->done;
}

cudaError_t queue_add(struct work *w, cudaStream_t stream)
{
    cudaError_t error;

    queue_lock();
    error = stream_good(stream);
    if (error)
        queue_free(w);
    else if (stream_of(stream)->capture)
        error = queue_capture(w, stream_of(stream));
    else
        queue_put(w, stream_of(stream));
    queue_unlock();
    return error;
}

void queue_wait(bool (*done)(const void *), const void *of)
{
    queue_lock();
    while (!done(of) && !queue_driver) {
        unsigned held = queue_depth;

        start();
        waiting++;
        pthread_cond_signal(&wake);
        queue_depth = 0;
        pthread_cond_wait(&told, &queue_mutex);
        queue_depth = held;
        waiting--;
    }
    queue_unlock();
}

bool queue_wait_for(bool (*done)(const void *), const void *of, int seconds)
{
    struct timespec until;
    bool in_time = true;

    queue_lock();
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    while (!done(of) && in_time) {
        unsigned held = queue_depth;

        queue_depth = 0;
        in_time = pthread_cond_timedwait(&told, &queue_mutex, &until) == 0;
        queue_depth = held;
    }
    in_time = done(of);
    queue_unlock();
    return in_time;
}

void queue_run(void)
{
    uint64_t wanted;

    if (!started || queue_driver)
        return;
    queue_lock();
    wanted = started && any_queued() && !queue_driver ? ++tries_wanted : 0;
    while (tries_given < wanted) {
        unsigned held = queue_depth;

        pthread_cond_signal(&wake);
        queue_depth = 0;
        pthread_cond_wait(&told, &queue_mutex);
        queue_depth = held;
    }
    queue_unlock();
}
