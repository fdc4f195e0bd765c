/*
 * Warp operations: each lane named in the mask brings its value and waits; the last one computes
 * every lane's result. A lane that has ended counts as arrived. Disjoint masks do not disturb each
 * other. Semantics of the CUDA C++ Programming Guide, "Warp Vote", "Match", "Reduce", "Shuffle".
 * What a shuffle reads from a lane that takes no part is undefined there; here it is 0.
 *
 * An operation that waits for lanes is an entry of warp.collective, the first `pending` of which
 * are in use, in no order; a lane is in at most one. A lane's value stays in its thread until the
 * operation is computed, and its result until it runs again.
 */
#include <limits.h>
#include "cpu/engine/in_step.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/warp.h"

static struct thread *lane_thread(struct block *b, struct warp *w, unsigned lane)
{
    return &b->thread[w->first + lane];
}

static uint64_t shuffle(struct block *b, struct warp *w, const struct collective *c, unsigned lane)
{
    struct thread *t = lane_thread(b, w, lane);
    unsigned width = t->width, low = lane & ~(width - 1);
    int source;

    switch (c->op) {
    case CPU_WARP_SHFL:
        source = (int)(low + (t->lane & (width - 1)));
        break;
    case CPU_WARP_SHFL_UP:
        source = (int)lane - (int)t->lane;
        if (source < (int)low)
            source = (int)lane;
        break;
    case CPU_WARP_SHFL_DOWN:
        source = (int)(lane + t->lane);
        if (t->lane >= width || source >= (int)(low + width))
            source = (int)lane;
        break;
    default: /* xor: lanes of a lower segment may be read, of a higher one not */
        source = (int)(lane ^ t->lane);
        if (source >= (int)(low + width))
            source = (int)lane;
        break;
    }
    if (source == (int)lane)
        return t->value;
    if ((unsigned)source >= WARP || !(c->mask & w->lanes & ~w->ended & 1u << source)) {
        OBSERVE(lane_missing, t, c->mask, (unsigned)source);
        return 0;
    }
    return lane_thread(b, w, (unsigned)source)->value;
}

static uint64_t fold(enum cpu_warp_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case CPU_WARP_ADD:
        return (uint32_t)(a + b);
    case CPU_WARP_MIN_S:
        return (int32_t)a < (int32_t)b ? a : b;
    case CPU_WARP_MAX_S:
        return (int32_t)a > (int32_t)b ? a : b;
    case CPU_WARP_MIN_U:
        return a < b ? a : b;
    case CPU_WARP_MAX_U:
        return a > b ? a : b;
    case CPU_WARP_AND:
        return a & b;
    case CPU_WARP_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void compute_together(struct block *b, struct warp *w, uint32_t lanes)
{
    struct warp_part *part[WARP] = {NULL};
    struct thread *thread[WARP] = {NULL};

    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        thread[lane] = lane_thread(b, w, lane);
        part[lane] = (void *)thread[lane]->value;
    }
    if (lanes)
        part[__builtin_ctz(lanes)]->compute(part, thread);
}

static void compute(struct block *b, struct warp *w, const struct collective *c)
{
    uint32_t lanes = c->mask & w->lanes & ~w->ended, ballot = 0;
    uint64_t folded = 0;
    bool first = true, equal = true;

    switch (c->op) {
    case CPU_WARP_TOGETHER:
        compute_together(b, w, lanes);
        return;
    case CPU_WARP_SYNC:
        return;
    case CPU_WARP_SHFL:
    case CPU_WARP_SHFL_UP:
    case CPU_WARP_SHFL_DOWN:
    case CPU_WARP_SHFL_XOR:
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);

            lane_thread(b, w, lane)->result = shuffle(b, w, c, lane);
        }
        return;
    default:
        break;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        struct thread *t = lane_thread(b, w, (unsigned)__builtin_ctz(rest));

        if (t->value)
            ballot |= rest & -rest;
        if (c->op >= CPU_WARP_ADD)
            folded = first ? t->value : fold(c->op, folded, t->value);
        if (t->value != lane_thread(b, w, (unsigned)__builtin_ctz(lanes))->value)
            equal = false;
        first = false;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        struct thread *t = lane_thread(b, w, (unsigned)__builtin_ctz(rest));
        uint32_t same = 0;

        switch (c->op) {
        case CPU_WARP_BALLOT:
            t->result = ballot;
            break;
        case CPU_WARP_ANY:
            t->result = ballot != 0;
            break;
        case CPU_WARP_ALL:
            t->result = ballot == lanes;
            break;
        case CPU_WARP_MATCH_ANY:
            for (uint32_t other = lanes; other; other &= other - 1)
                if (lane_thread(b, w, (unsigned)__builtin_ctz(other))->value == t->value)
                    same |= other & -other;
            t->result = same;
            break;
        case CPU_WARP_MATCH_ALL:
            t->result = equal ? lanes : 0;
            t->predicate = equal;
            break;
        default:
            t->result = folded;
            break;
        }
    }
}

static bool complete(const struct warp *w, const struct collective *c)
{
    uint32_t lanes = c->mask & w->lanes;

    return ((c->arrived | w->ended) & lanes) == lanes;
}

/* Compute, and let the lanes that wait go on. The entry is free again. */
static void finish(struct block *b, struct warp *w, unsigned entry)
{
    struct collective c = w->collective[entry];

    w->collective[entry] = w->collective[--w->pending];
    compute(b, w, &c);
    OBSERVE(warp_done, b, w, c.mask & w->lanes & ~w->ended);
    if (c.op == CPU_WARP_SYNC)
        OBSERVE(warp_synced, b, w, c.mask & w->lanes & ~w->ended);
    set_add_lanes(b->ready, w->first / WARP, c.arrived & ~w->ended);
}

uint64_t warp_operation(struct thread *t, enum cpu_warp_op op, uint32_t mask, uint64_t value,
                        unsigned lane_argument, unsigned width, uintptr_t site)
{
    struct warp *w = warp_of(t);
    unsigned lane = t->id % WARP, i;

    t->value = value;
    t->lane = lane_argument;
    t->width = width;
    t->site = site;
    OBSERVE(warp, t, op, mask);
    if ((mask & w->lanes) == 1u << lane) { /* alone */
        struct collective c = {.mask = mask, .arrived = 1u << lane, .op = op};

        compute(t->block, w, &c);
        OBSERVE(warp_done, t->block, w, 1u << lane);
        in_step_fence(t);
        return t->result;
    }
    for (i = 0; i < w->pending; i++)
        if (w->collective[i].mask == mask && w->collective[i].op == op &&
            !(w->collective[i].arrived >> lane & 1))
            break;
    if (i == w->pending) {
        w->collective[i] = (struct collective){.mask = mask, .op = op};
        w->pending++;
    }
    w->collective[i].arrived |= 1u << lane;
    if (complete(w, &w->collective[i])) {
        finish(t->block, w, i);
        cpu_first_lane(t);
    } else {
        cpu_wait(t, AT_WARP);
    }
    return t->result;
}

void warp_thread_ended(struct thread *t)
{
    struct warp *w = warp_of(t);

    for (unsigned i = w->pending; i-- > 0;)
        if (complete(w, &w->collective[i]))
            finish(t->block, w, i);
}

/* --- which lanes are together ---------------------------------------------------------------- */

uint32_t warp_active(struct thread *t, unsigned line, uintptr_t site)
{
    t->site = site;
    t->line = line;
    set_add(t->block->converging, t->id);
    cpu_wait(t, AT_CONVERGENCE);
    t->line = 0; /* was of this call */
    return (uint32_t)t->result;
}

/*
 * Lanes wait at several lines when they went different ways. Those at the first line go on first:
 * the others may be behind the point where the ways meet again, and it is there that a GPU has them
 * wait. The address would not do, because the compiler may copy the code behind that point into
 * both ways. In a random order now and then a lane is left out for a while, as CUDA allows.
 */
static void converge(struct block *b, struct warp *w, uint32_t waiting)
{
    unsigned line = UINT_MAX;
    uint32_t here = 0;

    for (uint32_t rest = waiting; rest; rest &= rest - 1) {
        unsigned at = lane_thread(b, w, (unsigned)__builtin_ctz(rest))->line;

        if (at < line) {
            line = at;
            here = 0;
        }
        if (at == line)
            here |= rest & -rest;
    }
    if (cpu_random_order && cpu_random(&b->worker->random) % 4 == 0) {
        uint32_t some = here & (uint32_t)cpu_random(&b->worker->random);

        here = some ? some : here;
    }
    for (uint32_t rest = here; rest; rest &= rest - 1) {
        struct thread *t = lane_thread(b, w, (unsigned)__builtin_ctz(rest));

        t->result = here;
        set_remove(b->converging, t->id);
        set_add(b->ready, t->id);
    }
}

bool warp_converge(struct block *b)
{
    bool any = false;

    for (unsigned i = 0; i < b->warps; i++) {
        uint32_t waiting = set_of_warp(b->converging, i);

        if (waiting)
            converge(b, &b->warp[i], waiting);
        any |= waiting != 0;
    }
    return any;
}
