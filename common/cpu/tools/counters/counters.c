/*
 * The counters. Each access of a thread is put to those of its warp (groups.c); a complete
 * warp-level access is added to a table of its worker's, one entry for each place in the code. At
 * the end of a launch the workers' tables are added up, so the sums do not depend on how many
 * workers there are.
 *
 * A warp's accesses hang on the warp and are kept as long as its block's memory. The tallies are a
 * launch's, made when it begins, one for each worker, and touched in it by that worker alone;
 * between launches they are empty and hold nothing but room.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/cluster.h"
#include "cpu/engine/async_products.h"
#include "cpu/engine/bulk_copies.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/schedule.h"
#include "cpu/tools/counters/counters.h"
#include "cpu/tools/counters/gather.h"
#include "cpu/tools/counters/links.h"
#include "cpu/tools/counters/nvcc.h"
#include "cpu/tools/counters/as_nvcc.h"
#include "cpu/tools/counters/tally.h"
#include "cpu/tools/grow.h"
#include "cpu/tools/lines/lines.h"
#include "cpu/tools/trace/trace.h"

/* What is counted of a launch that has begun and not ended, kept for another one then. */
struct counted {
    struct counted *next;
    struct tally *tallies; /* `count` of them */
    unsigned count;
    const struct nvcc_kernel *nvcc;
    bool used;
};
static struct counted *counted;

static struct tally *tallies;          /* of the launch that runs */
static const struct nvcc_kernel *nvcc; /* what nvcc made of the kernel that runs; NULL: not known */

static bool by_launch, by_line, with_trace; /* what is gathered */

void counters_gather(bool launches, bool lines, bool trace)
{
    by_launch = launches;
    by_line = lines;
    with_trace = trace;
}

/* --- one access of one thread ----------------------------------------------------------------- */

enum { NOT_COUNTED = KINDS };

static inline bool is_constant(const struct access *a)
{
    return a->space == SPACE_GLOBAL && !memory_is_device(a->address) &&
           memory_is_constant(a->address);
}

/* A load or store of an atomic type is a load or store; only read-modify-write is an atomic. Of an
 * asynchronous copy the load alone is an instruction, of a barrier object neither. */
static inline unsigned kind_of(const struct access *a)
{
    static const unsigned char kinds[2][8] = {
        {GLOBAL_LOAD, GLOBAL_STORE, GLOBAL_ATOMIC, GLOBAL_ATOMIC, GLOBAL_LOAD, GLOBAL_STORE,
         GLOBAL_LOAD, GLOBAL_STORE},
        {SHARED_LOAD, SHARED_STORE, SHARED_ATOMIC, SHARED_ATOMIC, SHARED_LOAD, SHARED_STORE,
         SHARED_LOAD, SHARED_STORE},
    };

    if (a->flags & (ACCESS_OBJECT | ACCESS_BULK) ||
        (a->flags & ACCESS_ASYNC && a->flags & ACCESS_WRITE))
        return NOT_COUNTED;
    if (a->space == SPACE_CLUSTER)
        return REMOTE;
    return a->space <= SPACE_SHARED ? kinds[a->space][a->flags & 7] : NOT_COUNTED;
}

/* Above: the rest of its key. */
static inline unsigned key_flags(const struct access *a)
{
    unsigned flags = a->flags;

    if (a->space == SPACE_CLUSTER)
        return (unsigned)(!(flags & ACCESS_WRITE) ? REMOTE_LOAD
                          : (flags & (ACCESS_ATOMIC | ACCESS_VOLATILE)) == ACCESS_ATOMIC
                              ? REMOTE_ATOMIC
                              : REMOTE_STORE)
               << REMOTE_SHIFT;
    return (flags & ACCESS_VOLATILE ? KEY_VOLATILE : 0) | (flags & ACCESS_SWAP ? KEY_SWAP : 0) |
           (flags & (ACCESS_ASYNC | ACCESS_QUIET) ? KEY_QUIET : 0) |
           (flags & ACCESS_COUNT ? KEY_COUNT : 0) | (flags & ACCESS_LOOP ? KEY_LOOP : 0) |
           (flags & ACCESS_FLOAT ? KEY_FLOAT : 0);
}

/* A copy of a structure: in the widest pieces that its address and size allow, as nvcc does when
 * the structure is so aligned. One of 2, 4, 8 or 16 bytes is less aligned than these, and than
 * 8, or else the compiler would have said that it copies a number. */
static void add_pieces(struct warp_accesses *g, unsigned lane, const struct access *a,
                       enum kind kind, unsigned more)
{
    bool is_power = !(a->bytes & (a->bytes - 1)) && a->bytes <= 16;
    unsigned piece = !is_power ? 16 : a->bytes < 8 ? a->bytes / 2 : 4;

    while ((a->address | a->bytes) & (piece - 1))
        piece /= 2;
    if (piece > 4)
        tallies[a->thread->block->worker->number].doubt = true;
    for (unsigned done = 0; done < a->bytes; done += piece)
        groups_add(g, lane, key_of(a->site, piece, kind) | more, a->address + done);
}

enum { AHEAD = 64 }; /* accesses */

static bool is_ahead(const struct thread *t)
{
    const struct block *b = t->block;
    unsigned warp = t->id / WARP, lane = t->id % WARP;
    const struct warp_accesses *accesses = b->warp[warp].counters;

    return accesses->count[lane] > AHEAD &&
           groups_ahead(accesses, lane, set_of_warp(b->ready, warp)) > AHEAD;
}

static bool count_in_warp(const struct access *a)
{
    struct warp *w = warp_of(a->thread);
    unsigned kind = kind_of(a), lane = a->thread->id % WARP;
    unsigned more = key_flags(a);

    if (is_constant(a)) { /* it has a cache of its own */
        groups_add(w->counters, lane, key_of(a->site, CONSTANT, OTHER), a->address);
        return true;
    }
    if (kind == NOT_COUNTED) {
        /* The sums of a warpgroup's products are registers that are written late. */
        if (a->space == SPACE_LOCAL && !async_sum_range(a->thread, a->address)) {
            struct tally *t = &tallies[a->thread->block->worker->number];

            t->local++;
            t->doubt |= a->flags & ACCESS_WRITE; /* an array, or else an argument of the kernel */
        }
        return true;
    }
    if (a->bytes <= 16 && (!(a->flags & ACCESS_UNALIGNED) || a->bytes == 1))
        groups_add(w->counters, lane, key_of(a->site, a->bytes, kind) | more, a->address);
    else
        add_pieces(w->counters, lane, a, kind, more);
    return true;
}

static void count_flow(struct thread *t, uintptr_t site, enum flow what)
{
    enum other key = what == FLOW_ROUND ? ROUND : BRANCH;

    groups_add(warp_of(t)->counters, t->id % WARP, key_of(site, key, OTHER), what == FLOW_TAKEN);
}

static bool count_access(const struct access *a)
{
    if (cpu_devices > 1 && a->space == SPACE_GLOBAL)
        links_access(a);
    return count_in_warp(a);
}

/* Most accesses: of the block's shared memory, or of the device's, by a lane that does what
 * those before it have done. */
static void count_quickly(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                          uintptr_t site, access_notifier *other)
{
    struct warp_accesses *accesses = warp_of(t)->counters;
    unsigned lane = t->id % WARP;
    enum kind kind;
    access_key key;
    uint32_t n = accesses->count[lane];
    struct group *r = &accesses->row[n % ROWS];

    if (address - (uintptr_t)t->block->shared < SHARED_BYTES)
        kind = SHARED_LOAD + flags;
    else if (memory_is_open(t->block->launch->stripes, address))
        kind = GLOBAL_LOAD + flags;
    else
        kind = KINDS;
    key = key_of(site, bytes, kind);
    if (kind == KINDS || cpu_devices > 1 || accesses->apart || n < accesses->first ||
        n == accesses->last || r->key != key) {
        other(t, address, bytes, flags, site);
        return;
    }
    t->slice++;
    accesses->count[lane] = n + 1;
    r->address[lane] = address;
    r->lanes |= 1u << lane;
    if ((r->lanes | accesses->warp->ended) == accesses->warp->lanes)
        groups_complete_to(accesses, n);
}

/* --- one access of a warp --------------------------------------------------------------------- */

static void count_as_nvcc(struct warp_accesses *accesses, access_key key, uint32_t lanes,
                          const uint64_t *address)
{
    tally_add(tally_place(&tallies[accesses->block->worker->number], key), accesses, lanes,
              address);
}

static void count_group(struct warp_accesses *accesses, access_key key, uint32_t lanes,
                        const uint64_t *address)
{
    struct place_sum *p = tally_place(&tallies[accesses->block->worker->number], key);

    if (!p->as_nvcc) {
        tally_add(p, accesses, lanes, address);
        return;
    }
    if (!accesses->as_nvcc) {
        accesses->as_nvcc = as_nvcc_create();
        if (!accesses->as_nvcc)
            tools_out_of_memory();
    }
    as_nvcc_add(accesses->as_nvcc, accesses, p->shape, key, lanes, address, count_as_nvcc);
}

/* --- what happens to warps, blocks and launches ---------------------------------------------- */

/* A warp executes what its longest lane does: the others do the same, or nothing. Of paths that
 * lanes take apart, which it executes one after the other, so much is missing as the shorter
 * ones have. */
static uint64_t longest_lane(struct block *b, struct warp *w)
{
    uint64_t most = 0;

    cpu_settle(b->worker);
    for (uint32_t rest = w->lanes; rest; rest &= rest - 1) {
        struct thread *t = &b->thread[w->first + (unsigned)__builtin_ctz(rest)];

        most = t->instructions > most ? t->instructions : most;
        t->instructions = 0;
    }
    return most;
}

/* All lanes have synchronised, or have ended. */
static void flush(struct warp_accesses *accesses)
{
    groups_flush(accesses);
    if (accesses->as_nvcc)
        as_nvcc_flush(accesses->as_nvcc, accesses, count_as_nvcc);
    accesses->syncs++;
    accesses->instructions += longest_lane(accesses->block, accesses->warp);
    if (accesses->span.loads)
        accesses->loaded = accesses->instructions;
    accesses->span.loads = false;
}

/* What this worker has executed since it was last asked; to may be NULL. */
static void take_operations(struct worker *w, uint64_t *to)
{
    for (int i = 0; to && i < OPERATIONS; i++)
        to[i] += cpu_operations[i];
    memset(cpu_operations, 0, sizeof(cpu_operations));
    w->settled = 0;
}

/* One for the block. */
static void begin_cache(struct block *b)
{
    struct warp_accesses *first = b->warp[0].counters;

    if (!first->cache)
        first->cache = malloc(sizeof(*first->cache));
    if (!first->cache)
        tools_out_of_memory();
    for (unsigned i = 1; i < b->warps; i++)
        ((struct warp_accesses *)b->warp[i].counters)->cache = first->cache;
    cache_begin(first->cache, (uint32_t)b->number, b->threads,
                b->launch->dynamic_shared + b->launch->static_shared);
}

/* The warps' spans; returns how many. */
static unsigned spans_of(struct block *b, struct span *of[MAX_WARPS])
{
    for (unsigned i = 0; i < b->warps; i++)
        of[i] = &((struct warp_accesses *)b->warp[i].counters)->span;
    return b->warps;
}

static void block_begin(struct block *b)
{
    struct tally *t = &tallies[b->worker->number];

    if (!t->begun) { /* what is there is of a launch that was not counted */
        take_operations(b->worker, NULL);
        t->begun = true;
    }
    for (unsigned i = 0; i < b->warps; i++) {
        struct warp *w = &b->warp[i];

        if (!w->counters) {
            w->counters = groups_create(count_group);
            if (!w->counters)
                tools_out_of_memory();
        }
        groups_reset(w->counters, b, w);
        if (((struct warp_accesses *)w->counters)->as_nvcc)
            as_nvcc_reset(((struct warp_accesses *)w->counters)->as_nvcc);
    }
    begin_cache(b);
}

static void thread_end(struct thread *t)
{
    struct warp *w = warp_of(t);

    if ((w->ended | 1u << t->id % WARP) == w->lanes)
        flush(w->counters);
}

static void warp_done(struct block *b, struct warp *w, uint32_t mask)
{
    (void)b;
    if (mask == (w->lanes & ~w->ended))
        flush(w->counters);
    else {
        groups_sync(w->counters, mask);
        ((struct warp_accesses *)w->counters)->syncs++;
    }
    span_warp_operation(&((struct warp_accesses *)w->counters)->span);
}

/* A block or grid barrier: an instruction of each warp, or as many as there are places where its
 * lanes wait. */
static void count_barrier(struct block *b)
{
    struct tally *t = &tallies[b->worker->number];
    struct span *spans[MAX_WARPS];

    for (unsigned i = 0; i < b->warps; i++) {
        struct warp *w = &b->warp[i];
        struct warp_accesses *accesses = w->counters;
        uint32_t waiting = w->lanes & ~w->ended;

        flush(accesses);
        if (waiting != w->lanes)
            accesses->diverged = waiting ? true : accesses->diverged;
        while (waiting) {
            uintptr_t site = b->thread[w->first + (unsigned)__builtin_ctz(waiting)].site;
            uint32_t here = 0;

            for (uint32_t rest = waiting; rest; rest &= rest - 1)
                if (b->thread[w->first + (unsigned)__builtin_ctz(rest)].site == site)
                    here |= rest & -rest;
            if (here != waiting)
                accesses->diverged = true;
            waiting &= ~here;
            t->barriers++;
            if (by_line)
                tally_place(t, key_of(site, BARRIER, OTHER))->requests++;
        }
    }
    span_barrier(spans, spans_of(b, spans));
}

/* All warps of the cluster have come together, each by an instruction. */
static void count_cluster_barrier(struct block *last)
{
    const struct cluster *c = last->cluster;

    for (unsigned i = 0; i < c->blocks; i++) {
        struct block *b = c->member[i].block;
        struct span *spans[MAX_WARPS];

        for (unsigned k = 0; k < b->warps; k++)
            tallies[b->worker->number].cluster_barriers += b->warp[k].ended != b->warp[k].lanes;
        span_barrier(spans, spans_of(b, spans));
    }
}

/* A thread has waited for the cluster's barrier. If it is the first of its warp to go on, and no
 * lane is on its way from its arrival to its wait, the warp has synchronised. */
static void cluster_passed(struct thread *t)
{
    const struct block *b = t->block;
    const struct warp *w = warp_of(t);
    struct warp_accesses *accesses = w->counters;

    if (accesses->cluster_barriers == b->cluster->barriers)
        return;
    accesses->cluster_barriers = b->cluster->barriers;
    for (unsigned i = 0; i < WARP; i++) {
        uint32_t lane = 1u << i;

        if ((w->lanes & ~w->ended & lane) && i != t->id % WARP &&
            b->thread[w->first + i].wait != AT_CLUSTER)
            return;
    }
    flush(accesses);
}

static void fence(struct thread *t, enum cpu_scope scope)
{
    if (scope != CPU_SCOPE_BLOCK)
        span_fence(&((struct warp_accesses *)warp_of(t)->counters)->span, t->id % WARP);
}

static void copied(struct thread *t, const struct copy *c)
{
    (void)c;
    span_arrived(&((struct warp_accesses *)warp_of(t)->counters)->span);
}

static void block_end(struct block *b)
{
    struct tally *t = &tallies[b->worker->number];
    struct span *spans[MAX_WARPS];

    for (unsigned i = 0; i < b->warps; i++) {
        struct warp_accesses *accesses = b->warp[i].counters;

        t->divergent_warps += accesses->diverged;
        t->warp_instructions += accesses->instructions;
        t->tail_instructions += accesses->instructions - accesses->loaded;
    }
    take_operations(b->worker, t->operations);
    span_block_end(&t->spans, spans, spans_of(b, spans), b->shared_used);
}

void counters_free_block(struct block *b)
{
    for (unsigned i = 0; i < MAX_WARPS; i++) {
        if (b->warp[i].counters)
            free(((struct warp_accesses *)b->warp[i].counters)->as_nvcc);
        if (b->warp[i].counters && i == 0)
            free(((struct warp_accesses *)b->warp[i].counters)->cache);
        free(b->warp[i].counters);
    }
}

static void launch_resume(struct launch *l)
{
    const struct counted *c = l->counters;

    tallies = c->tallies;
    nvcc = c->nvcc;
    tally_begin(nvcc, with_trace);
}

static struct counted *unused(void)
{
    struct counted *c = counted;

    while (c && c->used)
        c = c->next;
    if (!c && (c = calloc(1, sizeof(*c)))) {
        c->next = counted;
        counted = c;
    }
    if (!c)
        tools_out_of_memory();
    return c;
}

static void launch_begin(struct launch *l)
{
    struct counted *c = l->counters = unused();

    c->used = true;
    c->nvcc = nvcc_kernel(lines_kernel(l->kernel, "?"));
    if (l->workers > c->count) {
        for (unsigned i = 0; i < c->count; i++)
            free(c->tallies[i].table); /* between launches they hold nothing but room */
        free(c->tallies);
        c->tallies = aligned_alloc(_Alignof(struct tally), l->workers * sizeof(*tallies));
        if (!c->tallies)
            tools_out_of_memory();
        memset(c->tallies, 0, l->workers * sizeof(*tallies));
        c->count = l->workers;
    }
    launch_resume(l);
}

/* What a worker executes between is another launch's. */
static void worker_begin(struct worker *w)
{
    if (w->launch->beside && tallies[w->number].begun)
        take_operations(w, NULL);
}

static void worker_end(struct worker *w)
{
    if (w->launch->beside && tallies[w->number].begun)
        take_operations(w, tallies[w->number].operations);
}

static void launch_end(struct launch *l)
{
    struct counted *c = l->counters;

    launch_resume(l);
    gather_launch(l, tallies, nvcc, by_launch, by_line);
    c->used = false;
    if (with_trace)
        trace_print();
}

static void count_bulk(struct thread *t, const struct bulk *c)
{
    struct tally *tally = &tallies[t->block->worker->number];

    tally->bulk_copies++;
    for (unsigned i = 0; i < c->pieces; i++)
        tally->bulk_bytes += c->piece[i].global ? c->piece[i].bytes : 0;
}

const struct observer counters_observer = {
    .access = count_access,
    .quick = count_quickly,
    .is_ahead = is_ahead,
    .flow = count_flow,
    .barrier = count_barrier,
    .cluster_barrier = count_cluster_barrier,
    .cluster_pass = cluster_passed,
    .bulk = count_bulk,
    .warp_done = warp_done,
    .fence = fence,
    .copied = copied,
    .copied_between = links_copy,
    .thread_end = thread_end,
    .block_begin = block_begin,
    .block_end = block_end,
    .launch_begin = launch_begin,
    .launch_resume = launch_resume,
    .worker_begin = worker_begin,
    .worker_end = worker_end,
    .launch_end = launch_end,
};
