/*
 * malloc, free, new and delete of a program's .cu files, which are compiled to call these
 * (include/heap_functions.h): in a kernel they serve from the device's heap, elsewhere they are the
 * C library's own.
 *
 * The heap hands out addresses in rising order, each block behind a header, and takes an address
 * again only in a later launch, when no block is left: so a block freed twice or touched too late
 * stays known, and no two threads seem to share a word. The limit counts the live bytes. All of it
 * is under the lock.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/heap.h"

enum { ALIGN = 16, LIVE = 0x4c495645, FREED = 0x46524545 };

struct header {
    size_t bytes;
    unsigned state; /* LIVE or FREED */
    unsigned unused;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t next = ALIGN, live, blocks, limit = HEAP_LIMIT;

void heap_set_limit(size_t bytes)
{
    limit = bytes;
}

void heap_launch_begin(void)
{
    pthread_mutex_lock(&lock);
    if (!blocks)
        next = ALIGN;
    pthread_mutex_unlock(&lock);
}

static void *heap_take(size_t bytes)
{
    size_t whole = sizeof(struct header) + (bytes + ALIGN - 1) / ALIGN * ALIGN;
    uintptr_t base = memory_heap();
    struct header *h = NULL;

    if (!base || bytes > limit)
        return NULL;
    pthread_mutex_lock(&lock);
    if (live + whole <= limit && memory_heap_use(next + whole)) {
        h = (struct header *)(base + next);
        *h = (struct header){.bytes = bytes, .state = LIVE};
        next += whole;
        live += whole;
        blocks++;
    }
    pthread_mutex_unlock(&lock);
    return h ? h + 1 : NULL;
}

/* NULL, or what is wrong with the pointer. */
static const char *heap_give(void *pointer)
{
    struct header *h = (struct header *)pointer - 1;
    uintptr_t offset = (uintptr_t)pointer - memory_heap();
    const char *wrong = NULL;

    pthread_mutex_lock(&lock);
    if (offset >= next || offset % ALIGN || offset < ALIGN + sizeof(*h) ||
        (h->state != LIVE && h->state != FREED)) {
        wrong = "a pointer that malloc or new did not return in a kernel";
    } else if (h->state == FREED) {
        wrong = "memory that was freed already";
    } else {
        h->state = FREED;
        live -= sizeof(*h) + (h->bytes + ALIGN - 1) / ALIGN * ALIGN;
        blocks--;
    }
    pthread_mutex_unlock(&lock);
    return wrong;
}

void *cpu_heap_malloc(size_t bytes)
{
    return cpu_thread() ? heap_take(bytes) : malloc(bytes);
}

void *cpu_heap_calloc(size_t count, size_t bytes)
{
    size_t whole = 0;
    void *p;

    if (!cpu_thread())
        return calloc(count, bytes);
    if (__builtin_mul_overflow(count, bytes, &whole))
        return NULL;
    p = heap_take(whole);
    return p ? memset(p, 0, whole) : NULL;
}

void cpu_heap_free(void *pointer)
{
    struct thread *t = cpu_thread();
    const char *wrong;

    if (!t) {
        free(pointer);
        return;
    }
    wrong = pointer ? heap_give(pointer) : NULL;
    if (wrong) {
        cpu_fail(cudaErrorLaunchFailure, "%s: free or delete of %s, in thread %u of block %llu",
                 t->block->launch->name, wrong, t->id, (unsigned long long)t->block->number);
        cpu_kill(t);
    }
}
