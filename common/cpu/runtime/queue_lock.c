/*
 * The lock of all that is queued, and which threads of the host there are that may give work: each
 * is counted from its first call to its end.
 */
#define _GNU_SOURCE
#include "cpu/runtime/queue_lock.h"

#include "cpu/engine/device_set.h"
#include "cpu/runtime/queue.h"

pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
_Atomic unsigned queue_coming;
_Thread_local unsigned queue_depth;
_Thread_local bool queue_driver;
unsigned queue_hosts;
uint64_t queue_changes;
static bool needed;
static _Thread_local bool helper; /* a thread of ours */

static pthread_key_t ends;

static void host_ends(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&queue_mutex);
    queue_hosts--;
    queue_changes++;
    pthread_mutex_unlock(&queue_mutex);
}

static void make_key(void)
{
    pthread_key_create(&ends, host_ends);
}

/* A thread of the host that may still give work. */
static void know_host(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local bool known;

    if (known || queue_driver || helper)
        return;
    known = true;
    pthread_once(&once, make_key);
    pthread_setspecific(ends, &known);
    queue_hosts++;
}

void queue_helper(void)
{
    helper = true;
}

void queue_lock(void)
{
    if (queue_depth++)
        return;
    queue_coming++;
    pthread_mutex_lock(&queue_mutex);
    queue_coming--;
    know_host();
}

void queue_unlock(void)
{
    if (!--queue_depth)
        pthread_mutex_unlock(&queue_mutex);
}

void queue_needed(void)
{
    needed = true;
}

bool queue_is_needed(void)
{
    return needed || cpu_devices > 1;
}
