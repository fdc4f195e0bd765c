/*
 * An access to memory, on its way to the tools: which memory it is in, whether it may be done, and
 * whose turn it is.
 *
 * A kernel must not touch the host's memory, nor another device's without peer access: the launch
 * fails then, as on a GPU. Of the program's
 * variables the __device__ ones are the kernel's (see memory_is_variable), and constants may be
 * read. The host must not touch the device's: the program ends then.
 *
 * With a tool on that keeps something of one lane until the others have caught up, the lanes of a
 * warp take turns after SLICE accesses each, so that it stays small. In the natural order lanes
 * keep within two turns of each other. In a random order one may be far ahead, and has to wait: not
 * for ever, since another may not be able to go on before it does.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cpu/abi.h"
#include "cpu/engine/cluster.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/in_step.h"
#include "cpu/engine/library_calls.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/queue.h"

enum {
    SLICE = 32,   /* accesses of a thread between turns */
    TURNS = 4096, /* that it lets others have, at most, when it is ahead */
};

static enum space space_of(const struct thread *t, uintptr_t address)
{
    if (address - (uintptr_t)t->block->shared < SHARED_BYTES)
        return SPACE_SHARED;
    if (memory_is_device(address)) /* its own, all devices', or a peer's */
        return address - memory_base >= MEMORY_RANGE ||
                       memory_is_open(t->block->launch->stripes, address)
                   ? SPACE_GLOBAL
                   : SPACE_OTHER;
    if (fiber_holds(t->fiber, address))
        return SPACE_LOCAL;
    if (t->block->cluster && cluster_owner(t->block, address))
        return SPACE_CLUSTER;
    if (memory_is_variable(address))
        return SPACE_GLOBAL;
    return SPACE_OTHER;
}

/* " (FILE:LINE)" of a place in the code, or nothing. */
static const char *at_line(uintptr_t site, char *text, size_t room)
{
    int line = 0;
    const char *file = cpu_source_line ? cpu_source_line(site, &line) : NULL;

    *text = '\0';
    if (file)
        snprintf(text, room, " (%s:%d)", file, line);
    return text;
}

static void refuse(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                   uintptr_t site)
{
    char line[200], what[80];

    if (address < 65536)
        snprintf(what, sizeof(what), "at the illegal address %#zx", (size_t)address);
    else if (memory_device(address) != ALL_DEVICES)
        snprintf(what, sizeof(what), "of device %d's memory without peer access, on device %d",
                 memory_device(address), t->block->launch->device);
    else
        snprintf(what, sizeof(what), "of the host's memory");
    cpu_fail(cudaErrorIllegalAddress,
             "an illegal memory access was encountered: %s %s %u bytes %s, in thread %u of block "
             "%llu%s",
             t->block->launch->name, flags & ACCESS_WRITE ? "writes" : "reads", bytes, what, t->id,
             (unsigned long long)t->block->number, at_line(site, line, sizeof(line)));
    cpu_kill(t);
}

/* Shared memory of a block of the cluster that is not there any more. An H100 says the same. */
static void refuse_ended(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                         uintptr_t site)
{
    char line[200];

    cpu_fail(
        cudaErrorLaunchFailure,
        "%s %s %u bytes of shared memory of block %llu, which has ended, in thread %u of block "
        "%llu%s",
        t->block->launch->name, flags & ACCESS_WRITE ? "writes" : "reads", bytes,
        (unsigned long long)cluster_owner(t->block, address)->number, t->id,
        (unsigned long long)t->block->number, at_line(site, line, sizeof(line)));
    cpu_kill(t);
}

void access_judge(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                  uintptr_t site)
{
    enum space space = space_of(t, address);

    if (space == SPACE_OTHER && (flags & ACCESS_WRITE || !memory_is_image(address)))
        refuse(t, address, bytes, flags, site);
    if (space == SPACE_CLUSTER && !cluster_owner(t->block, address)->alive)
        refuse_ended(t, address, bytes, flags, site);
}

void access_misaligned(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                       uintptr_t site)
{
    char line[200];

    cpu_fail(cudaErrorMisalignedAddress,
             "misaligned address: %s %s %u bytes at %#zx, which is no multiple of %u, in thread %u "
             "of block %llu%s",
             t->block->launch->name, flags & ACCESS_WRITE ? "writes" : "reads", bytes,
             (size_t)address, bytes, t->id, (unsigned long long)t->block->number,
             at_line(site, line, sizeof(line)));
    cpu_kill(t);
}

void access_by_host(uintptr_t address, unsigned bytes, unsigned flags, uintptr_t site)
{
    struct access a = {NULL, address, site, bytes, flags, SPACE_GLOBAL};
    const struct allocation *of = memory_find(address);
    char line[200];

    if (!memory_is_hidden(address)) {
        queue_run(); /* so that what is queued, and not waited for, is seen to touch it */
        OBSERVE(host_access, &a);
        return;
    }
    if (library_open()) {
        if (flags & ACCESS_WRITE)
            OBSERVE(host_write, address, bytes);
        return;
    }
    fflush(stdout);
    fprintf(stderr,
            "CPU device: the host's code %s %u bytes of device memory%s: segmentation fault on a "
            "machine with a GPU; copy them with cudaMemcpy",
            flags & ACCESS_WRITE ? "writes" : "reads", bytes, at_line(site, line, sizeof(line)));
    if (of && of->kind == MEMORY_DEVICE)
        fprintf(stderr, " (allocation %u, %zu bytes)", of->number, of->bytes);
    fputc('\n', stderr);
    _exit(3);
}

bool cpu_is_global(const void *p)
{
    return space_of(cpu_thread(), (uintptr_t)p) == SPACE_GLOBAL;
}

bool cpu_is_shared(const void *p)
{
    return space_of(cpu_thread(), (uintptr_t)p) == SPACE_SHARED;
}

bool cpu_is_local(const void *p)
{
    return space_of(cpu_thread(), (uintptr_t)p) == SPACE_LOCAL;
}

/* No other lane of its warp could go on together with it. */
static bool is_alone(const struct thread *t)
{
    const struct block *b = t->block;
    unsigned first = t->id / WARP * WARP;

    for (unsigned i = first; i < first + WARP && i < b->launch->threads; i++)
        if (i != t->id &&
            (set_has(b->ready, i) || (set_has(b->begun, i) && b->thread[i].wait != ENDED &&
                                      b->thread[i].wait != AT_BARRIER)))
            return false;
    return true;
}

/* The other lanes go first, and then some rounds pass. A lane that leaves others would find out of
 * step those that it went with, and a warp does not fall apart at an atomic. */
void access_come_late(struct thread *t, uintptr_t site)
{
    uint64_t dice = cpu_random(&t->block->worker->random);

    if (dice % 8 || cpu_driver)
        return;
    for (unsigned i = 0; i < WARP && !is_alone(t); i++)
        cpu_leave(t); /* stays ready */
    for (unsigned rounds = is_alone(t) ? 1 + dice / 8 % 4 : 0; rounds; rounds--)
        cpu_spin(t, site);
}

static void let_catch_up(struct thread *t, const struct observer *o)
{
    for (unsigned i = 0; i < TURNS && o->is_ahead(t); i++)
        in_step_give_way(t);
}

static void notify_tools(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                         uintptr_t site)
{
    struct access a = {t, address, site, bytes, flags, space_of(t, address)};
    bool turn = !cpu_driver && t->slice % SLICE == 0, waits = false,
         at_once = cpu_waits_for_lanes != NULL;

    if (__builtin_expect(t->only_bytes, 0)) {
        if (!(flags & ACCESS_WRITE) && address - t->read_only < t->only_bytes)
            a.flags |= ACCESS_READ_ONLY;
        else
            t->only_bytes = 0;
    }
    if (__builtin_expect(at_once, 0))
        for (unsigned i = 0; i < TURNS && cpu_waits_for_lanes(t, site); i++)
            cpu_give_way(t);
    for (const struct observer *o = cpu_observers; o; o = o->next) {
        waits |= o->is_ahead != NULL;
        if (__builtin_expect(turn && o->is_ahead, 0))
            let_catch_up(t, o);
        if (!o->access(&a))
            cpu_kill(t);
    }
    if (a.space == SPACE_OTHER && (flags & ACCESS_WRITE || !memory_is_image(address)))
        refuse(t, address, bytes, flags, site);
    if (!cpu_driver && ++t->slice % SLICE == 0 && (waits || cpu_random_order) && !at_once)
        cpu_give_way(t);
}

/* As of an access: a lane must not be many rounds ahead of the others. */
static void flow(uintptr_t site, enum flow what)
{
    struct thread *t = cpu_thread();

    if (!t || !cpu_observers || cpu_driver)
        return;
    for (const struct observer *o = cpu_observers; o; o = o->next) {
        if (!o->flow)
            continue;
        if (t->slice % SLICE == 0)
            let_catch_up(t, o);
        o->flow(t, site, what);
    }
    if (++t->slice % SLICE == 0)
        cpu_give_way(t);
}

void access_round(uintptr_t site)
{
    flow(site, FLOW_ROUND);
}

void access_branch(uintptr_t site, unsigned taken)
{
    flow(site, taken ? FLOW_TAKEN : FLOW_PASSED);
}

__attribute__((noinline)) void access_clear_stack(void)
{
    char below[2048];

    memset(below, 0, sizeof(below));
    __asm__ volatile("" : : "r"(below) : "memory"); /* or it would be left out */
}

/* Mostly there is one tool, which needs no more than this; not at the ends of a turn. */
void access_notify(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                   uintptr_t site)
{
    const struct observer *o = cpu_observers;

    if (__builtin_expect(cpu_driver != NULL, 0))
        access_clear_stack();
    if (o->quick && !o->next && !(flags & ~ACCESS_WRITE) && !t->only_bytes &&
        (t->slice + 1) % SLICE > 1)
        o->quick(t, address, bytes, flags, site, notify_tools);
    else
        notify_tools(t, address, bytes, flags, site);
}
