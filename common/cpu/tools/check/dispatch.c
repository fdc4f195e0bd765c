/*
 * --check: what is observed, put to each kind of check. See check.h for the parts.
 *
 * A block in flight has a serial number that no other has, nor itself after a grid barrier, so that
 * an access in the shadow says by its serial which block did it and whether that can still matter:
 * those that are in order before the launch, and of before its grid barrier, cannot. The state
 * of a block, struct check_block, is made with its first block and kept as long as its memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/cluster.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/fiber.h"
#include "cpu/tools/check/check.h"
#include "cpu/tools/check/ended.h"
#include "cpu/tools/check/vector_clock.h"
#include "cpu/tools/check/sites.h"
#include "cpu/tools/check/past.h"

static _Atomic uint64_t next_serial = 1;
static uint64_t era;    /* how often the serial numbers began again */
static unsigned active; /* launches that have begun and not ended */

static __attribute__((noinline)) bool check_any(const struct access *a)
{
    struct thread *t = a->thread;
    struct check_block *cb = check_of(t->block);
    bool reads, synchronises;
    struct place p;

    if (a->space == SPACE_LOCAL) {
        products_local(a);
        return true;
    }
    if (cb->thread[t->id].polled)
        race_global_settle(t, a);
    if (a->space == SPACE_CLUSTER && !clusters_check_access(a, cluster_owner(t->block, a->address)))
        return true;
    if (!place_find(a, &p)) {
        cb->killed = true;
        return false;
    }
    if (!p.shadow)
        return true;
    if (p.owner == t->block && cb->flights && async_in_flight(a, &p))
        return true;
    if (p.owner == t->block && cb->products && products_still_read(a, &p))
        return true;
    place_check_written(a, &p);
    section_access(a);
    if (p.region)
        race_global_check(a, &p);
    else
        shadow_shared_check(a, p.offset);
    synchronises = a->flags & ACCESS_ATOMIC || (p.region && a->flags & ACCESS_VOLATILE);
    if (!synchronises)
        return true;
    reads = !(a->flags & ACCESS_WRITE && a->flags & ACCESS_VOLATILE);
    if (a->flags & ACCESS_WRITE)
        order_publish(a, p.region != NULL);
    if (!reads)
        section_written(a);
    if (reads && !(a->flags & ACCESS_OBJECT && a->flags & ACCESS_QUIET))
        order_poll(a, &p);
    return true;
}

static bool check_access(const struct access *a)
{
    struct thread *t = a->thread;

    if (a->space == SPACE_SHARED && !check_of(t->block)->clustered &&
        !check_of(t->block)->thread[t->id].polled && shadow_shared_check_plain(a))
        return true;
    return check_any(a);
}

/* Memory of the thread's own. Nothing else touches it but products that nobody has waited for. */
static inline bool is_own(struct thread *t, uintptr_t address)
{
    return fiber_holds(t->fiber, address) && !warp_of(t)->products;
}

/* A word where there is nothing to find, and nothing to keep but who was there. */
static inline bool check_word(struct thread *t, uintptr_t address, size_t offset, unsigned flags,
                              uintptr_t site)
{
    const struct worker *w = t->block->worker;
    const struct check_block *cb = check_of(t->block);
    const struct check_thread *ct = &cb->thread[t->id];

    if (cb->passed || ct->polled || ct->holding.lock)
        return false;
    if (offset < SHARED_BYTES)
        return !cb->clustered && shadow_shared_check_quickly(t, offset, flags, site);
    return !flags && address - w->open_from < w->open_bytes &&
           race_global_read_quickly(t, address, site);
}

/* The observer's `quick`: most accesses are of words where there is nothing to find. */
static void check_quickly(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                          uintptr_t site, access_notifier *other)
{
    size_t offset = address - (uintptr_t)t->block->shared;

    if ((offset >= SHARED_BYTES && is_own(t, address)) ||
        (bytes == 4 && address % 4 == 0 && check_word(t, address, offset, flags, site)))
        t->slice++;
    else
        other(t, address, bytes, flags, site);
}

static void check_barrier(struct block *b)
{
    struct check_block *cb = check_of(b);
    struct check_launch *cl = b->launch->check;

    sync_barrier(b);
    order_barrier(b);
    if (cb->first_serial != atomic_load(&cl->first_serial)) { /* a grid barrier */
        cb->first_serial = atomic_load(&cl->first_serial);
        cb->serial = cb->first_serial + (uint32_t)b->number;
        order_forget(cb);
        cb->common = cl->inherited;
    }
}

/* For all blocks of the launch, or of its part up to the next grid barrier: the first. */
static uint32_t take_serials(const struct launch *l)
{
    uint64_t from = atomic_fetch_add(&next_serial, l->blocks);
    struct past p = {.from = from,
                     .to = from + l->blocks,
                     .name = l->name,
                     .is_kernel = true,
                     .device = l->device,
                     .grid = l->grid,
                     .dim = l->dim,
                     .stream = l->stream,
                     .number = l->number};

    past_add(&p, !l->beside);
    return (uint32_t)from;
}

/* All blocks wait: what they did before is in order with all that follows, as between launches. */
static void grid_barrier(struct launch *l)
{
    struct check_launch *cl = l->check;

    atomic_store(&cl->first_serial, take_serials(l));
}

static void block_begin(struct block *b)
{
    struct check_launch *cl = b->launch->check;
    struct check_block *cb = b->check;

    if (!cb && !(cb = b->check = calloc(1, sizeof(*cb)))) {
        fprintf(stderr, "--check: out of memory\n");
        exit(3);
    }
    order_forget(cb);
    cb->common = cl->inherited;
    async_forget(cb);
    if (cb->latest < cb->base)
        cb->latest = cb->base;
    if (cb->latest > EPOCH_MAX / 2 || cb->era != era) {
        memset(cb->thread, 0, sizeof(cb->thread));
        memset(cb->shadow, 0, sizeof(cb->shadow));
        cb->latest = 0;
        cb->era = era;
    }
    cb->base = cb->latest + 1;
    cb->first_serial = atomic_load(&cl->first_serial);
    cb->serial = cb->first_serial + (uint32_t)b->number;
    cb->launch_serial = cl->launch_serial;
    cb->floor = cl->floor;
    cb->device = b->launch->device;
    cb->killed = false;
    cb->passed = 0;
    clusters_block_begin(b);
}

/* Shared memory is forgotten here, when it is known how much of it was there. */
static void block_end(struct block *b)
{
    struct check_block *cb = check_of(b);
    size_t words = (b->shared_used + b->shared_gaps + 31) / 32;

    bulk_check_end(b);
    products_end(b);
    products_forget(b);
    memset(cb->written, 0, words * sizeof(cb->written[0]));
    if (b->launch->beside)
        ended_block(b);
}

static void thread_end(struct thread *t)
{
    sync_thread_end(t);
    clusters_thread_end(t);
}

void check_free_block(struct block *b)
{
    if (b->check) {
        free(check_of(b)->bytes);
        clusters_free(check_of(b));
    }
    free(b->check);
}

static void host_access(const struct access *a)
{
    struct place p;

    if (past_unwaited() && place_of_host(a, &p))
        race_global_by_host(a, &p);
}

/* What launches have released, of which no later one needs to know. */
static void forget_releases(void)
{
    vector_clock_forget();
    sections_forget();
    ended_forget();
}

/* Serial numbers have 32 bits; half of them are for the grid barriers of launches. */
static void begin_again(uint64_t more)
{
    if (atomic_load(&next_serial) + more <= (uint64_t)1 << 31 || active)
        return;
    place_forget_accesses();
    era++;
    atomic_store(&next_serial, 1);
    past_forget();
    forget_releases();
}

static void launch_begin(struct launch *l)
{
    struct check_launch *cl = l->check = calloc(1, sizeof(*cl));
    uint64_t next, floor;

    if (!cl) {
        fprintf(stderr, "--check: out of memory\n");
        exit(3);
    }
    begin_again(l->blocks);
    next = atomic_load(&next_serial);
    floor = l->beside ? past_floor(l->after) : next;
    cl->floor = (uint32_t)(floor < next ? floor : next);
    if (!active && floor >= next) /* else it may acquire what one before has released */
        forget_releases();
    cl->inherited = l->beside ? ended_before(l->after) : NULL;
    if (l->beside && past_unwaited()) /* who acquires from this launch is behind these, too */
        cl->inherited = vector_clock_behind(cl->inherited, l->after);
    cl->launch_serial = take_serials(l);
    atomic_store(&cl->first_serial, cl->launch_serial);
    if (!active++)
        sites_launch_begin();
    findings_launch(l);
}

static void launch_resume(struct launch *l)
{
    findings_launch(l);
}

static void launch_end(struct launch *l)
{
    if (!--active && !l->beside)
        forget_releases();
    else if (l->beside)
        ended_launch(l);
    findings_print();
    free(l->check);
    l->check = NULL;
}

/* A copy, say: one serial number for all that it touches. */
static void stream_access(const struct stream_access *a)
{
    static uint64_t serial, number;
    static uint32_t stream = UINT32_MAX;

    if (stream != a->stream || number != a->number || serial >= atomic_load(&next_serial)) {
        struct past p = {
            .name = a->call, .device = a->device, .stream = a->stream, .number = a->number};

        begin_again(1);
        stream = a->stream;
        number = a->number;
        serial = atomic_fetch_add(&next_serial, 1);
        p.from = serial;
        p.to = serial + 1;
        past_add(&p, false);
    }
    race_global_by_stream(a, (uint32_t)serial);
}

static void check_fence(struct thread *t, enum cpu_scope scope)
{
    race_global_settle(t, NULL);
    if (t->fence == CPU_FENCE_RELEASES)
        order_release(t, scope);
    else if (t->fence == CPU_FENCE_ACQUIRES)
        order_acquire(t, scope);
    else
        order_fence(t, scope);
}

const struct observer check_observer = {
    .access = check_access,
    .quick = check_quickly,
    .fence = check_fence,
    .swapped = section_swapped,
    .barrier = check_barrier,
    .grid_barrier = grid_barrier,
    .cluster_arrive = clusters_arrive,
    .cluster_barrier = clusters_barrier,
    .cluster_pass = clusters_pass,
    .warp = sync_warp,
    .warp_synced = order_warp,
    .lane_missing = sync_lane_missing,
    .lanes_apart = sync_lanes_apart,
    .grid_missing = sync_grid_missing,
    .without_mask = sync_without_mask,
    .arrive = async_arrive,
    .pass = async_pass,
    .copy = async_copy,
    .copied = async_copied,
    .product = products_begin,
    .multiplied = products_done,
    .products_waited = products_waited,
    .bulk = bulk_check_begin,
    .bulk_done = bulk_check_done,
    .proxy_fence = products_proxy_fence,
    .thread_end = thread_end,
    .block_begin = block_begin,
    .block_end = block_end,
    .launch_coming = orders_run,
    .launch_begin = launch_begin,
    .launch_resume = launch_resume,
    .launch_end = launch_end,
    .stuck = sync_stuck,
    .host_write = place_host_write,
    .host_access = host_access,
    .stream_access = stream_access,
    .allocated = place_allocated,
    .guarded = place_guarded,
    .freed = place_freed,
};
