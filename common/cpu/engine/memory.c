/*
 * Device memory: one reserved range of addresses, handed out in rising order with gaps between
 * allocations, so that any address tells which allocation it is in, or next to. The system backs
 * only the pages that are touched; freed pages go back to it.
 *
 * The table of allocations is owned here and grows only: an entry keeps its number and address for
 * the whole program, freed or not, but the table may move. It changes under the lock, by calls of
 * the host; kernels read it (memory_find) without, since none runs while the host allocates.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"

static const size_t range_bytes = (size_t)1 << 42; /* of addresses: 4 TiB */

enum { GAP = 4096 }; /* bytes of nobody's memory behind each allocation, at least */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t range, range_next;
static struct allocation *table; /* in order of address */
static size_t count, room, used;

size_t memory_total(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) / 4 * 3 * (size_t)sysconf(_SC_PAGESIZE);
}

size_t memory_used(void)
{
    return used;
}

bool memory_is_device(uintptr_t address)
{
    return address - range < range_bytes && range;
}

extern char __data_start[], _end[]; /* set by the linker */

bool memory_is_program(uintptr_t address)
{
    return address >= (uintptr_t)__data_start && address < (uintptr_t)_end;
}

/* By the linker too, where a program has a section of that name: see __constant__. */
extern char __start_cpu_constant[] __attribute__((weak));
extern char __stop_cpu_constant[] __attribute__((weak));

bool memory_is_constant(uintptr_t address)
{
    return address >= (uintptr_t)__start_cpu_constant && address < (uintptr_t)__stop_cpu_constant;
}

static bool reserve(void)
{
    void *p =
        mmap(NULL, range_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return false;
    range = (uintptr_t)p;
    range_next = range + GAP;
    return true;
}

struct allocation *memory_find(uintptr_t address)
{
    size_t low = 0, high = count;

    while (low < high) { /* the last one whose base is not above address */
        size_t middle = (low + high) / 2;

        if (table[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &table[low - 1] : NULL;
}

cudaError_t memory_allocate(void **pointer, size_t bytes)
{
    cudaError_t error = cudaErrorMemoryAllocation;
    size_t pages = ((bytes + 255) / 256 * 256 + GAP + 4095) / 4096 * 4096;

    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (!bytes)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    if ((!range && !reserve()) || bytes > memory_total() || used + bytes > memory_total() ||
        range_next + pages > range + range_bytes)
        goto out;
    if (count == room) {
        size_t more = room ? 2 * room : 64;
        struct allocation *bigger = realloc(table, more * sizeof(*table));

        if (!bigger)
            goto out;
        table = bigger;
        room = more;
    }
    if (mprotect((void *)(range_next & ~(uintptr_t)4095), pages, PROT_READ | PROT_WRITE))
        goto out;
    table[count] =
        (struct allocation){.base = range_next, .bytes = bytes, .number = (unsigned)count + 1};
    OBSERVE(allocated, &table[count]);
    count++;
    *pointer = (void *)range_next;
    range_next += pages;
    used += bytes;
    error = cudaSuccess;
out:
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t memory_free(void *pointer)
{
    struct allocation *a;
    cudaError_t error = cudaSuccess;

    if (!pointer)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    a = memory_find((uintptr_t)pointer);
    if (!a || a->base != (uintptr_t)pointer || a->freed) {
        error = cudaErrorInvalidValue;
    } else {
        OBSERVE(freed, a);
        a->freed = true;
        used -= a->bytes;
        madvise(pointer, a->bytes, MADV_DONTNEED);
    }
    pthread_mutex_unlock(&lock);
    return error;
}
