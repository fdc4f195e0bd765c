/*
 * What a kernel calls: where a thread is, shared memory, barriers, warp operations, fences, time.
 * CUDA's names for these are in include/.
 *
 * Each is called by the GPU thread that it serves. It takes the address it was called from as the
 * place in the code, so none of them may be inlined or called by another.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cpu/abi.h"
#include "cpu/engine/block.h"
#include "cpu/engine/block_barrier.h"
#include "cpu/engine/cluster.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/in_step.h"
#include "cpu/engine/library_calls.h"
#include "cpu/engine/object.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"
#include "cpu/engine/warp.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/kernels.h"

/* --- where a thread is, and shared memory ---------------------------------------------------- */

static inline unsigned along(const struct cpu_dim *d, enum cpu_axis axis)
{
    return axis == CPU_X ? d->x : axis == CPU_Y ? d->y : d->z;
}

unsigned cpu_thread_index(enum cpu_axis axis)
{
    return along(&cpu_place.thread, axis);
}

unsigned cpu_block_index(enum cpu_axis axis)
{
    return along(&cpu_place.block, axis);
}

unsigned cpu_block_dim(enum cpu_axis axis)
{
    return along(&cpu_place.block_dim, axis);
}

unsigned cpu_grid_dim(enum cpu_axis axis)
{
    return along(&cpu_place.grid_dim, axis);
}

bool cpu_on_device(const char *file, int line)
{
    bool device = cpu_thread() != NULL;

    if (!device && library_open())
        library_took_host(file, line);
    return device;
}

/* Declarations of several functions name the same memory; of different ones none is known. */
static bool is_same(const struct cpu_shared_variable *a, const struct cpu_shared_variable *b)
{
    return a == b || (a->element == b->element && !strcmp(a->name, b->name));
}

void *cpu_dynamic_shared(const struct cpu_shared_variable *v)
{
    static const struct cpu_shared_variable unknown = {.name = ""};
    struct block *b = cpu_thread()->block;

    if (v && !b->dynamic)
        b->dynamic = v;
    else if (v && !is_same(v, b->dynamic))
        b->dynamic = &unknown;
    return b->shared;
}

/* Another block of the cluster may reach a variable before its own threads are at the declaration.
 * So all have it from the first one on, and at the same place. They are one worker's. */
static void tell_cluster(const struct block *b)
{
    for (unsigned i = 0; b->cluster && i < b->cluster->blocks; i++) {
        struct block *other = b->cluster->member[i].block;

        if (other == b || other->cluster != b->cluster)
            continue;
        other->static_slot[b->statics - 1] = b->static_slot[b->statics - 1];
        other->shared_used = b->shared_used;
        other->shared_gaps = b->shared_gaps;
        other->statics = b->statics;
    }
}

/* A __shared__ variable: the same place for all threads of the block, found by its declaration. */
void *cpu_static_shared(const struct cpu_shared_variable *v, size_t bytes, size_t alignment)
{
    struct thread *t = cpu_thread();
    struct block *b = t->block;
    struct static_shared *s;
    size_t fixed = bytes, offset; /* without gaps */
    unsigned i;

    for (i = 0; i < b->statics; i++) {
        if (b->static_slot[i].variable == v)
            return b->shared + b->static_slot[i].offset;
        fixed += b->static_slot[i].bytes;
    }
    s = &b->static_slot[i];
    if (alignment < 16)
        alignment = 16;
    offset = (b->shared_used + alignment - 1) & ~(alignment - 1);
    if (fixed > MODEL_SHARED_PER_BLOCK) { /* without what lies between them */
        cpu_fail(cudaErrorInvalidKernelImage,
                 "%s: %zu bytes of static shared memory, and a kernel may declare %d (nvcc: \"uses "
                 "too much shared data\"); more is to be had as extern __shared__",
                 b->launch->name, fixed, MODEL_SHARED_PER_BLOCK);
        cpu_kill(t);
    }
    if (b->launch->shared_limit <= MODEL_SHARED_PER_BLOCK &&
        fixed + b->launch->dynamic_shared > MODEL_SHARED_PER_BLOCK) {
        cpu_fail(
            cudaErrorInvalidValue,
            "%s is launched with %zu bytes of dynamic shared memory and declares %zu, where both "
            "may have %d (cudaFuncSetAttribute allows more)",
            b->launch->name, b->launch->dynamic_shared, fixed, MODEL_SHARED_PER_BLOCK);
        cpu_kill(t);
    }
    if (i == MAX_STATICS || offset + bytes > MODEL_SHARED_OPTIN) {
        cpu_fail(cudaErrorLaunchOutOfResources, "%s: more than %d bytes of shared memory a block",
                 b->launch->name, MODEL_SHARED_OPTIN);
        cpu_kill(t);
    }
    s->variable = v;
    s->bytes = bytes;
    if (cpu_shared_gaps && offset)
        b->shared_gaps += SHARED_GAP;
    s->offset = offset + b->shared_gaps;
    b->shared_used = offset + bytes;
    b->statics++;
    tell_cluster(b);
    kernel_note_static(b->launch->kernel, b->shared_used - b->launch->dynamic_shared);
    return b->shared + s->offset;
}

/* --- barriers -------------------------------------------------------------------------------- */

void cpu_at_line(unsigned line)
{
    cpu_thread()->line = line;
}

void cpu_at_return(void)
{
    cpu_thread()->returned = true;
}

void cpu_barrier(void)
{
    barrier_wait(cpu_thread(), false, HERE);
}

int cpu_barrier_count(int predicate)
{
    struct thread *t = cpu_thread();

    barrier_wait(t, predicate != 0, HERE);
    return (int)t->block->vote_result;
}

int cpu_barrier_and(int predicate)
{
    struct thread *t = cpu_thread();

    barrier_wait(t, predicate != 0, HERE);
    return t->block->vote_result == t->block->vote_size;
}

int cpu_barrier_or(int predicate)
{
    struct thread *t = cpu_thread();

    barrier_wait(t, predicate != 0, HERE);
    return t->block->vote_result != 0;
}

bool cpu_grid_valid(void)
{
    return cpu_thread()->block->launch->cooperative;
}

void cpu_stop(const char *text)
{
    struct thread *t = cpu_thread();

    cpu_fail(cudaErrorLaunchFailure, "%s: %s (thread %u of block %llu)", t->block->launch->name,
             text, t->id, (unsigned long long)t->block->number);
    cpu_kill(t);
    abort();
}

void cpu_grid_barrier(void)
{
    struct thread *t = cpu_thread();

    if (!t->block->launch->cooperative) {
        t->site = HERE;
        OBSERVE(grid_missing, t);
        cpu_fail(cudaErrorLaunchFailure, "grid synchronisation in a launch that is not "
                                         "cooperative: use cudaLaunchCooperativeKernel");
        cpu_kill(t);
    }
    grid_wait(t, HERE);
}

/* --- warp operations ------------------------------------------------------------------------- */

void cpu_team_barrier(unsigned warps)
{
    team_wait(cpu_thread(), warps, HERE);
}

void cpu_team_publish(uint64_t value)
{
    struct thread *t = cpu_thread();

    t->block->team_value[t->id / WARP] = value;
}

uint64_t cpu_team_read(unsigned warp)
{
    return cpu_thread()->block->team_value[warp];
}

void cpu_syncwarp(uint32_t mask)
{
    warp_operation(cpu_thread(), CPU_WARP_SYNC, mask, 0, 0, WARP, HERE);
}

void cpu_without_mask(void)
{
    struct thread *t = cpu_thread();

    t->site = HERE;
    OBSERVE(without_mask, t);
}

uint64_t cpu_shuffle(enum cpu_warp_op op, uint32_t mask, uint64_t value, unsigned lane,
                     unsigned width)
{
    return warp_operation(cpu_thread(), op, mask, value, lane, width, HERE);
}

uint64_t cpu_vote(enum cpu_warp_op op, uint32_t mask, uint64_t value)
{
    if (__builtin_expect(cpu_driver != NULL, 0))
        access_clear_stack();
    return warp_operation(cpu_thread(), op, mask, value, 0, WARP, HERE);
}

uint64_t cpu_match_all(uint32_t mask, uint64_t value, int *predicate)
{
    struct thread *t = cpu_thread();
    uint64_t lanes = warp_operation(t, CPU_WARP_MATCH_ALL, mask, value, 0, WARP, HERE);

    *predicate = t->predicate;
    return lanes;
}

uint32_t cpu_activemask(unsigned line)
{
    return warp_active(cpu_thread(), line, HERE);
}

/* --- reads, fences and time
 * ------------------------------------------------------------------------- */

void cpu_read_only(const void *p, unsigned bytes)
{
    if (cpu_observers && cpu_thread()) {
        cpu_thread()->read_only = (uintptr_t)p;
        cpu_thread()->only_bytes = bytes;
    }
}

static void fence(enum cpu_scope scope, enum cpu_fence kind, uintptr_t site)
{
    struct thread *t = cpu_thread();

    atomic_thread_fence(memory_order_seq_cst);
    if (!t)
        return;
    t->fence = kind;
    t->site = site;
    OBSERVE(fence, t, scope);
    in_step_fence(t);
}

void cpu_meet(int line, int rank)
{
    struct thread *t = cpu_thread();

    if (t)
        in_step(t, (struct meeting){.site = HERE, .line = line, .rank = rank});
}

void cpu_fence(enum cpu_scope scope)
{
    fence(scope, CPU_FENCE_SC, HERE);
}

void cpu_fence_as(enum cpu_scope scope, enum cpu_fence kind)
{
    fence(scope, kind, HERE);
}

uint64_t cpu_acquired(enum cpu_scope scope, uint64_t bits)
{
    fence(scope, CPU_FENCE_ACQUIRES, HERE);
    return bits;
}

void cpu_atomic_order(int order)
{
    if (cpu_driver && cpu_thread())
        cpu_thread()->order = (unsigned char)order;
}

/* The clock where every run is to take the same steps, in ns: it is moved by who reads it or
 * sleeps. Kept by the one worker that runs then. */
enum { STEADY_READ = 100 };

/* And where a tool decides the order each thread has its own, so that a delay is over soon. */
enum { DRIVEN_READ = 1000000 };
static long long steady_time;

void cpu_nanosleep(unsigned ns)
{
    struct thread *t = cpu_thread();

    if (cpu_steady)
        steady_time += ns;
    if (t)
        cpu_spin(t, HERE);
}

/* A thread that watches the clock will stop by itself, so it is not stuck. */
long long cpu_clock(void)
{
    struct timespec now;

    if (cpu_thread())
        cpu_progress();
    if (cpu_thread() && cpu_driver)
        return cpu_thread()->clock += DRIVEN_READ;
    if (cpu_steady)
        return steady_time += STEADY_READ;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}
