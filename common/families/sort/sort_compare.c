/*
 * The comparison on the CPU device: a loop of the host over what comes back from the device.
 */
#include "families/sort/sort_compare.h"

#include <pthread.h>

#include "harness/kit/parallel.h"

struct loop {
    const struct comparison *c;
    struct compared_arrays arrays;
    struct disorder all;
    pthread_mutex_t lock;
};

static void compare_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct loop *loop = (struct loop *)context;
    struct disorder own = {0};

    (void)chunk;
    compare_span(&own, loop->c, &loop->arrays, begin, end);
    pthread_mutex_lock(&loop->lock);
    if (own.count > 0 && (loop->all.count == 0 || own.first < loop->all.first))
        loop->all.first = own.first;
    loop->all.count += own.count;
    for (int k = 0; k < 2; k++)
        loop->all.sums[k] += own.sums[k];
    pthread_mutex_unlock(&loop->lock);
}

/* An array as the run has left it, on the host. */
static int fetch(struct buffer *b, size_t n)
{
    int status = b->host_capacity >= n && b->host ? 0 : buffer_reserve_host(b, b->capacity);

    return status == 0 ? buffer_download(b, n) : status;
}

int sort_compare(const struct comparison *c, struct disorder *disorder)
{
    struct loop loop = {.c = c, .lock = PTHREAD_MUTEX_INITIALIZER};
    int status = fetch(c->y, c->n);

    if (status == 0 && c->values)
        status = fetch(c->values, c->n);
    loop.arrays.x = c->x->host;
    loop.arrays.y = c->y->host;
    loop.arrays.values = c->values ? (const unsigned *)c->values->host : NULL;
    if (status == 0)
        parallel_for(c->n, compare_chunk, &loop);
    pthread_mutex_destroy(&loop.lock);
    *disorder = loop.all;
    return status;
}
