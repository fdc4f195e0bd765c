/*
 * Asynchronous copies from global to shared memory: what a kernel calls. When they arrive is the
 * engine's matter (engine/async_copies.c).
 *
 * The tools are told of the load and the store when the copy begins, marked, because on a GPU the
 * store is no instruction; and of the copy itself when it begins and when it has arrived.
 */
#include "cpu/abi.h"
#include "cpu/engine/async_copies.h"
#include "cpu/runtime/access.h"

void cpu_copy_async(void *to, const void *from, unsigned bytes, unsigned zeros)
{
    struct thread *t = cpu_thread();
    struct copy c = {.to = to, .from = from, .bytes = bytes, .zeros = zeros, .site = HERE};

    if (bytes > zeros)
        access_observe(t, from, bytes - zeros, ACCESS_ASYNC, HERE);
    access_observe(t, to, bytes, ACCESS_ASYNC | ACCESS_WRITE, HERE);
    async_copy_begin(t, &c);
}

void cpu_copy_commit(void)
{
    async_copy_commit(cpu_thread());
}

void cpu_copy_wait(uint64_t prior)
{
    async_copy_wait(cpu_thread(), prior);
}
