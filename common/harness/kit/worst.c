/* The comparison on the CPU device: a loop of the host, by several threads. */
#include "harness/kit/worst.h"

#include <pthread.h>

#include "harness/kit/parallel.h"

struct loop {
    worst_of_span *compare;
    const void *context;
    struct worst worst;
    pthread_mutex_t lock;
};

static void compare_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct loop *loop = (struct loop *)context;
    struct worst own = WORST_NONE;

    (void)chunk; /* whole spans */
    loop->compare(&own, loop->context, begin, end);
    pthread_mutex_lock(&loop->lock);
    worst_of(&loop->worst, &own);
    pthread_mutex_unlock(&loop->lock);
}

void worst_on_host(struct worst *worst, size_t n, worst_of_span *compare, const void *context)
{
    struct loop loop = {compare, context, WORST_NONE, PTHREAD_MUTEX_INITIALIZER};

    parallel_for(n, compare_chunk, &loop);
    pthread_mutex_destroy(&loop.lock);
    *worst = loop.worst;
}
