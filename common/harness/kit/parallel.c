#include "harness/kit/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define MAX_THREADS 32

struct loop {
    size_t n;
    parallel_body body;
    void *context;
    atomic_size_t next; /* the next chunk that nobody has taken */
};

static void *take_chunks(void *argument)
{
    struct loop *loop = argument;
    size_t chunks = parallel_chunks(loop->n);

    for (;;) {
        size_t chunk = atomic_fetch_add(&loop->next, 1);
        size_t begin = chunk * PARALLEL_CHUNK;

        if (chunk >= chunks)
            return NULL;
        loop->body(loop->context, chunk, begin,
                   loop->n - begin < PARALLEL_CHUNK ? loop->n : begin + PARALLEL_CHUNK);
    }
}

size_t parallel_chunks(size_t n)
{
    return n / PARALLEL_CHUNK + (n % PARALLEL_CHUNK != 0);
}

void parallel_for(size_t n, parallel_body body, void *context)
{
    struct loop loop = {.n = n, .body = body, .context = context};
    pthread_t threads[MAX_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t want = parallel_chunks(n), started = 0;

    if (want > (size_t)(cores > 1 ? cores : 1))
        want = cores > 1 ? (size_t)cores : 1;
    if (want > MAX_THREADS)
        want = MAX_THREADS;
    while (started + 1 < want && !pthread_create(&threads[started], NULL, take_chunks, &loop))
        started++;
    take_chunks(&loop);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}
