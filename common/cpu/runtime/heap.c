/*
 * malloc, free, new and delete of a program's .cu files, which are compiled to call these
 * (include/heap_functions.h): in a kernel they serve from the device's heap, elsewhere they are the
 * C library's own.
 *
 * Each device has a heap. It hands out addresses in rising order, each block behind a header, and
 * takes an address again only in a later launch, when no block is left: so a block freed twice or
 * touched too late stays known, and no two threads seem to share a word. The limit counts the live
 * bytes. All of it is under the lock.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/device_set.h"
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
static struct heap {
    size_t next, live, blocks; /* next: from its start, where the next block goes */
    bool limited;              /* by cudaDeviceSetLimit: */
    size_t limit;
} heaps[MAX_DEVICES];

void heap_set_limit(int device, size_t bytes)
{
    heaps[device].limited = true;
    heaps[device].limit = bytes;
}

void heap_launch_begin(int device)
{
    struct heap *heap = &heaps[device];

    pthread_mutex_lock(&lock);
    if (!heap->blocks)
        heap->next = ALIGN;
    pthread_mutex_unlock(&lock);
}

static void *heap_take(int device, size_t bytes)
{
    struct heap *heap = &heaps[device];
    size_t whole = sizeof(struct header) + (bytes + ALIGN - 1) / ALIGN * ALIGN;
    size_t limit = heap->limited ? heap->limit : HEAP_LIMIT;
    uintptr_t base = memory_heap(device);
    struct header *h = NULL;

    if (!base || bytes > limit)
        return NULL;
    pthread_mutex_lock(&lock);
    if (heap->live + whole <= limit && memory_heap_use(device, heap->next + whole)) {
        h = (struct header *)(base + heap->next);
        *h = (struct header){.bytes = bytes, .state = LIVE};
        heap->next += whole;
        heap->live += whole;
        heap->blocks++;
    }
    pthread_mutex_unlock(&lock);
    return h ? h + 1 : NULL;
}

/* NULL, or what is wrong with the pointer. */
static const char *heap_give(int device, void *pointer)
{
    struct heap *heap = &heaps[device];
    struct header *h = (struct header *)pointer - 1;
    uintptr_t offset = (uintptr_t)pointer - memory_heap(device);
    const char *wrong = NULL;

    pthread_mutex_lock(&lock);
    if (offset >= heap->next || offset % ALIGN || offset < ALIGN + sizeof(*h) ||
        (h->state != LIVE && h->state != FREED)) {
        wrong = "a pointer that malloc or new did not return in a kernel";
    } else if (h->state == FREED) {
        wrong = "memory that was freed already";
    } else {
        h->state = FREED;
        heap->live -= sizeof(*h) + (h->bytes + ALIGN - 1) / ALIGN * ALIGN;
        heap->blocks--;
    }
    pthread_mutex_unlock(&lock);
    return wrong;
}

/* Of the device that the thread is on. */
static int device_of(const struct thread *t)
{
    return t->block->launch->device;
}

void *cpu_heap_malloc(size_t bytes)
{
    struct thread *t = cpu_thread();

    return t ? heap_take(device_of(t), bytes) : malloc(bytes);
}

void *cpu_heap_calloc(size_t count, size_t bytes)
{
    struct thread *t = cpu_thread();
    size_t whole = 0;
    void *p;

    if (!t)
        return calloc(count, bytes);
    if (__builtin_mul_overflow(count, bytes, &whole))
        return NULL;
    p = heap_take(device_of(t), whole);
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
    wrong = pointer ? heap_give(device_of(t), pointer) : NULL;
    if (wrong) {
        cpu_fail(cudaErrorLaunchFailure, "%s: free or delete of %s, in thread %u of block %llu",
                 t->block->launch->name, wrong, t->id, (unsigned long long)t->block->number);
        cpu_kill(t);
    }
}
