/*
 * Barriers and warp operations that CUDA does not define, and threads that wait for ever.
 *
 * A thread that has ended is no longer awaited (CUDA C++ Programming Guide, "Synchronization
 * Functions": all non-exited threads), so a return before a barrier is right. What is wrong is to
 * go around a barrier that others wait at: "__syncthreads() is allowed in conditional code but only
 * if the conditional evaluates identically across the entire thread block". So these are found:
 *
 *   - threads that have run on to the kernel's end, whatever they did there, while others wait.
 *     They ran through all of the kernel that was theirs, so the barrier is in conditional code.
 *     The GPU counts them as arrived, and compute-sanitizer's synccheck is silent;
 *   - threads that left by a return, and before it ran code that the others run behind the barrier.
 *
 * A return is one of the kernel's own: a device function that returns early goes on in the kernel.
 * The translator marks each, because which way a thread went to its end the compiler does not keep.
 *
 * Everything here is called by the worker of the block, while none of its threads runs but the one
 * that it is about.
 */
#include "cpu/tools/check/check.h"

static struct party party_of(const struct block *b, unsigned id, uintptr_t site)
{
    return (struct party){site, b->number, id, 0, b->thread[id].line};
}

static void note_ended(struct block *b, struct check_block *cb, unsigned waiting)
{
    uint64_t ended = 0, others = 0;
    unsigned who = 0;

    for (unsigned i = 0; i < b->threads; i++) {
        const struct check_thread *ct = &cb->thread[i];

        if (ct->sites_base != cb->base || !ct->sites)
            continue;
        if (b->thread[i].wait == ENDED) {
            if (!ended)
                who = i;
            ended |= ct->sites;
        } else {
            others |= ct->sites;
        }
    }
    if (ended & ~others) {
        cb->passed |= ended & ~others;
        cb->missed = party_of(b, who, 0);
        cb->waited = party_of(b, waiting, b->thread[waiting].site);
    }
}

/* Some have ended where the others wait: did one of them run to the kernel's end? */
static void found_around(struct block *b, unsigned waiting)
{
    struct finding f = {.kind = FOUND_BARRIER_AROUND, .parties = 2};

    for (unsigned i = 0; i < b->threads; i++) {
        const struct thread *t = &b->thread[i];

        if (!set_has(b->begun, i) || t->wait != ENDED || t->killed || t->returned)
            continue;
        f.party[0] = party_of(b, waiting, b->thread[waiting].site);
        f.party[1] = party_of(b, i, 0);
        finding_add(&f);
        return;
    }
}

/* All threads that have not ended wait at a barrier, of the block or of the grid. */
void sync_barrier(struct block *b)
{
    struct check_block *cb = check_of(b);
    const uint64_t *waiting = b->at_barrier ? b->barrier : b->grid;
    unsigned first = MAX_THREADS;

    for (unsigned i = 0; i < b->threads; i++) {
        if (!set_has(waiting, i))
            continue;
        if (first == MAX_THREADS) {
            first = i;
        } else if (b->thread[i].site != b->thread[first].site) {
            struct finding f = {.kind = FOUND_TWO_BARRIERS, .parties = 2};

            f.party[0] = party_of(b, first, b->thread[first].site);
            f.party[1] = party_of(b, i, b->thread[i].site);
            finding_add(&f);
            break;
        }
    }
    if (b->alive < b->threads && first < MAX_THREADS && !cb->killed) {
        found_around(b, first);
        note_ended(b, cb, first);
    }
}

/* A thread behind the barrier runs code that another has run without waiting at it. */
void sync_passed(const struct access *a)
{
    struct check_block *cb = check_of(a->thread->block);
    struct finding f = {.kind = FOUND_BARRIER_MISSED, .parties = 2};

    f.party[0] = cb->waited;
    f.party[1] = cb->missed;
    f.party[1].site = a->site;
    finding_add(&f);
    cb->passed = 0;
}

/*
 * A mask that names lanes which never come. CUDA wants all lanes of the mask that have not exited
 * to make the same call, and drops those that have: a lane that returned early takes nothing away,
 * and the full mask says all that are left. But one that has made this very call before, in an
 * earlier turn of a loop, and then goes around it to its end, was not gone when the others called;
 * and neither was, for a shuffle, one that passed a barrier of the block. What all lanes do
 * together for the tensor cores no lane may have left.
 */
static void found_gone(struct block *b, const struct warp *w, enum cpu_warp_op op,
                       const struct finding *shared, uint32_t gone)
{
    const struct check_block *cb = check_of(b);
    bool all = shared->mask != ~0u || op == CPU_WARP_TOGETHER ||
               (op >= CPU_WARP_SHFL && op <= CPU_WARP_SHFL_XOR && b->barriers);
    struct finding f = *shared;

    f.kind = FOUND_LANE_ENDED;
    f.lanes = gone;
    if (gone && all)
        finding_add(&f);
    for (uint32_t rest = all ? 0 : gone; rest; rest &= rest - 1) {
        const struct check_thread *ct = &cb->thread[w->first + (unsigned)__builtin_ctz(rest)];

        if (!ct->warp_op || ct->warp_op_serial != cb->serial)
            continue;
        f.lanes = rest & -rest;
        f.party[1].site = ct->warp_op; /* shown only where it is the same line */
        finding_add(&f);
    }
}

/* Its mask lacks the lane itself, or has one that is not there or has ended. */
static __attribute__((noinline)) void check_mask(const struct thread *t, const struct warp *w,
                                                 enum cpu_warp_op op, uint32_t mask)
{
    struct finding f = {.parties = 1, .mask = mask};

    f.party[0] = party_of(t->block, t->id, t->site);
    if (!(mask >> t->id % WARP & 1)) {
        f.kind = FOUND_NOT_IN_MASK;
        f.lanes = 1u << t->id % WARP;
        finding_add(&f);
    }
    f.lanes = mask & ~w->lanes;
    if (f.lanes && (mask != ~0u || op == CPU_WARP_TOGETHER)) {
        f.kind = FOUND_LANE_ABSENT;
        finding_add(&f);
    }
    if (!check_of(t->block)->killed)
        found_gone(t->block, w, op, &f, mask & w->ended);
}

void sync_warp(struct thread *t, enum cpu_warp_op op, uint32_t mask)
{
    const struct warp *w = warp_of(t);
    struct check_block *cb = check_of(t->block);

    if (mask == ~0u) {
        cb->thread[t->id].warp_op = t->site;
        cb->thread[t->id].warp_op_serial = cb->serial;
    }
    if (!(mask >> t->id % WARP & 1) || mask & (~w->lanes | w->ended))
        check_mask(t, w, op, mask);
}

/* It ends while lanes of its warp wait for it. */
void sync_thread_end(struct thread *t)
{
    struct warp *w = warp_of(t);
    uint32_t lane = 1u << t->id % WARP;

    if (t->killed || check_of(t->block)->killed)
        return;
    for (unsigned i = 0; i < w->pending; i++) {
        const struct collective *c = &w->collective[i];
        struct finding f = {.parties = 1, .mask = c->mask};
        unsigned waits = w->first + (unsigned)__builtin_ctz(c->arrived);

        if (!(c->mask & lane) || c->arrived & lane)
            continue;
        f.party[0] = party_of(t->block, waits, t->block->thread[waits].site);
        found_gone(t->block, w, c->op, &f, lane);
    }
}

/* A shuffle reads a lane that takes no part in it. */
void sync_lane_missing(struct thread *t, uint32_t mask, unsigned lane)
{
    struct finding f = {.kind = FOUND_LANE_READ, .parties = 1, .mask = mask, .lane = lane};
    const struct warp *w = warp_of(t);

    if (check_of(t->block)->killed)
        return;
    f.party[0] = party_of(t->block, t->id, t->site);
    f.lanes = lane >= WARP || !(mask >> lane & 1) ? 0 : w->ended >> lane & 1 ? 1 : 2;
    finding_add(&f);
}

void sync_lanes_apart(struct thread *t, struct thread *other)
{
    struct finding f = {.kind = FOUND_APART, .parties = 2};

    f.party[0] = party_of(t->block, t->id, t->site);
    f.party[1] = party_of(t->block, other->id, other->site);
    finding_add(&f);
}

void sync_grid_missing(struct thread *t)
{
    struct finding f = {.kind = FOUND_NO_GRID, .parties = 1};

    f.party[0] = party_of(t->block, t->id, t->site);
    check_of(t->block)->killed = true; /* by this */
    finding_add(&f);
}

void sync_without_mask(struct thread *t)
{
    struct finding f = {.kind = FOUND_OLD_WARP, .parties = 1};

    f.party[0] = party_of(t->block, t->id, t->site);
    finding_add(&f);
}

void sync_stuck(struct block *b)
{
    for (unsigned i = 0; i < b->threads; i++) {
        struct thread *t = &b->thread[i];
        struct warp *w = &b->warp[i / WARP];
        struct finding f = {.kind = FOUND_STUCK, .parties = 1};

        if (!set_has(b->begun, i) || t->wait == ENDED || t->wait == RUNNING)
            continue;
        f.party[0] = party_of(b, i, t->site);
        f.wait = t->wait;
        for (unsigned j = 0; t->wait == AT_WARP && j < w->pending; j++)
            if (w->collective[j].arrived >> i % WARP & 1) {
                f.mask = w->collective[j].mask;
                f.lanes = f.mask & w->lanes & ~w->ended & ~w->collective[j].arrived;
            }
        finding_add(&f);
    }
}
