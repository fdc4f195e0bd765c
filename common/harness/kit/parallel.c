#include "harness/kit/parallel.h"

#include <pthread.h>
#include <unistd.h>

#define MAX_THREADS 32

struct loop {
    size_t n;
    parallel_body body;
    void *context;
    pthread_mutex_t lock;
    size_t next; /* the next chunk that nobody has taken */
};

static size_t take_chunk(struct loop *loop)
{
    size_t chunk;

    pthread_mutex_lock(&loop->lock);
    chunk = loop->next++;
    pthread_mutex_unlock(&loop->lock);
    return chunk;
}

static void *take_chunks(void *argument)
{
    struct loop *loop = (struct loop *)argument;
    size_t chunks = parallel_chunks(loop->n);

    for (;;) {
        size_t chunk = take_chunk(loop);
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
    pthread_mutex_destroy(&loop.lock);
}
