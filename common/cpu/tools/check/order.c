/*
 * What happens before what through memory: fences, flags and atomics.
 *
 * The rule is that of CUDA's memory model (PTX ISA, "Memory Consistency Model"), with volatile
 * accesses taken as relaxed atomics. A fence followed by an atomic or volatile write of a word
 * releases what the thread did and acquired; an atomic or volatile read of the same word, followed
 * by a fence, acquires it, and a barrier hands on to the block what was acquired. A fence before a
 * block barrier also counts for a write after the barrier by another thread of the block, as it
 * does on every GPU.
 *
 * All here is about one block and called by its worker. `aware` names the threads of the block
 * whose struct check_thread says anything at all, so that the others cost nothing at a barrier.
 */
#include <string.h>
#include "cpu/tools/check/vector_clock.h"

bool order_happens_before(const struct thread *t, const struct target *target)
{
    const struct check_block *cb = check_of(t->block);

    return vector_clock_covers(cb->thread[t->id].acquired, cb->common, target);
}

/* --- acquire ---------------------------------------------------------------------------------- */

static void set_aware(struct check_block *cb, unsigned id)
{
    cb->aware[id / 64] |= (uint64_t)1 << id % 64;
}

void order_poll(const struct access *a, const struct place *p)
{
    struct check_thread *ct = &check_of(a->thread->block)->thread[a->thread->id];

    ct->polled = true;
    ct->poll_address = a->address;
    ct->poll_site = a->site;
    ct->poll_fences = ct->fences;
    ct->poll_device_fences = ct->device_fences;
    ct->poll_region = p && !(a->flags & ACCESS_WRITE) ? p->region : NULL;
    ct->poll_offset = p ? p->offset : 0;
    ct->poll_shared = a->space == SPACE_SHARED;
    ct->poll_bytes = (uint8_t)a->bytes;
    ct->poll_block = a->flags & ACCESS_BLOCK_SCOPE;
    set_aware(check_of(a->thread->block), a->thread->id);
}

/* Called before whatever the thread does next, so that the value it has read was there by then. */
void order_resolve(struct thread *t)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    uint32_t serial = ct->poll_shared ? cb->serial : 0;

    ct->polled = false;
    if (!vector_clock_any())
        return;
    for (unsigned i = 0; i < ct->poll_bytes; i += 4) {
        struct sync_var *s = vector_clock_find((ct->poll_address & ~(uintptr_t)3) + i, serial);
        uint64_t version;

        if (!s)
            continue;
        version = atomic_load_explicit(&s->version, memory_order_acquire);
        if (s == ct->looked_up && version == ct->looked_up_version)
            continue;
        if (!ct->poll_block) {
            ct->looked_up = s;
            ct->looked_up_version = version;
        }
        ct->pending = vector_clock_acquire(ct->pending, s, version, cb->serial, ct->poll_block);
    }
}

/* A fence of block scope acquires only what the block itself released: the rest still waits for one
 * of device scope. */
static void acquire(struct thread *t, struct check_thread *ct, bool block)
{
    if (ct->polled)
        order_resolve(t);
    if (!block) {
        ct->acquired = vector_clock_join(ct->pending, ct->acquired);
        ct->pending = ct->in_block = NULL;
    } else if (ct->pending != ct->in_block) {
        ct->acquired = vector_clock_join(
            vector_clock_in_block(ct->pending, check_of(t->block)->serial), ct->acquired);
        ct->in_block = ct->pending;
    }
}

/* --- release ---------------------------------------------------------------------------------- */

static void tick(struct check_block *cb, struct check_thread *ct)
{
    if (check_epoch(cb, ct) < EPOCH_MAX)
        ct->epoch++;
    if (ct->epoch > cb->latest)
        cb->latest = ct->epoch;
}

void order_fence(struct thread *t, enum cpu_scope scope)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    unsigned lane = t->id % WARP;
    struct vector_clock *acquired;

    acquire(t, ct, scope == CPU_SCOPE_BLOCK);
    set_aware(cb, t->id);
    cb->fenced = true;
    acquired = vector_clock_join(ct->acquired, cb->common);
    for (int i = 0; i <= (scope != CPU_SCOPE_BLOCK); i++) {
        struct release *r = &ct->release[i];

        r->valid = true;
        r->base = cb->base;
        r->lanes = ct->lanes_base == cb->base;
        if (r->lanes)
            memcpy(r->clock, ct->lane, sizeof(r->clock));
        r->clock[lane] = check_epoch(cb, ct);
        r->acquired = acquired;
    }
    ct->stamp++;
    ct->fences++;
    ct->device_fences += scope != CPU_SCOPE_BLOCK;
    tick(cb, ct);
}

static struct release_record *add_release(struct thread *t, struct sync_var *s,
                                          const struct release *release, struct flush *flush,
                                          bool block_only)
{
    struct release_record *r = vector_clock_alloc(sizeof(*r));
    struct check_block *cb = check_of(t->block);

    atomic_init(&r->own, check_epoch(cb, &cb->thread[t->id]));
    r->serial = cb->serial;
    r->thread = t->id;
    r->block_only = block_only;
    r->flush = flush;
    if (release->valid) {
        r->base = release->base;
        r->epoch = release->clock[t->id % WARP];
        r->acquired = release->acquired;
        if (release->lanes) {
            r->lane = vector_clock_alloc(sizeof(release->clock));
            memcpy(r->lane, release->clock, sizeof(release->clock));
        }
    }
    vector_clock_release(s, r);
    return r;
}

bool order_released(const struct thread *t)
{
    const struct check_block *cb = check_of(t->block);

    return cb->thread[t->id].release[0].valid || cb->flush;
}

/*
 * Called before the write, so that its record is there when another thread reads the value. The
 * clock ticks after it, so that what the thread writes later is known to be later.
 */
void order_publish(const struct access *a, bool global)
{
    struct thread *t = a->thread;
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    const struct release *block = &ct->release[0], *device = &ct->release[1];
    unsigned lane = t->id % WARP;
    uint64_t stamp = ct->stamp << 32 | cb->base;

    if (!order_released(t)) {
        if (global)
            tick(cb, ct);
        return;
    }
    for (unsigned i = 0; i < a->bytes; i += 4) {
        struct sync_var *s =
            vector_clock_find_or_add((a->address & ~(uintptr_t)3) + i, global ? 0 : cb->serial);

        if (a->flags & ACCESS_BLOCK_SCOPE) {
            add_release(t, s, block, cb->flush, true);
            ct->published = NULL;
            continue;
        }
        if (s == ct->published && ct->published_stamp == stamp) {
            if (ct->published_record)
                atomic_store(&ct->published_record->own, check_epoch(cb, ct));
            continue;
        }
        ct->published = s;
        ct->published_stamp = stamp;
        ct->published_record = NULL;
        if (device->valid || cb->flush)
            ct->published_record = add_release(t, s, device, cb->flush, false);
        if (block->valid && (!device->valid || block->clock[lane] > device->clock[lane]))
            add_release(t, s, block, cb->flush, true);
    }
    set_aware(cb, t->id);
    if (global)
        tick(cb, ct);
}

/* --- barriers --------------------------------------------------------------------------------- */

static void take_flush(struct block *b, struct check_block *cb)
{
    unsigned count = 0;
    uint32_t all = UINT32_MAX;
    struct flush *f;

    for (unsigned i = 0; i < b->threads; i++) {
        const struct release *r = &cb->thread[i].release[1];
        bool fenced = cb->aware[i / 64] >> i % 64 & 1 && r->valid;
        uint32_t epoch = fenced ? r->clock[i % WARP] : 0;

        count += fenced;
        all = epoch < all ? epoch : all;
    }
    if (!count)
        return;
    f = vector_clock_alloc(sizeof(*f) + count * sizeof(f->of[0]));
    f->all = all;
    for (unsigned i = 0; i < b->threads; i++) {
        const struct release *r = &cb->thread[i].release[1];

        if (!(cb->aware[i / 64] >> i % 64 & 1) || !r->valid)
            continue;
        if (r->base > f->base)
            f->base = r->base;
        f->acquired = vector_clock_join(r->acquired, f->acquired);
        if (r->clock[i % WARP] > all) {
            f->of[f->count].thread = i;
            f->of[f->count++].epoch = r->clock[i % WARP];
        }
    }
    cb->flush = f;
}

void order_barrier(struct block *b)
{
    struct check_block *cb = check_of(b);

    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t rest = cb->aware[i]; rest; rest &= rest - 1) {
            struct check_thread *ct = &cb->thread[i * 64 + (unsigned)__builtin_ctzll(rest)];

            cb->common = vector_clock_join(ct->acquired, cb->common);
            ct->acquired = NULL;
        }
    if (cb->fenced)
        take_flush(b, cb);
    cb->fenced = false;
    if (cb->latest < cb->base)
        cb->latest = cb->base;
    cb->base = cb->latest + 1 < EPOCH_MAX ? cb->latest + 1 : EPOCH_MAX;
}

/* Each lane of the mask gets the clocks of all of them. */
void order_warp(struct block *b, struct warp *w, uint32_t mask)
{
    struct check_block *cb = check_of(b);
    struct check_thread *of = &cb->thread[w->first];
    struct vector_clock *all_acquired = NULL;
    uint32_t joined[WARP] = {0}, aware = (uint32_t)(cb->aware[w->first / 64] >> w->first % 64);

    if (!(mask & (mask - 1)))
        return;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        struct check_thread *ct = &of[lane];

        if (ct->lanes_base != cb->base) {
            memset(ct->lane, 0, sizeof(ct->lane));
            ct->lanes_base = cb->base;
        }
        ct->lane[lane] = check_epoch(cb, ct);
        if (mask != ~0u)
            for (unsigned i = 0; i < WARP; i++)
                joined[i] = joined[i] > ct->lane[i] ? joined[i] : ct->lane[i];
        else
            joined[lane] = ct->lane[lane];
        if (aware >> lane & 1)
            all_acquired = vector_clock_join(ct->acquired, all_acquired);
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct check_thread *ct = &of[__builtin_ctz(rest)];

        memcpy(ct->lane, joined, sizeof(joined));
        tick(cb, ct);
        if (all_acquired) {
            ct->acquired = all_acquired;
            set_aware(cb, w->first + (unsigned)__builtin_ctz(rest));
        }
    }
    if (!(aware & mask))
        return;
    for (int scope = 0; scope < 2; scope++) { /* their fences count for each other, too */
        struct release all = {0};

        for (uint32_t rest = aware & mask; rest; rest &= rest - 1) {
            const struct release *r = &of[__builtin_ctz(rest)].release[scope];
            unsigned lane = (unsigned)__builtin_ctz(rest);

            if (!r->valid)
                continue;
            all.valid = all.lanes = true;
            all.base = r->base > all.base ? r->base : all.base;
            all.acquired = vector_clock_join(all.acquired, r->acquired);
            for (unsigned i = 0; i < WARP; i++)
                if ((r->lanes || i == lane) && r->clock[i] > all.clock[i])
                    all.clock[i] = r->clock[i];
        }
        if (!all.valid)
            return;
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            of[__builtin_ctz(rest)].release[scope] = all;
            of[__builtin_ctz(rest)].stamp++;
            set_aware(cb, w->first + (unsigned)__builtin_ctz(rest));
        }
    }
}

void order_forget(struct check_block *cb)
{
    for (unsigned i = 0; i < WORDS; i++) {
        for (uint64_t rest = cb->aware[i]; rest; rest &= rest - 1) {
            struct check_thread *ct = &cb->thread[i * 64 + (unsigned)__builtin_ctzll(rest)];

            ct->polled = false;
            ct->acquired = ct->pending = ct->in_block = NULL;
            memset(ct->seen, 0, sizeof(ct->seen));
            ct->looked_up = ct->published = NULL;
            ct->release[0].valid = ct->release[1].valid = false;
        }
        cb->aware[i] = 0;
    }
    cb->common = NULL;
    cb->flush = NULL;
    cb->fenced = false;
    memset(cb->counter, 0, sizeof(cb->counter));
}
