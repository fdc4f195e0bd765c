/*
 * The comparison on the CPU device: a loop of the host over what comes back from the device.
 */
#include "families/segmented/compare.h"

#include <pthread.h>

#include "harness/kit/parallel.h"

struct loop {
    const struct comparison *c;
    struct worst worst;
    pthread_mutex_t lock;
};

static void compare_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct loop *loop = context;
    const struct comparison *c = loop->c;
    const unsigned char *flags = c->flags->host;
    struct worst own = {.part = -1};

    (void)chunk;
    for (size_t at = begin; at < end; at += SUM_SPAN) {
        size_t last = end - at < SUM_SPAN ? end : at + SUM_SPAN;

        if (c->spans.f32)
            compare_span_f32(&own, c, c->x->host, false, flags, c->y->host,
                             c->spans.f32[at / SUM_SPAN], at, last);
        else
            compare_span_i32(&own, c, c->x->host, false, flags, c->y->host,
                             c->spans.i32[at / SUM_SPAN], at, last);
    }
    pthread_mutex_lock(&loop->lock);
    worst_of(&loop->worst, &own);
    pthread_mutex_unlock(&loop->lock);
}

int segmented_compare_open(struct comparison *c)
{
    return c->y->host ? 0 : buffer_reserve_host(c->y, c->y->capacity);
}

void segmented_compare_close(struct comparison *c)
{
    (void)c;
}

int segmented_compare(const struct comparison *c, struct worst *worst)
{
    struct loop loop = {.c = c, .worst = {.part = -1}, .lock = PTHREAD_MUTEX_INITIALIZER};
    int status = buffer_download(c->y, c->n);

    if (status == 0)
        parallel_for(c->n, compare_chunk, &loop);
    pthread_mutex_destroy(&loop.lock);
    *worst = loop.worst;
    return status;
}
