/*
 * Order that goes through flags first and through streams then: a kernel waits for a flag of
 * another device, and a copy or a kernel stands behind it in its stream. What the kernel's threads
 * had acquired when it ended is in order before what is behind it. Of each stream the latest launch
 * is known, with what those before it had acquired.
 */
#include "cpu/tools/check/ended.h"

#include <pthread.h>
#include <string.h>

#include "cpu/tools/check/vector_clock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t number;
    struct vector_clock *acquired;
} latest[MAX_ORDERED]; /* of each stream */
static bool any;

void ended_block(struct block *b)
{
    const struct check_block *cb = check_of(b);
    struct check_launch *cl = b->launch->check;
    struct vector_clock *acquired = cb->common;

    for (unsigned i = 0; i < b->threads; i++)
        if (cb->aware[i / 64] >> i % 64 & 1 && cb->thread[i].acquired)
            acquired = vector_clock_join(cb->thread[i].acquired, acquired);
    if (!acquired)
        return;
    pthread_mutex_lock(&lock);
    cl->acquired = vector_clock_join(acquired, cl->acquired);
    pthread_mutex_unlock(&lock);
}

void ended_launch(const struct launch *l)
{
    const struct check_launch *cl = l->check;

    if (l->stream >= MAX_ORDERED || (!cl->acquired && !latest[l->stream].acquired))
        return;
    latest[l->stream].acquired = vector_clock_join(cl->acquired, latest[l->stream].acquired);
    latest[l->stream].number = l->number;
    any = true;
}

void ended_forget(void)
{
    if (any)
        memset(latest, 0, sizeof(latest));
    any = false;
}

struct vector_clock *ended_before(const uint64_t *after)
{
    struct vector_clock *all = NULL;

    for (unsigned i = 0; any && i < MAX_ORDERED; i++)
        if (latest[i].acquired && after[i] >= latest[i].number)
            all = vector_clock_join(latest[i].acquired, all);
    return all;
}
