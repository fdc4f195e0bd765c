/*
 * The comparison on the CPU device: a loop of the host over device memory, which is the host's.
 */
#include "families/elementwise/elementwise_compare.h"

#include <limits.h>
#include <pthread.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
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
    struct difference own = {.first = ULLONG_MAX};

    (void)chunk;
    for (size_t i = begin; i < end; i++) {
        if (!is_sum(c->c[i], c->a[i], c->b[i], c->floats) && own.count++ == 0)
            own.first = i;
    }
    if (own.count == 0)
        return;
    pthread_mutex_lock(&loop->lock);
    loop->difference.count += own.count;
    if (own.first < loop->difference.first)
        loop->difference.first = own.first;
    pthread_mutex_unlock(&loop->lock);
}

int elementwise_compare(const struct comparison *c, struct difference *difference)
{
    struct loop loop = {
        .c = c, .difference = {.first = ULLONG_MAX}, .lock = PTHREAD_MUTEX_INITIALIZER};
    int status = device_check(cudaDeviceSynchronize());

    if (status == 0)
        parallel_for(c->n, compare_chunk, &loop);
    pthread_mutex_destroy(&loop.lock);
    *difference = loop.difference;
    return status;
}
