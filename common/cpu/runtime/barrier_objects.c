/*
 * Barrier objects: what a kernel calls for cuda::barrier, the __mbarrier primitives and mbarrier of
 * inline PTX.
 *
 * An object is one word: see engine/object.h. A phase ends when no arrival and no byte is awaited
 * any more; there may be fewer bytes than none, where copies came before somebody expected them.
 * The word changes by compare and
 * exchange, because one in global memory is used by blocks of several workers. Who waits for one in
 * shared memory sleeps; who waits for one in global memory, or only tries to, polls.
 *
 * To the tools an arrival is an atomic write of the word that releases, a wait that succeeds is an
 * atomic read of it and a fence: so a barrier that is used before it is initialised, and what is
 * not ordered by it, are found as they are for any other flag.
 */
#include "cpu/abi.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/async_copies.h"
#include "cpu/engine/block_barrier.h"
#include "cpu/engine/bulk_copies.h"
#include "cpu/engine/cluster.h"
#include "cpu/engine/object.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/barrier_objects.h"

enum { CHANGE = ACCESS_ATOMIC | ACCESS_WRITE | ACCESS_OBJECT }; /* of an object */

static uint32_t count_of(uint64_t state)
{
    return (uint32_t)(state >> OBJECT_COUNT_BITS & OBJECT_COUNT_MAX);
}

static uint64_t phase_of(uint64_t state)
{
    return (state & ~CPU_HELD) >> OBJECT_PHASE_SHIFT;
}

/* So many more bytes than in the state, or fewer. */
static uint64_t with_bytes(uint64_t state, int64_t more)
{
    const uint64_t mask = (((uint64_t)1 << OBJECT_BYTES_BITS) - 1) << OBJECT_BYTES_SHIFT;

    return (state & ~mask) | ((uint64_t)(object_bytes(state) + more) << OBJECT_BYTES_SHIFT & mask);
}

static bool is_complete(uint64_t state)
{
    return !object_pending(state) && !object_bytes(state);
}

static uint64_t load(const uint64_t *object)
{
    return __atomic_load_n(object, __ATOMIC_SEQ_CST);
}

static void fail(struct thread *t, const char *what)
{
    cpu_fail(cudaErrorLaunchFailure, "%s: %s (thread %u of block %llu)", t->block->launch->name,
             what, t->id, (unsigned long long)t->block->number);
    cpu_kill(t);
}

static void check_initialised(struct thread *t, uint64_t state)
{
    if (!count_of(state))
        fail(t, "a barrier object is used that was not initialised");
}

void cpu_object_init(uint64_t *object, uint32_t count)
{
    struct thread *t = cpu_thread();

    access_observe(t, object, sizeof(*object), ACCESS_WRITE | ACCESS_OBJECT, HERE);
    if ((uintptr_t)object % sizeof(*object))
        fail(t, "a barrier object lies at an address that is no multiple of 8");
    if (!count || count > OBJECT_COUNT_MAX)
        fail(t, "a barrier object is initialised with a count that is not 1 to 1048575");
    t->site = HERE;
    OBSERVE(object, t, (uintptr_t)object, OBJECT_BEGINS, 0);
    __atomic_store_n(object, (uint64_t)count << OBJECT_COUNT_BITS | count, __ATOMIC_SEQ_CST);
}

void cpu_object_end_of_life(uint64_t *object)
{
    access_observe(cpu_thread(), object, sizeof(*object), ACCESS_WRITE | ACCESS_OBJECT, HERE);
    __atomic_store_n(object, 0, __ATOMIC_SEQ_CST);
}

/* The block whose threads may sleep for it: of the cluster the one in whose shared memory it is. */
static struct block *home_of(struct thread *t, const uint64_t *object)
{
    struct block *b = cluster_owner(t->block, (uintptr_t)object);

    return b ? b : t->block;
}

static void end_phase(struct thread *t, uint64_t *object)
{
    struct block *home = home_of(t, object);
    uint64_t old = load(object), next;

    async_copy_arrive(home, (uintptr_t)object);
    do {
        next = (phase_of(old) + 1) << OBJECT_PHASE_SHIFT & ~CPU_HELD;
        next |= (uint64_t)count_of(old) << OBJECT_COUNT_BITS | count_of(old);
    } while (
        !__atomic_compare_exchange_n(object, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    object_wake(home, (uintptr_t)object);
}

/* Blocks of a cluster tell each other at least what a device's do. */
static enum cpu_scope scope_in(const struct thread *t, enum cpu_scope scope)
{
    return scope == CPU_SCOPE_BLOCK && t->block->launch->cluster.x ? CPU_SCOPE_DEVICE : scope;
}

/* The tools are told that the thread makes known, through the object, what it has done. It does not
 * learn what others have, unless it is to hold the phase if it is the last one. */
static void notify_arrival(struct thread *t, uint64_t *object, bool learns, enum cpu_scope scope,
                           uintptr_t site)
{
    t->fence = CPU_FENCE_RELEASES;
    OBSERVE(fence, t, scope_in(t, scope));
    access_observe(t, object, sizeof(*object), learns ? CHANGE : CHANGE | ACCESS_QUIET, site);
    t->site = site;
    OBSERVE(object, t, (uintptr_t)object, OBJECT_ARRIVES, 0);
}

uint64_t cpu_object_arrive(uint64_t *object, uint32_t count, enum cpu_arrival how,
                           enum cpu_scope scope)
{
    struct thread *t = cpu_thread();
    bool drop = how == CPU_ARRIVE_DROP || how == CPU_ARRIVE_DROP_HOLD;
    bool hold = how == CPU_ARRIVE_HOLD || how == CPU_ARRIVE_DROP_HOLD;
    uint64_t old, next;

    notify_arrival(t, object, hold, scope, HERE);
    old = load(object);
    do {
        check_initialised(t, old);
        if (object_pending(old) < count)
            fail(t, "more arrivals at a barrier object than its phase awaits");
        next = old - count;
        if (drop)
            next -= (uint64_t)1 << OBJECT_COUNT_BITS;
    } while (
        !__atomic_compare_exchange_n(object, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    old &= ~CPU_HELD;
    if (!is_complete(next))
        return old;
    if (hold)
        return old | CPU_HELD;
    end_phase(t, object);
    return old;
}

/* The bytes that the phase awaits become so many more. */
static void add_bytes(struct thread *t, uint64_t *object, int64_t more)
{
    uint64_t old = load(object), next;
    int64_t bytes;

    OBSERVE(object, t, (uintptr_t)object, OBJECT_COUNTS, 0);
    do {
        check_initialised(t, old);
        bytes = object_bytes(old) + more;
        if (bytes > OBJECT_COUNT_MAX || bytes < -OBJECT_COUNT_MAX)
            fail(t, "a barrier object awaits more than 1048575 bytes");
        next = with_bytes(old, more);
    } while (
        !__atomic_compare_exchange_n(object, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    cpu_progress();
    if (is_complete(next))
        end_phase(t, object);
}

void object_copies_arrive(struct thread *t, struct block *b, uint64_t *object)
{
    int64_t bytes = bulk_arrive(b, (uintptr_t)object);

    if (bytes)
        add_bytes(t, object, -bytes);
}

/* To the tools it is an atomic write without a fence. */
void cpu_object_expect(uint64_t *object, uint32_t bytes)
{
    struct thread *t = cpu_thread();

    access_observe(t, object, sizeof(*object), CHANGE | ACCESS_QUIET, HERE);
    add_bytes(t, object, bytes);
}

void cpu_object_complete(uint64_t *object, uint32_t bytes)
{
    struct thread *t = cpu_thread();

    access_observe(t, object, sizeof(*object), CHANGE | ACCESS_QUIET, HERE);
    add_bytes(t, object, -(int64_t)bytes);
}

void cpu_object_end(uint64_t *object, enum cpu_scope scope)
{
    struct thread *t = cpu_thread();

    notify_arrival(t, object, false, scope, HERE);
    end_phase(t, object);
}

uint32_t cpu_object_pending(uint64_t state)
{
    return object_pending(state);
}

static bool ended(const uint64_t *object, uint64_t phase, bool by_parity)
{
    uint64_t now = phase_of(load(object));

    return by_parity ? (now & 1) != phase : now != phase;
}

/* What the thread waits for. A phase that has ended meanwhile awaits none of the copies. */
static void take_copies(struct thread *t, uint64_t *object, uint64_t phase, bool by_parity)
{
    if (!ended(object, phase, by_parity))
        object_copies_arrive(t, t->block, object);
}

static bool wait_for(uint64_t *object, uint64_t phase, bool by_parity, enum cpu_scope scope,
                     enum cpu_patience how, uintptr_t site)
{
    struct thread *t = cpu_thread();
    unsigned flags = ACCESS_ATOMIC | ACCESS_OBJECT;

    if (by_parity)
        flags |= phase ? ACCESS_ODD : ACCESS_EVEN;
    access_observe(t, object, sizeof(*object), flags, site);
    check_initialised(t, load(object));
    if (cpu_driver && how == CPU_TRY) /* it may wait, and its program would try again */
        how = CPU_WAIT;
    if (!ended(object, phase, by_parity)) {
        bool copies = bulk_awaited(t->block, (uintptr_t)object);

        t->object = (uintptr_t)object;
        if (how == CPU_TEST) {
            OBSERVE(object, t, (uintptr_t)object, OBJECT_TESTS, phase);
            cpu_poll(t, site, cpu_polled(object, phase));
        } else if (how == CPU_TRY || copies)
            cpu_spin(t, site); /* others first: copies arrive late */
        take_copies(t, object, phase, by_parity);
        while (how == CPU_WAIT && !ended(object, phase, by_parity)) {
            if (cpu_is_shared(object))
                object_sleep(t, (uintptr_t)object, site);
            else
                cpu_spin(t, site);
            take_copies(t, object, phase, by_parity);
        }
        t->object = 0;
        if (!ended(object, phase, by_parity))
            return false;
        access_observe(t, object, sizeof(*object), flags, site);
    }
    t->site = site;
    OBSERVE(object, t, (uintptr_t)object, by_parity ? OBJECT_PASSES_PARITY : OBJECT_PASSES, phase);
    t->fence = CPU_FENCE_OF_ATOMIC;
    OBSERVE(fence, t, scope_in(t, scope));
    return true;
}

bool cpu_object_wait(uint64_t *object, uint64_t state, enum cpu_scope scope, enum cpu_patience how)
{
    return wait_for(object, phase_of(state), false, scope, how, HERE);
}

bool cpu_object_wait_parity(uint64_t *object, bool parity, enum cpu_scope scope,
                            enum cpu_patience how)
{
    return wait_for(object, parity, true, scope, how, HERE);
}

/* That without a number of threads is __syncthreads, where the number is 0. */
void cpu_named_barrier(unsigned number, unsigned threads, bool waits)
{
    struct thread *t = cpu_thread();
    const char *mistake;

    if (!number && !threads && waits) {
        barrier_wait(t, false, HERE);
        return;
    }
    mistake = named_barrier(t, number, threads, waits, HERE);
    if (mistake)
        fail(t, mistake);
}

void cpu_object_expect_copies(uint64_t *object)
{
    struct thread *t = cpu_thread();

    async_copy_bind(t, (uintptr_t)object);
    OBSERVE(object, t, (uintptr_t)object, OBJECT_COUNTS, 0);
    notify_arrival(t, object, false, CPU_SCOPE_BLOCK, HERE);
}
