/*
 * memcpy, memmove and memset of a program's .cu files, where the compiler makes calls of them
 * (include/heap_functions.h). In a kernel the accesses are told to the tools in words, where both
 * sides lie so, else in bytes; then the C library does it.
 */
#include <stdint.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/runtime/access.h"

static void notify_range(const void *p, size_t bytes, unsigned flags, uintptr_t site)
{
    struct thread *t = cpu_thread();
    unsigned unit = ((uintptr_t)p | bytes) % 4 ? 1 : 4;

    if (!bytes)
        return;
    if (!t) {
        if (memory_is_hidden((uintptr_t)p) || (cpu_observers && memory_is_device((uintptr_t)p)))
            access_by_host((uintptr_t)p, (unsigned)bytes, flags, site);
        return;
    }
    for (size_t i = 0; i < bytes; i += unit)
        access_observe(t, (const char *)p + i, unit, flags, site);
}

void *cpu_memcpy(void *to, const void *from, size_t bytes)
{
    notify_range(from, bytes, 0, HERE);
    notify_range(to, bytes, ACCESS_WRITE, HERE);
    return memcpy(to, from, bytes);
}

void *cpu_memmove(void *to, const void *from, size_t bytes)
{
    notify_range(from, bytes, 0, HERE);
    notify_range(to, bytes, ACCESS_WRITE, HERE);
    return memmove(to, from, bytes);
}

void *cpu_memset(void *to, int value, size_t bytes)
{
    notify_range(to, bytes, ACCESS_WRITE, HERE);
    return memset(to, value, bytes);
}
