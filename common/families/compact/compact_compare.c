/*
 * The comparison on the CPU device: a loop of the host over what comes back from the device.
 */
#include "families/compact/compact_compare.h"

#include <pthread.h>

#include "harness/kit/parallel.h"

struct loop {
    const struct comparison *c;
    struct difference difference;
    pthread_mutex_t lock;
};

static void compare_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct loop *loop = (struct loop *)context;
    const struct comparison *c = loop->c;
    struct difference own = {0};

    (void)chunk; /* whole spans */
    compare_span(&own, c, (const uint32_t *)c->x->host, (const uint32_t *)c->y->host,
                 c->before[begin / COMPACT_SPAN], begin, end);
    if (own.count == 0)
        return;
    pthread_mutex_lock(&loop->lock);
    if (loop->difference.count == 0 || own.first < loop->difference.first)
        loop->difference.first = own.first;
    loop->difference.count += own.count;
    pthread_mutex_unlock(&loop->lock);
}

int compact_compare_open(struct comparison *c)
{
    return c->y->host ? 0 : buffer_reserve_host(c->y, c->y->capacity);
}

void compact_compare_close(struct comparison *c)
{
    (void)c;
}

int compact_compare(const struct comparison *c, struct difference *difference)
{
    struct loop loop = {.c = c, .lock = PTHREAD_MUTEX_INITIALIZER};
    int status = buffer_download(c->y, c->n);

    if (status == 0)
        parallel_for(c->n, compare_chunk, &loop);
    pthread_mutex_destroy(&loop.lock);
    *difference = loop.difference;
    return status;
}
