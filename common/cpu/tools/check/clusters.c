/*
 * Clusters: blocks that reach each other's shared memory.
 *
 * In a launch with clusters each block's shared memory is a region with a shadow like that of
 * global memory, whose accesses name their block (shadow_global.h). So races between blocks are
 * found there as in global memory, and order_happens_before says what is in order.
 *
 * The barrier of a cluster releases, for each of its blocks, what the threads did before they
 * arrived at it, and acquires for each thread that has waited what all of them released. Where all
 * threads of a block wait together it is a barrier of that block, too.
 *
 * A block's shared memory is there from its begin to its end alone. Another block must know by a
 * barrier of the cluster that it has begun; and the block's end must know of all that others did
 * there, or else it may come before.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cpu/engine/cluster.h"
#include "cpu/engine/schedule.h"
#include "cpu/tools/check/race.h"
#include "cpu/tools/check/shadow_global.h"

/* --- the shadow ------------------------------------------------------------------------------- */

void clusters_block_begin(struct block *b)
{
    struct check_block *cb = check_of(b);

    cb->clustered = b->launch->cluster.x;
    cb->met = cb->known = NULL;
    cb->visited = false;
    if (!cb->clustered)
        return;
    if (cb->region)
        shadow_global_clear(&cb->region->shadow);
    else if (!(cb->region = calloc(1, sizeof(*cb->region))) ||
             !shadow_global_make(&cb->region->shadow, SHARED_BYTES)) {
        fprintf(stderr, "--check: out of memory\n");
        exit(3);
    }
    cb->region->base = (uintptr_t)b->shared;
    cb->region->bytes = SHARED_BYTES;
}

void clusters_free(struct check_block *cb)
{
    if (cb->region)
        shadow_global_free(&cb->region->shadow);
    free(cb->region);
}

void clusters_check_shared(const struct access *a, struct block *owner, size_t offset)
{
    struct region *r = check_of(owner)->region;

    if (check_of(owner)->clustered)
        race_global_check(
            a, &(struct place){.region = r, .owner = owner, .offset = offset, .shadow = r});
    else
        shadow_shared_check(a, offset);
}

struct shadow_cell clusters_shared_writer(const struct check_block *cb, size_t offset,
                                          unsigned bytes)
{
    const struct shadow_global *s = &cb->region->shadow;
    struct shadow_cell last = {0, 0};

    for (size_t byte = offset; byte < offset + bytes; byte++) {
        struct shadow_cell k = shadow_global_get(s, shadow_global_plane(s, byte), WRITER, byte / 4);

        if (k.id && id_serial(k.id) == cb->serial && k.epoch >= last.epoch)
            last = k;
    }
    return last;
}

/* --- is the other block there? ---------------------------------------------------------------- */

static struct finding found_away(enum finding_kind kind, struct block *owner, size_t offset,
                                 struct party party, unsigned bytes)
{
    struct finding f = {.kind = kind, .parties = 1, .bytes = bytes, .other = owner->rank};

    f.party[0] = party;
    f.address = (uintptr_t)owner->shared + offset;
    place_tell_shared(owner, offset, &f);
    return f;
}

/* It is done, as wrong as it is. */
static void mark_written(struct shadow_global *s, size_t offset, unsigned bytes)
{
    for (size_t byte = offset; byte < offset + bytes && byte < s->bytes; byte++)
        s->written[byte / 32] |= 1u << byte % 32;
}

bool clusters_check_access(const struct access *a, struct block *owner)
{
    struct check_block *cb = check_of(a->thread->block);
    const struct party party = {a->site, a->thread->block->number, a->thread->id, a->flags, 0};
    bool early = cb->thread[a->thread->id].met_serial != cb->serial &&
                 cb->first_serial == cb->launch_serial; /* no barrier of the grid, either */
    struct finding f;

    check_of(owner)->visited = true;
    if (!early && owner->alive)
        return true;
    f = found_away(early ? FOUND_BLOCK_EARLY : FOUND_BLOCK_ENDED, owner,
                   a->address - (uintptr_t)owner->shared, party, a->bytes);
    finding_add(&f);
    if (a->flags & ACCESS_WRITE)
        mark_written(&check_of(owner)->region->shadow, a->address - (uintptr_t)owner->shared,
                     a->bytes);
    return false;
}

/* The block ends. Does it know of what that thread of another block did in its shared memory? */
static bool is_known(const struct check_block *cb, const struct block *b, struct shadow_cell k,
                     int which, size_t byte)
{
    const struct access at = {.address = (uintptr_t)b->shared + byte};
    const struct target target = race_target(&at, k, which);

    return !k.id || id_serial(k.id) == cb->serial || k.epoch == EPOCH_MAX ||
           id_serial(k.id) < cb->first_serial || /* before a barrier of the grid */
           vector_clock_covers(cb->known, cb->common, &target);
}

static void check_end(struct block *b)
{
    const struct check_block *cb = check_of(b);
    const struct shadow_global *s = &cb->region->shadow;
    size_t bytes = b->shared_used + b->shared_gaps;

    for (size_t byte = 0; byte < bytes; byte += shadow_global_is_split(s, byte / 4) ? 1 : 4)
        for (int i = WRITER; i < SHADOW_CELLS; i++) {
            struct shadow_cell k = shadow_global_get(s, shadow_global_plane(s, byte), i, byte / 4);
            uint64_t block = id_serial(k.id) - cb->first_serial;
            struct finding f;

            if (is_known(cb, b, k, i, byte))
                continue;
            f = found_away(FOUND_BLOCK_ENDED, b, byte,
                           (struct party){site_of[id_site(k.id)], block, id_thread(k.id),
                                          race_flags(k.id, i), 0},
                           4);
            finding_add(&f);
            return;
        }
}

/* --- the barrier ------------------------------------------------------------------------------ */

static void note_arrival(struct check_block *cb, struct check_thread *ct, bool releases)
{
    ct->arrived = releases ? check_epoch(cb, ct) : 0;
    ct->arrived_base = releases ? cb->base : 0;
    order_tick(cb, ct);
}

void clusters_arrive(struct thread *t, bool releases)
{
    struct check_block *cb = check_of(t->block);

    race_global_settle(t, NULL);
    section_widen(&cb->thread[t->id]);
    note_arrival(cb, &cb->thread[t->id], releases);
}

void clusters_thread_end(struct thread *t)
{
    struct block *b = t->block;
    struct check_block *cb = check_of(b);
    struct check_thread *ct = &cb->thread[t->id];

    if (!cb->clustered)
        return;
    note_arrival(cb, ct, true);
    cb->known = vector_clock_join(ct->acquired, cb->known);
    if (b->alive == 1 && cb->visited && !cb->killed && !atomic_load(&b->launch->failed))
        check_end(b);
}

/* What a block's threads did until they arrived. */
static struct flush *flush_of(const struct block *b, const struct check_block *cb)
{
    struct flush *f =
        vector_clock_alloc(sizeof(*f) + b->threads * sizeof(((struct flush *)0)->of[0]));

    f->all = UINT32_MAX;
    f->acquired = cb->common;
    for (unsigned i = 0; i < b->threads; i++) {
        const struct check_thread *ct = &cb->thread[i];

        f->all = ct->arrived < f->all ? ct->arrived : f->all;
        f->base = ct->arrived_base > f->base ? ct->arrived_base : f->base;
        f->acquired = vector_clock_join(ct->acquired, f->acquired);
    }
    for (unsigned i = 0; i < b->threads; i++)
        if (cb->thread[i].arrived > f->all) {
            f->of[f->count].thread = i;
            f->of[f->count++].epoch = cb->thread[i].arrived;
        }
    return f;
}

/* Some have ended: did one of them run to the kernel's end, where a thread waits? */
static void check_around(const struct block *b, const struct party *waits)
{
    struct finding f = {.kind = FOUND_CLUSTER_AROUND, .parties = 2};

    for (unsigned i = 0; i < b->threads && !check_of(b)->killed; i++) {
        const struct thread *t = &b->thread[i];

        if (!set_has(b->begun, i) || t->wait != ENDED || t->killed || t->returned)
            continue;
        f.party[0] = *waits;
        f.party[1] = (struct party){0, b->number, i, 0, t->line};
        finding_add(&f);
        return;
    }
}

/* A thread that waits, in the first block that has one, or the running one. */
static struct party waiting(const struct cluster *c)
{
    for (unsigned i = 0; i < c->blocks; i++) {
        const struct cluster_member *m = &c->member[i];
        const struct block *b = m->block;
        int id = set_next(m->waiting, 0, b->threads);

        id = id < 0 ? set_next(m->arrived, 0, b->threads) : id;
        if (id >= 0)
            return (struct party){b->thread[id].site, b->number, (unsigned)id, 0,
                                  b->thread[id].line};
    }
    return (struct party){0, 0, 0, 0, 0};
}

static unsigned count_of(const thread_set s)
{
    unsigned count = 0;

    for (int i = 0; i < WORDS; i++)
        count += (unsigned)__builtin_popcountll(s[i]);
    return count;
}

void clusters_barrier(struct block *last)
{
    const struct cluster *c = last->cluster;
    struct party waits = waiting(c);
    struct sync_var *s =
        vector_clock_find_or_add((uintptr_t)c, check_of(c->member[0].block)->serial);

    for (unsigned i = 0; i < c->blocks; i++) {
        const struct block *b = c->member[i].block;

        if (b->alive < b->threads && waits.site)
            check_around(b, &waits);
        order_release_block(check_of(b), s, flush_of(b, check_of(b)));
    }
    for (unsigned i = 0; i < c->blocks; i++) {
        struct block *b = c->member[i].block;
        struct check_block *cb = check_of(b);

        cb->met =
            vector_clock_acquire(NULL, s, atomic_load(&s->version), cb, CPU_SCOPE_SYSTEM, NULL);
        if (!b->alive || count_of(c->member[i].waiting) + (b == last) < b->alive)
            continue;
        cb->common = vector_clock_join(cb->met, cb->common);
        order_barrier(b);
    }
}

void clusters_pass(struct thread *t)
{
    struct check_block *cb = check_of(t->block);

    cb->thread[t->id].met_serial = cb->serial;
    order_meet(cb, t->id);
}
