/*
 * What the warps of small launches did, step after step, for a player that shows it forwards and
 * backwards. See record.h.
 *
 * An access is told before it is done. So what a thread writes is read from memory at the next
 * thing that happens, whoever does it: nothing else comes between.
 */
#define _GNU_SOURCE /* strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cpu/engine/async_copies.h"
#include "cpu/engine/bulk_copies.h"
#include "cpu/engine/cluster.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/schedule.h"
#include "cpu/tools/check/check.h"
#include "cpu/tools/grow.h"
#include "cpu/tools/lines/lines.h"
#include "cpu/tools/record/record.h"
#include "cpu_device.h"

struct watched { /* a block in flight */
    const struct block *block;
    unsigned launch;
    struct watched_warp {
        struct going going;
        uint32_t waits, grid, clusters, objects; /* lanes whose wait is told, */
        uint32_t ended, fences; /* or their end; that have fenced, which is not told */
        enum cpu_warp_op op[WARP];
    } warp[MOST_WARPS];
};

static bool paused, parts;
static const char *label = "";

static struct told_launch *launches;
static size_t launch_count, launch_room;
static struct watched *blocks;
static size_t block_count, block_room;
static struct found *found;
static size_t found_count, found_room;
static struct wrong_element *wrong;
static size_t wrong_count, wrong_room;
static size_t since; /* the first step behind the last pause */

/* The write that is about to be done. */
static struct {
    bool open;
    size_t step;
    unsigned lane;
    const void *at;
} pending;

/* --- steps ------------------------------------------------------------------------------------ */

static void settle(void)
{
    if (pending.open)
        step_read(&record_steps[pending.step], pending.lane, pending.at, true);
    pending.open = false;
}

/* What the checks have found since the last step arose at this one. */
static void take_findings(void)
{
    for (size_t i = found_count; i > 0 && found[i - 1].step < 0; i--)
        found[i - 1].step = (long)record_count - 1;
}

static struct watched *watched(const struct block *b)
{
    for (size_t i = 0; i < block_count; i++)
        if (blocks[i].block == b)
            return &blocks[i];
    return NULL;
}

static struct watched_warp *watched_warp(const struct thread *t, struct watched **of)
{
    *of = t->id < MOST_WARPS * WARP ? watched(t->block) : NULL;
    return *of ? &(*of)->warp[t->id / WARP] : NULL;
}

static bool is_same(const struct step *a, const struct step *b)
{
    return a->kind == b->kind && a->launch == b->launch && a->block == b->block &&
           a->warp == b->warp && a->site == b->site && a->issue == b->issue &&
           a->bytes == b->bytes && a->shared == b->shared && a->op == b->op;
}

/* Is one of the two that step, whose lanes --check has ended, and both of one instruction? */
static bool is_refused(size_t i, const struct step *s)
{
    const struct step *other = &record_steps[i];

    return (other->kind == STEP_REFUSED || s->kind == STEP_REFUSED) && other->site == s->site &&
           other->warp == s->warp && other->issue == s->issue;
}

/* The step that the lane takes part in: the last one, if it is of the same instruction; or the one
 * before, where --check refused some of its lanes. A lane's copies arrive one after the other, and
 * then those of the next lane: that is the first of them which it has no part in. NULL: none is
 * recorded any more. */
static struct step *take_part(struct step s, unsigned lane)
{
    size_t first = record_count;

    s.lanes = 1u << lane;
    while (first > 0 && (first + 2 > record_count ||
                         (s.kind == STEP_ARRIVE && record_steps[first - 1].kind == s.kind)))
        first--;
    for (size_t i = first; i < record_count; i++)
        if (is_same(&record_steps[i], &s) && !(record_steps[i].lanes & s.lanes) &&
            (i + 1 == record_count || s.kind == STEP_ARRIVE || is_refused(i + 1, &s))) {
            record_steps[i].lanes |= s.lanes;
            return &record_steps[i];
        }
    return step_add(s);
}

static struct step begin_step(const struct watched *w, const struct thread *t, enum step_kind kind,
                              uintptr_t site)
{
    return (struct step){.kind = kind,
                         .launch = w->launch,
                         .block = w->block->number,
                         .warp = t->id / WARP,
                         .site = site};
}

/* --- who waits -------------------------------------------------------------------------------- */

static void tell_lanes(const struct watched *w, unsigned warp, uint32_t now, uint32_t *told,
                       enum step_kind kind)
{
    bool has_place = kind != STEP_FENCE && kind != STEP_END;
    uint32_t new = now & ~*told;

    *told = now;
    for (; new; new &= new - 1) {
        unsigned lane = (unsigned)__builtin_ctz(new);
        const struct thread *t = &w->block->thread[warp * WARP + lane];

        take_part(begin_step(w, t, kind, has_place ? t->site : 0), lane);
    }
}

static struct cluster_member *member_of(const struct block *b)
{
    return &b->cluster->member[b->rank];
}

/* Nobody says when a thread comes to a barrier: it is seen at the next thing that happens. Lanes
 * that do an access together go on one after the other, and wait behind it together, too. */
static void look_around(void)
{
    settle();
    for (size_t i = 0; i < block_count; i++)
        for (unsigned k = 0; k < MOST_WARPS && k < blocks[i].block->warps; k++) {
            const struct block *b = blocks[i].block;
            struct watched_warp *warp = &blocks[i].warp[k];
            uint32_t fenced = 0;

            if (!going_rests(&warp->going, b, k))
                continue;
            tell_lanes(&blocks[i], k, warp->fences, &fenced, STEP_FENCE);
            warp->fences = 0;
            tell_lanes(&blocks[i], k, set_of_warp(b->barrier, k), &warp->waits, STEP_WAIT);
            tell_lanes(&blocks[i], k, set_of_warp(b->grid, k), &warp->grid, STEP_GRID);
            if (b->cluster)
                tell_lanes(&blocks[i], k, set_of_warp(member_of(b)->waiting, k), &warp->clusters,
                           STEP_CLUSTER);
            tell_lanes(&blocks[i], k, set_of_warp(b->objects, k), &warp->objects, STEP_OBJECT);
            tell_lanes(&blocks[i], k, b->warp[k].ended, &warp->ended, STEP_END);
        }
}

/* --- what happens ----------------------------------------------------------------------------- */

bool record_waits_for_lanes(const struct thread *t, uintptr_t site)
{
    struct watched *w;
    struct watched_warp *warp = watched_warp(t, &w);

    if (!warp)
        return false;
    going_announce(&warp->going, t, site);
    if (!warp->going.chosen)
        look_around();
    return going_waits(&warp->going, t);
}

static enum step_kind kind_of(const struct access *a)
{
    if (a->flags & ACCESS_BULK)
        return STEP_KINDS;
    if (a->flags & ACCESS_ASYNC)
        return a->flags & ACCESS_WRITE ? STEP_KINDS : STEP_COPY; /* it is written when it arrives */
    if (a->flags & ACCESS_OBJECT || a->space > SPACE_CLUSTER)
        return STEP_KINDS;
    if ((a->flags & (ACCESS_ATOMIC | ACCESS_VOLATILE)) == ACCESS_ATOMIC)
        return STEP_ATOMIC;
    return a->flags & ACCESS_WRITE ? STEP_STORE : STEP_LOAD;
}

/* Of shared memory: the block whose it is. */
static const struct block *owner_of(const struct access *a)
{
    return a->space == SPACE_CLUSTER ? cluster_owner(a->thread->block, a->address)
                                     : a->thread->block;
}

static bool is_there(const struct access *a)
{
    const struct allocation *of;

    if (a->space != SPACE_GLOBAL)
        return a->address - (uintptr_t)owner_of(a)->shared + a->bytes <= SHARED_BYTES;
    if (!memory_is_device(a->address))
        return true; /* a variable of the program */
    of = memory_find(a->address);
    return of && !of->freed && a->address - of->base + a->bytes <= of->bytes;
}

static void put_address(struct step *to, unsigned lane, const struct access *a)
{
    to->address[lane] = a->address - (to->shared ? (uintptr_t)owner_of(a)->shared : 0);
    to->owner[lane] = owner_of(a)->number;
}

static bool record_access(const struct access *a)
{
    struct watched *w;
    struct watched_warp *warp = watched_warp(a->thread, &w);
    unsigned lane = a->thread->id % WARP;
    enum step_kind kind = kind_of(a);
    struct step s, *to;

    look_around();
    if (!warp)
        return true;
    going_done(&warp->going, lane);
    if (kind == STEP_KINDS)
        return true;
    s = begin_step(w, a->thread, kind, a->site);
    s.issue = warp->going.issue;
    s.bytes = a->bytes < MOST_BYTES ? a->bytes : MOST_BYTES;
    s.shared = a->space != SPACE_GLOBAL;
    s.flags = a->flags;
    s.writes = kind == STEP_STORE || kind == STEP_ATOMIC;
    to = take_part(s, lane);
    if (!to)
        return true;
    put_address(to, lane, a);
    if (is_there(a)) {
        step_read(to, lane, (const void *)a->address, false);
        if (s.writes) {
            pending.open = true;
            pending.step = (size_t)(to - record_steps);
            pending.lane = lane;
            pending.at = (const void *)a->address;
        }
    }
    take_findings();
    return true;
}

/* What a thread has begun to copy has arrived in a block's shared memory. */
static void arrived(const struct thread *t, const struct block *owner, const void *at,
                    unsigned bytes, uintptr_t site)
{
    struct watched *w;
    struct watched_warp *warp = watched_warp(t, &w);
    struct step s, *to;

    look_around();
    if (!warp)
        return;
    s = begin_step(w, t, STEP_ARRIVE, site);
    s.bytes = bytes;
    s.shared = s.writes = true;
    to = take_part(s, t->id % WARP);
    if (to) {
        to->address[t->id % WARP] = (uintptr_t)at - (uintptr_t)owner->shared;
        to->owner[t->id % WARP] = owner->number;
        step_read(to, t->id % WARP, at, true);
    }
    take_findings();
}

static void copied(struct thread *t, const struct copy *c)
{
    arrived(t, t->block, c->to, c->bytes, c->site);
}

/* Of copies in bulk only a st.async: it brings a value of its lane. */
static void bulk_done(struct thread *t, const struct bulk *c)
{
    if (c->object && c->pieces == 1 && c->piece[0].global == (uintptr_t)c->seen[0])
        arrived(t, c->block, c->block->shared + c->piece[0].shared, c->piece[0].bytes, c->site);
}

static void warp_begins(struct thread *t, enum cpu_warp_op op, uint32_t mask)
{
    struct watched *w;
    struct watched_warp *warp = watched_warp(t, &w);

    (void)mask;
    look_around();
    if (warp)
        warp->op[t->id % WARP] = op;
}

static void warp_done(struct block *b, struct warp *warp, uint32_t mask)
{
    struct watched *w = warp->first < MOST_WARPS * WARP ? watched(b) : NULL;

    if (!w || !mask)
        return;
    look_around();
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        const struct thread *t = &b->thread[warp->first + lane];
        struct step s = begin_step(w, t, STEP_WARP, t->site), *to;

        s.bytes = sizeof(t->value);
        s.op = w->warp[warp->first / WARP].op[lane];
        to = take_part(s, lane);
        if (to) {
            step_read(to, lane, &t->value, false);
            step_read(to, lane, &t->result, true);
        }
    }
    going_met(&w->warp[warp->first / WARP].going, mask);
    take_findings();
}

static void fence(struct thread *t, enum cpu_scope scope)
{
    struct watched *w;
    struct watched_warp *warp = watched_warp(t, &w);

    (void)scope;
    look_around();
    if (warp)
        warp->fences |= 1u << t->id % WARP;
}

static void barrier(struct block *b)
{
    struct watched *w = watched(b);

    look_around();
    if (!w)
        return;
    step_add((struct step){.kind = STEP_PASS, .launch = w->launch, .block = b->number});
    for (unsigned i = 0; i < MOST_WARPS; i++) {
        w->warp[i].waits = w->warp[i].grid = 0;
        going_met(&w->warp[i].going, ~0u);
    }
    take_findings();
}

/* All threads of a cluster, of which this is a block, have come to its barrier. Those that wait
 * for it go on. */
static void cluster_barrier(struct block *b)
{
    look_around();
    for (unsigned i = 0; i < b->cluster->blocks; i++) {
        const struct cluster_member *m = &b->cluster->member[i];
        struct watched *w = watched(m->block);

        if (!w)
            continue;
        step_add(
            (struct step){.kind = STEP_TOGETHER, .launch = w->launch, .block = m->block->number});
        for (unsigned k = 0; k < MOST_WARPS && k < m->block->warps; k++) {
            w->warp[k].clusters = 0;
            going_met(&w->warp[k].going, set_of_warp(m->waiting, k));
        }
    }
    take_findings();
}

static void thread_end(struct thread *t)
{
    struct watched *w;
    struct watched_warp *warp = watched_warp(t, &w);

    look_around();
    if (warp)
        going_done(&warp->going, t->id % WARP);
}

static void stuck(struct block *b)
{
    (void)b;
    look_around();
}

/* --- launches and blocks ---------------------------------------------------------------------- */

static void add_arrays(struct told_launch *told, const struct launch *l)
{
    const char *name = l->parameter_names;

    for (unsigned i = 0; name && *name && i < l->parameters && told->arrays < MOST_ARRAYS; i++) {
        const struct cpu_parameter *p = &l->parameter[i];
        int characters = (int)strcspn(name, ",");

        if (p->element && *name != '?') {
            struct told_array *a = &told->array[told->arrays++];

            snprintf(a->name, sizeof(a->name), "%.*s", characters, name);
            a->address = (uintptr_t)p->pointer;
            a->element = p->element;
        }
        name += characters;
        name += strspn(name, ", ");
    }
}

static struct told_launch *told_of(const struct launch *l)
{
    for (size_t i = launch_count; i > 0; i--)
        if (launches[i - 1].launch == l)
            return &launches[i - 1];
    return NULL;
}

/* Nothing of it is done where it is too large, so that nobody waits for a recording that would be
 * none. */
static void launch_coming(struct launch *l)
{
    cpu_steady = true; /* one worker: the steps have one order */
    if (paused || parts || (l->blocks <= MOST_BLOCKS && l->threads <= MOST_WARPS * WARP))
        return;
    fflush(stdout);
    fprintf(stderr,
            "--record-steps: %s has %llu blocks of %u threads; accepted: launches of up to %d "
            "blocks of %d threads, or --record-part, which records so many of a larger one\n",
            l->name, (unsigned long long)l->blocks, l->threads, MOST_BLOCKS, MOST_WARPS * WARP);
    fflush(stderr);
    _exit(2);
}

static void launch_begin(struct launch *l)
{
    struct told_launch *told;

    if (paused)
        return;
    if (launch_count == MOST_LAUNCHES) {
        record_cut = true;
        return;
    }
    launches = tools_grow(launches, launch_count, &launch_room, sizeof(*launches));
    told = &launches[launch_count++];
    *told = (struct told_launch){.launch = l,
                                 .kernel = strdup(lines_kernel(l->kernel, l->name)),
                                 .label = strdup(label),
                                 .grid = l->grid,
                                 .dim = l->dim};
    if (!told->kernel || !told->label)
        tools_out_of_memory();
    add_arrays(told, l);
}

/* What it finds in shared memory is nobody's: zeros, so that a recording is the same each time. */
static void block_begin(struct block *b)
{
    struct told_launch *told = b->number < MOST_BLOCKS ? told_of(b->launch) : NULL;

    if (!told)
        return;
    memset(b->shared, 0, SHARED_BYTES);
    look_around();
    blocks = tools_grow(blocks, block_count, &block_room, sizeof(*blocks));
    blocks[block_count] = (struct watched){.block = b, .launch = (unsigned)(told - launches)};
    block_count++;
}

/* Its shared memory: by now all variables are known that it has used. */
static void add_parts(struct told_launch *told, const struct block *b)
{
    if (told->parts > b->statics)
        return;
    told->parts = 0;
    if (b->launch->dynamic_shared)
        told->part[told->parts++] =
            (struct shared_part){.name = b->dynamic ? b->dynamic->name : "",
                                 .bytes = b->launch->dynamic_shared,
                                 .element = b->dynamic ? b->dynamic->element : 4};
    for (unsigned i = 0; i < b->statics && told->parts < MOST_PARTS; i++) {
        const struct static_shared *s = &b->static_slot[i];
        struct shared_part *p = &told->part[told->parts++];

        *p = (struct shared_part){.name = s->variable->name,
                                  .offset = s->offset,
                                  .bytes = s->bytes,
                                  .element = s->variable->element,
                                  .lengths = s->variable->lengths};
        memcpy(p->length, s->variable->length, sizeof(p->length));
    }
}

static void block_end(struct block *b)
{
    struct watched *w = watched(b);

    if (!w)
        return;
    look_around();
    add_parts(&launches[w->launch], b);
    *w = blocks[--block_count];
}

static void launch_end(struct launch *l)
{
    struct told_launch *told = told_of(l);

    look_around();
    if (told) {
        told->failed = atomic_load(&l->failed);
        told->launch = NULL;
    }
    take_findings();
}

const struct observer record_observer = {
    .access = record_access,
    .fence = fence,
    .barrier = barrier,
    .cluster_barrier = cluster_barrier,
    .warp = warp_begins,
    .warp_done = warp_done,
    .copied = copied,
    .bulk_done = bulk_done,
    .thread_end = thread_end,
    .block_begin = block_begin,
    .block_end = block_end,
    .launch_coming = launch_coming,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .stuck = stuck,
};

/* --- what --check finds ----------------------------------------------------------------------- */

static void put_refused(struct step *to, unsigned lane, const struct block *b, uintptr_t address)
{
    const struct block *owner = cluster_owner(b, address);

    owner = owner ? owner : b;
    to->address[lane] = address - (to->shared ? (uintptr_t)owner->shared : 0);
    to->owner[lane] = owner->number;
}

/* The access that a finding refuses is not done, and nobody else tells of it. */
static void add_refused(const struct finding *f)
{
    for (size_t i = 0; i < block_count; i++) {
        const struct watched *w = &blocks[i];
        unsigned lane = f->party[0].thread % WARP;
        struct step s = {.kind = STEP_REFUSED,
                         .launch = w->launch,
                         .block = f->party[0].block,
                         .warp = f->party[0].thread / WARP,
                         .site = f->party[0].site,
                         .bytes = f->bytes < MOST_BYTES ? f->bytes : MOST_BYTES,
                         .shared = f->memory.shared || f->kind == FOUND_OUTSIDE_SHARED,
                         .writes = f->party[0].flags & ACCESS_WRITE},
                    *to;

        if (w->block->number != s.block || s.warp >= MOST_WARPS)
            continue;
        s.issue = w->warp[s.warp].going.issue;
        to = take_part(s, lane);
        if (to)
            put_refused(to, lane, w->block, f->address);
        return;
    }
}

/* It is kept by its entry, the first time alone. */
static void note_found(const struct finding *f, unsigned entry)
{
    struct found *new;
    bool known = false;

    look_around();
    if (f->kind <= FOUND_MISALIGNED)
        add_refused(f);
    for (size_t i = 0; i < found_count; i++)
        known |= found[i].entry == entry;
    if (known || !block_count)
        return;
    found = tools_grow(found, found_count, &found_room, sizeof(*found));
    new = &found[found_count++];
    *new = (struct found){.entry = entry,
                          .step = f->kind <= FOUND_MISALIGNED ? (long)record_count - 1 : -1,
                          .parties = f->parties};
    for (unsigned i = 0; i < 2; i++) {
        new->block[i] = f->party[i].block;
        new->thread[i] = f->party[i].thread;
    }
}

static void note_text(unsigned entry, const char *text)
{
    for (size_t i = 0; i < found_count; i++)
        if (found[i].entry == entry && !found[i].text)
            found[i].text = strdup(text);
}

const struct finding_listener record_findings = {note_found, note_text};

/* --- what the host says ----------------------------------------------------------------------- */

void cpu_device_set_record_part(int on)
{
    parts = on;
}

void cpu_device_record_pause(int pause)
{
    if (paused && !pause)
        since = record_count;
    paused = pause;
}

void cpu_device_record_wrong(const void *at, size_t bytes, const char *text)
{
    struct wrong_element *new;

    if (!launch_count)
        return;
    wrong = tools_grow(wrong, wrong_count, &wrong_room, sizeof(*wrong));
    new = &wrong[wrong_count++];
    *new = (struct wrong_element){.step = -1,
                                  .launch = (unsigned)launch_count - 1,
                                  .address = (uintptr_t)at,
                                  .bytes = bytes,
                                  .text = strdup(text)};
    if (!new->text)
        tools_out_of_memory();
    if (at)
        new->step = step_wrote(since, at, bytes, &new->lane);
}

void cpu_device_record_label(const char *text)
{
    label = text;
}

int cpu_device_record_write(const char *path)
{
    return record_write(path, &(struct recording){.launch = launches,
                                                  .found = found,
                                                  .wrong = wrong,
                                                  .launches = launch_count,
                                                  .founds = found_count,
                                                  .wrongs = wrong_count});
}

int cpu_device_record_cut(void)
{
    return record_cut;
}
