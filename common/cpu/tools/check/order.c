/*
 * What happens before what through memory: fences, flags and atomics.
 *
 * The rule is that of CUDA's memory model (PTX ISA, "Memory Consistency Model"), with volatile
 * accesses taken as relaxed atomics. A fence followed by an atomic or volatile write of a word
 * releases what the thread did and acquired; an atomic or volatile read of the same word, followed
 * by a fence, acquires it, and a barrier hands on to the block what was acquired. A fence before a
 * block barrier also counts for a write after the barrier by another thread of the block, as it
 * does on every GPU.
 * A write that releases by itself, as cuda::atomic's do, makes the same known, and only it does; a
 * read that acquires by itself is as one with a fence behind it that releases nothing.
 *
 * All here is about one block and called by its worker. `aware` names the threads of the block
 * whose struct check_thread says anything at all, so that the others cost nothing at a barrier.
 */
#include <string.h>
#include "cpu/engine/cluster.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/object.h"
#include "cpu/tools/check/vector_clock.h"

bool order_happens_before(const struct thread *t, const struct target *target)
{
    struct check_block *cb = check_of(t->block);

    /* Whatever makes an access known ticks the clock behind it. */
    if (target->serial == cb->serial && !target->word &&
        check_epoch(cb, &cb->thread[target->thread]) == target->epoch)
        return false;
    return vector_clock_covers(cb->thread[t->id].acquired, cb->common, target);
}

/* --- acquire ---------------------------------------------------------------------------------- */

static void set_aware(struct check_block *cb, unsigned id)
{
    cb->aware[id / 64] |= (uint64_t)1 << id % 64;
}

/* With one device that of the device is that of the system. Volatile is no atomic: it has that of
 * the system. */
static enum cpu_scope scope_of_access(const struct access *a)
{
    if (a->flags & ACCESS_BLOCK_SCOPE)
        return CPU_SCOPE_BLOCK;
    return cpu_devices > 1 && a->flags & ACCESS_ATOMIC && !(a->flags & ACCESS_SYSTEM_SCOPE)
               ? CPU_SCOPE_DEVICE
               : CPU_SCOPE_SYSTEM;
}

/* Of the block in whose shared memory it is; 0: in none's. */
static uint32_t serial_of(const struct access *a)
{
    struct block *b = a->thread->block;

    return a->space == SPACE_SHARED    ? check_of(b)->serial
           : a->space == SPACE_CLUSTER ? check_of(cluster_owner(b, a->address))->serial
                                       : 0;
}

/*
 * By which words of it. The phases of a barrier object are told of by its two words in turn, so
 * that who asks for the parity of one that has long ended does not learn what those have done who
 * arrived at the phase under way.
 */
struct words {
    unsigned from, to; /* bytes from its start */
};

uintptr_t order_object_word(uintptr_t object)
{
    uint64_t word = __atomic_load_n((const uint64_t *)object, __ATOMIC_SEQ_CST);

    return object + 4 * object_parity(word);
}

static struct words words_of(const struct access *a)
{
    struct words w = {0, a->bytes};

    if (!(a->flags & ACCESS_OBJECT))
        return w;
    if (a->flags & ACCESS_WRITE)
        w.from = (unsigned)(order_object_word(a->address) - a->address);
    else if (a->flags & (ACCESS_EVEN | ACCESS_ODD))
        w.from = a->flags & ACCESS_ODD ? 4 : 0;
    else
        return w;
    w.to = w.from + 4;
    return w;
}

void order_poll(const struct access *a, const struct place *p)
{
    struct check_thread *ct = &check_of(a->thread->block)->thread[a->thread->id];

    ct->polled = true;
    ct->poll_address = a->address;
    ct->poll_site = a->site;
    ct->poll_fences = ct->fences;
    ct->poll_device_fences = ct->device_fences;
    ct->poll_region = p && !p->owner && !(a->flags & ACCESS_WRITE) ? p->region : NULL;
    ct->poll_offset = p ? p->offset : 0;
    ct->poll_serial = serial_of(a);
    ct->poll_from = (uint8_t)words_of(a).from;
    ct->poll_bytes = (uint8_t)words_of(a).to;
    ct->poll_scope = scope_of_access(a);
    ct->poll_swap = a->flags & (ACCESS_SWAP | ACCESS_EXCHANGE);
    set_aware(check_of(a->thread->block), a->thread->id);
}

/* Called before whatever the thread does next, so that the value it has read was there by then. */
void order_resolve(struct thread *t)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];

    ct->polled = false;
    if (!vector_clock_any())
        return;
    for (unsigned i = ct->poll_from; i < ct->poll_bytes; i += 4) {
        struct sync_var *s =
            vector_clock_find((ct->poll_address & ~(uintptr_t)3) + i, ct->poll_serial);
        uint64_t version;

        if (!s)
            continue;
        version = atomic_load_explicit(&s->version, memory_order_acquire);
        if (s == ct->looked_up && version == ct->looked_up_version)
            continue;
        if (s->address != ct->holding.lock)
            section_widen(ct); /* others may have worked for it */
        if (ct->poll_scope == CPU_SCOPE_SYSTEM) {
            ct->looked_up = s;
            ct->looked_up_version = version;
        }
        ct->pending = vector_clock_acquire(
            ct->pending, s, version, cb, (enum cpu_scope)ct->poll_scope,
            ct->poll_swap && atomic_load(&s->is_lock) ? section_of_lock(t, s->address) : NULL);
    }
}

/* A fence of block scope acquires only what the block itself released, and one of device scope what
 * the device did: the rest still waits for one of the system's. */
static void acquire(struct thread *t, struct check_thread *ct, enum cpu_scope scope)
{
    if (ct->polled)
        order_resolve(t);
    if (scope == CPU_SCOPE_SYSTEM) {
        ct->acquired = vector_clock_join(ct->pending, ct->acquired);
        ct->pending = ct->in_scope[0] = ct->in_scope[1] = NULL;
    } else if (ct->pending != ct->in_scope[scope]) {
        ct->acquired = vector_clock_join(
            vector_clock_in_scope(ct->pending, check_of(t->block), scope), ct->acquired);
        ct->in_scope[scope] = ct->pending;
    }
}

/* --- release ---------------------------------------------------------------------------------- */

void order_tick(struct check_block *cb, struct check_thread *ct)
{
    if (check_epoch(cb, ct) < EPOCH_MAX)
        ct->epoch++;
    if (ct->epoch > cb->latest)
        cb->latest = ct->epoch;
}

/* The same, up to the block's time at least: a search for what it does from here on need not look
 * through what was released before. */
static void catch_up(struct check_block *cb, struct check_thread *ct)
{
    if (check_epoch(cb, ct) < cb->latest)
        ct->epoch = cb->latest;
    else
        order_tick(cb, ct);
}

static enum cpu_scope widened(enum cpu_scope scope)
{
    return scope == CPU_SCOPE_DEVICE && cpu_devices == 1 ? CPU_SCOPE_SYSTEM : scope;
}

static void count_fence(struct check_thread *ct, enum cpu_scope scope)
{
    ct->fences++;
    ct->device_fences += scope != CPU_SCOPE_BLOCK;
}

/* What the thread did so far, and acquired, is what its next write makes known. */
static void set_release(struct thread *t, enum cpu_scope scope)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    unsigned lane = t->id % WARP;
    struct vector_clock *acquired = vector_clock_join(ct->acquired, cb->common);

    for (unsigned i = 0; i <= scope; i++) {
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
}

void order_fence(struct thread *t, enum cpu_scope scope)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];

    scope = widened(scope);
    acquire(t, ct, scope);
    set_aware(cb, t->id);
    cb->fenced = true;
    set_release(t, scope);
    catch_up(cb, ct);
    count_fence(ct, scope);
}

void order_release(struct thread *t, enum cpu_scope scope)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];

    if (!ct->releases)
        memcpy(ct->kept, ct->release, sizeof(ct->kept));
    ct->releases = true;
    set_aware(cb, t->id);
    set_release(t, widened(scope));
    order_tick(cb, ct);
}

/* What its relaxed reads before the last one saw counts, too: that is more than the model says. */
void order_acquire(struct thread *t, enum cpu_scope scope)
{
    struct check_thread *ct = &check_of(t->block)->thread[t->id];

    scope = widened(scope);
    acquire(t, ct, scope);
    set_aware(check_of(t->block), t->id);
    count_fence(ct, scope);
}

static struct release_record *add_release(struct thread *t, struct sync_var *s,
                                          const struct release *release, struct flush *flush,
                                          enum cpu_scope scope)
{
    struct release_record *r = vector_clock_alloc(sizeof(*r));
    struct check_block *cb = check_of(t->block);

    atomic_init(&r->own, check_epoch(cb, &cb->thread[t->id]));
    r->serial = cb->serial;
    r->when = check_now(cb);
    r->thread = t->id;
    r->scope = scope;
    r->device = cb->device;
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

/* Only what the thread itself did until now, by the copy, is made known. */
void order_copied(struct thread *t, uintptr_t word, uint32_t serial)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    struct release r = {.valid = true, .base = cb->base};

    r.clock[t->id % WARP] = check_epoch(cb, ct);
    add_release(t, vector_clock_find_or_add(word & ~(uintptr_t)3, serial), &r, NULL,
                serial == cb->serial ? CPU_SCOPE_BLOCK : CPU_SCOPE_DEVICE);
    order_tick(cb, ct);
}

bool order_released(const struct thread *t)
{
    const struct check_block *cb = check_of(t->block);

    return cb->thread[t->id].release[0].valid || cb->flush[CPU_SCOPE_DEVICE];
}

/* By fences of each scope, those of a smaller one as far as they are later. Returns what was
 * released as widely as the write goes, or NULL. */
static struct release_record *publish(struct thread *t, struct sync_var *s, enum cpu_scope scope)
{
    struct check_block *cb = check_of(t->block);
    const struct release *release = cb->thread[t->id].release;
    unsigned lane = t->id % WARP;
    struct release_record *widest = NULL;
    uint32_t until = 0;

    for (int i = (int)scope; i >= 0; i--) {
        const struct release *r = &release[i];
        struct flush *flush = cb->flush[i];
        struct release_record *one = NULL;

        if (i != CPU_SCOPE_BLOCK ? r->valid || flush : r->valid) {
            if (i == (int)scope || !until || !r->valid || r->clock[lane] > until)
                one = add_release(t, s, r, i == CPU_SCOPE_BLOCK ? cb->flush[scope] : flush,
                                  (enum cpu_scope)i);
            if (r->valid && r->clock[lane] > until)
                until = r->clock[lane];
        }
        if (i == (int)scope)
            widest = one;
        if (i == CPU_SCOPE_SYSTEM && cpu_devices == 1)
            i--; /* the device's are the same */
    }
    return widest;
}

/*
 * Called before the write, so that its record is there when another thread reads the value. The
 * clock ticks after it, so that what the thread writes later is known to be later.
 */
void order_publish(const struct access *a, bool ticks)
{
    struct thread *t = a->thread;
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    enum cpu_scope scope = scope_of_access(a);
    uint64_t stamp = ct->stamp << 32 | cb->base;
    struct words words = words_of(a);

    if (!order_released(t)) {
        if (ticks)
            order_tick(cb, ct);
        return;
    }
    for (unsigned i = words.from; i < words.to; i += 4) {
        struct sync_var *s =
            vector_clock_find_or_add((a->address & ~(uintptr_t)3) + i, serial_of(a));

        if (s->address == ct->holding.lock)
            ct->holding.record = ct->published_record; /* unless there is a new one */
        if (scope == CPU_SCOPE_BLOCK) {
            ct->holding.record =
                add_release(t, s, &ct->release[0], cb->flush[CPU_SCOPE_DEVICE], scope);
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
        ct->holding.record = ct->published_record = publish(t, s, scope);
    }
    if (ct->releases)
        memcpy(ct->release, ct->kept, sizeof(ct->release));
    ct->releases = false;
    set_aware(cb, t->id);
    if (ticks)
        order_tick(cb, ct);
}

/* --- clusters --------------------------------------------------------------------------------- */

void order_release_block(struct check_block *cb, struct sync_var *s, struct flush *f)
{
    struct release_record *r = vector_clock_alloc(sizeof(*r));

    r->serial = cb->serial;
    r->when = check_now(cb);
    r->scope = CPU_SCOPE_SYSTEM;
    r->device = cb->device;
    r->flush = f;
    vector_clock_release(s, r);
}

void order_meet(struct check_block *cb, unsigned thread)
{
    struct check_thread *ct = &cb->thread[thread];

    ct->acquired = vector_clock_join(cb->met, ct->acquired);
    set_aware(cb, thread);
}

/* --- barriers --------------------------------------------------------------------------------- */

static void take_flush(struct block *b, struct check_block *cb, enum cpu_scope scope)
{
    unsigned count = 0;
    uint32_t all = UINT32_MAX;
    struct flush *f;

    for (unsigned i = 0; i < b->threads; i++) {
        const struct release *r = &cb->thread[i].release[scope];
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
        const struct release *r = &cb->thread[i].release[scope];

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
    cb->flush[scope] = f;
}

void order_barrier(struct block *b)
{
    struct check_block *cb = check_of(b);

    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t rest = cb->aware[i]; rest; rest &= rest - 1) {
            struct check_thread *ct = &cb->thread[i * 64 + (unsigned)__builtin_ctzll(rest)];

            cb->common = vector_clock_join(ct->acquired, cb->common);
            ct->acquired = NULL;
            section_widen(ct);
        }
    if (cb->fenced)
        take_flush(b, cb, CPU_SCOPE_DEVICE);
    if (cb->fenced && cpu_devices == 1)
        cb->flush[CPU_SCOPE_SYSTEM] = cb->flush[CPU_SCOPE_DEVICE];
    else if (cb->fenced)
        take_flush(b, cb, CPU_SCOPE_SYSTEM);
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
        if (aware >> lane & 1) {
            all_acquired = vector_clock_join(ct->acquired, all_acquired);
            section_widen(ct);
        }
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct check_thread *ct = &of[__builtin_ctz(rest)];

        memcpy(ct->lane, joined, sizeof(joined));
        order_tick(cb, ct);
        if (all_acquired) {
            ct->acquired = all_acquired;
            set_aware(cb, w->first + (unsigned)__builtin_ctz(rest));
        }
    }
    if (!(aware & mask))
        return;
    for (int scope = 0; scope < 3; scope++) { /* their fences count for each other, too */
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
            ct->acquired = ct->pending = ct->in_scope[0] = ct->in_scope[1] = NULL;
            memset(ct->seen, 0, sizeof(ct->seen));
            ct->looked_up = ct->published = NULL;
            section_forget(ct);
            ct->holding.all = NULL;
            for (int scope = 0; scope < 3; scope++)
                ct->release[scope].valid = false;
        }
        cb->aware[i] = 0;
    }
    cb->common = NULL;
    memset(cb->flush, 0, sizeof(cb->flush));
    cb->fenced = false;
    memset(cb->counter, 0, sizeof(cb->counter));
}
