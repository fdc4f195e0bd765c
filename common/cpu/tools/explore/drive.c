/*
 * One run of a launch, in one worker.
 *
 * A thread runs until its next event: an access to a visible cell, a fence, a barrier, a warp
 * operation. What the graph has already it does again at once, in any order, because the values are
 * known. Before a new event it stops; when all have stopped, the first thread may go on, alone,
 * until it waits for others. So what is added next depends on the graph alone, as the search needs.
 *
 * A thread that polls: it comes again, its registers and its stack being the same, to a read that
 * it did before, and wrote nothing in between. Then one time around the loop is as good as many,
 * and it waits until the search lets that read read another write. Where a loop counts, its stack
 * differs: there a thread waits after it has read the same write POLLS times, and the explorer says
 * that it bounded the loop. Reads that threads poll with go last. A thread that touches much and
 * does no event goes on when no other can: it may poll what no other thread has touched so far.
 *
 * The value that a read reads is put into memory just before the thread reads it; what a thread has
 * written is taken from memory at its next event, or when it stops.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/async_copies.h"
#include "cpu/engine/block.h"
#include "cpu/engine/block_barrier.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/fiber.h"
#include "cpu/engine/grid_launch.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/warp.h"
#include "cpu/engine/worker.h"
#include "cpu/tools/explore/cells.h"
#include "cpu/tools/explore/drive.h"
#include "cpu/tools/explore/phases.h"

enum {
    POLLS = 3,            /* of the same write, at one place in the code */
    MOST_EVENTS = 20000,  /* of an execution */
    MOST_LOOKS = 2000000, /* accesses of the run that only looks */
    SEEN = 64,            /* polls that a thread remembers */
    VOTES = 8,            /* that a warp remembers */
    QUIET = 4096,         /* accesses without an event, after which a thread lets others go first */
    MOST_QUIET = 1 << 20,
};

/* A read that a thread did since it last wrote. */
struct seen {
    uint64_t state;
    uintptr_t site;
    uint32_t cell, index;
};

/* A thread, as the run sees it. */
struct lane {
    struct thread *thread;
    enum { RUNS, STOPPED, STOPPED_AT_POLL, POLLS_FOR_EVER, TO_DO_AGAIN, GAVE_WAY } mode;
    unsigned quiet; /* accesses since its last event */
    bool bounded;   /* POLLS_FOR_EVER by the bound */
    uint32_t loop;  /* POLLS_FOR_EVER, in_loop: its first event of the loop */
    bool looks;     /* it is within a look at a sum, which others do not divide */
    bool writes;    /* it writes what `write` says, and has not been asked what */
    struct access write;
    uint64_t phase;      /* that it arrived at last, of a barrier with phases */
    uint32_t write_cell; /* of an atomic update, or the part of a sum; or NO_CELL */
    uint8_t write_flags;
    uint64_t before;       /* of an update: what it read; of a sum what stood in memory */
    uint64_t froms;        /* what it read last: a number for the writes */
    enum cpu_warp_op op;   /* of its warp, that it came to last */
    uint64_t state;        /* as it came to it, if it is a vote */
    bool looked;           /* it did a strong read since it last changed anything */
    unsigned changes;      /* how often it did */
    bool in_loop;          /* of its warp, whose first event is `loop` */
    bool compares;         /* a compare-and-swap: writes nothing if that does not change */
    unsigned seens, equal; /* equal: polls of the same write in a row */
    uint32_t poll_cell;
    uint64_t poll_from;
    uintptr_t poll_site;
    struct seen seen[SEEN];
};

/* The votes of a warp's lanes, since one of them changed anything. */
struct votes {
    uint32_t mask;
    unsigned count;
    struct vote {
        uint64_t state;
        unsigned changes;
        uint32_t done[WARP]; /* events of each lane */
    } vote[VOTES];
};

struct search drive_search;
const char *drive_unknown;
uintptr_t drive_bounded;
bool drive_unforced;
volatile bool drive_stop;

static struct lane *lane;
static struct votes *votes; /* of each warp of each block */
static struct block **block;
static unsigned lanes;
static bool looking; /* the first run: nothing is decided */
static unsigned long looks;
static bool ended; /* this run, for `why` */
static enum run_end why;
static struct lane *chosen; /* may add events */
static bool chosen_polls;   /* and may poll, once */
static struct lane *wants_state;
static bool hurries; /* what is done again does not wait for its causes: they would wait for it */
static uint64_t state;
static const struct step *steps;
static size_t step_count, step_at;
static uint32_t step_left;

/* Places in the code where threads poll. Kept from run to run: the search begins anew when there
 * is a new one, because the order of events depends on it. */
static uintptr_t *poll_site;
static size_t poll_sites, poll_room;

static bool is_poll_site(uintptr_t site)
{
    for (size_t i = 0; i < poll_sites; i++)
        if (poll_site[i] == site)
            return true;
    return false;
}

static void add_poll_site(uintptr_t site)
{
    if (poll_sites == poll_room) {
        poll_room = poll_room ? 2 * poll_room : 16;
        poll_site = realloc(poll_site, poll_room * sizeof(*poll_site));
        if (!poll_site)
            abort();
    }
    poll_site[poll_sites++] = site;
}

static unsigned number_of(const struct thread *t)
{
    return (unsigned)t->block->number * t->block->threads + t->id;
}

/* The thread did what may let its next poll end otherwise than the one before. */
static void forget_polls(struct lane *l)
{
    l->seens = l->equal = 0;
    l->looked = l->in_loop = false;
    l->changes++;
}

static void end_run(enum run_end end)
{
    if (!ended)
        why = end;
    ended = true;
}

/* --- events ---------------------------------------------------------------------------------- */

static void stop(struct lane *l, int mode)
{
    l->mode = mode;
    cpu_wait(l->thread, SPINNING);
    while (ended) /* never again */
        cpu_wait(l->thread, SPINNING);
}

/* Returns when the thread may do its next event: at once if the graph has it. */
static void wait_for_turn(struct lane *l, bool polls)
{
    while (search_again(&drive_search, number_of(l->thread))) {
        if (search_ready(&drive_search, number_of(l->thread)) || hurries)
            return;
        stop(l, TO_DO_AGAIN);
    }
    while (ended || chosen != l || (polls && !chosen_polls && !steps))
        stop(l, polls ? STOPPED_AT_POLL : STOPPED);
    chosen_polls = false;
    if (drive_search.g->count > MOST_EVENTS) {
        end_run(RUN_TOO_LONG);
        stop(l, STOPPED);
    }
}

static uint32_t do_event(struct lane *l, struct event e)
{
    struct search *s = &drive_search;
    unsigned number = number_of(l->thread);
    uint32_t from;
    bool new = !search_again(s, number);

    e.thread = (uint16_t)number;
    l->quiet = 0;
    cells_event(number);
    if (new &&steps) {
        s->older = step_left == 1 && step_at < step_count ? steps[step_at].older : 0;
        if (step_left && --step_left == 0 && ++step_at < step_count)
            step_left = steps[step_at].events;
        if (step_at >= step_count || steps[step_at].thread != number)
            chosen = NULL;
    }
    from = search_event(s, e);
    cells_after(number, search_before(s, number));
    if (s->strange)
        end_run(RUN_STRANGE);
    else if (s->dead)
        end_run(RUN_CUT);
    else if (s->race[0] != NO_EVENT)
        end_run(RUN_RACE);
    return from;
}

static void write_cell(struct lane *l, uint32_t cell, uint64_t value, unsigned flags,
                       uintptr_t site)
{
    struct event e = {
        .kind = EVENT_WRITE, .flags = (uint8_t)flags, .cell = cell, .value = value, .site = site};

    do_event(l, e);
}

/* What a write to the cell, or to a part of it, has put there. */
static void note_write(struct lane *l, uint32_t cell, unsigned flags, uintptr_t site)
{
    write_cell(l, cell, cells_value(cell), flags, site);
}

/* A value of as many bytes as the cell has. */
static uint64_t cut_to(uint32_t cell, uint64_t value)
{
    return cells[cell].bytes == 8 ? value : value & ((1ull << 8 * cells[cell].bytes) - 1);
}

/* What an addition has added to the thread's part of a sum. */
static void note_sum(struct lane *l)
{
    uint32_t part = l->write_cell;

    cells[part].added = cut_to(part, cells[part].added + cells_value(part) - l->before);
    write_cell(l, part, cells[part].added, l->write_flags, l->write.site);
    forget_polls(l);
}

/* The thread has written: with which values? */
static void settle(struct lane *l)
{
    const struct access *a = &l->write;
    unsigned length = 0;

    if (!l->writes || ended)
        return;
    l->writes = false;
    if (l->write_cell != NO_CELL && cells[l->write_cell].part) {
        note_sum(l);
        return;
    }
    if (l->write_cell != NO_CELL) {
        bool changed = cells_value(l->write_cell) != l->before;

        if (changed || !l->compares)
            note_write(l, l->write_cell, l->write_flags, a->site);
        if (changed)
            forget_polls(l);
        return;
    }
    forget_polls(l);
    for (unsigned at = 0; at < a->bytes && !ended; at += length) {
        uint32_t cell = cells_find(l->thread->block, a->address + at, a->bytes - at, &length);

        if (cell != NO_CELL)
            note_write(l, cell, l->write_flags, a->site);
    }
}

/* The cell; of a sum its parts, too. */
static uint64_t read_cell(struct lane *l, uint32_t cell, unsigned flags, uintptr_t site)
{
    uint64_t value = 0;

    l->froms = 0;
    for (uint32_t i = cell; i <= cell + cells[cell].parts && !ended; i++) {
        struct event e = {.kind = EVENT_READ, .flags = (uint8_t)flags, .cell = i, .site = site};
        uint32_t from;

        l->looks = i > cell;
        if (l->looks)
            wait_for_turn(l, false);
        from = do_event(l, e);
        value += from == NO_EVENT ? cells[i].initial : drive_search.g->event[from].value;
        l->froms = (l->froms ^ from) * 0x9e3779b97f4a7c15;
    }
    l->looks = false;
    value = cut_to(cell, value);
    cells_place(cell, value);
    return value;
}

/* --- polls ----------------------------------------------------------------------------------- */

/* A number for what the thread holds in registers and on its stack. It must be known without it
 * running: the worker finds it. */
static uint64_t state_of(struct lane *l)
{
    wants_state = l;
    cpu_switch_home(l->thread->block->worker, l->thread->fiber);
    return state;
}

/* Could what the thread read since `first` never be read again with another value? Then another
 * execution has what comes of this one. */
static bool is_stale(const struct lane *l, uint32_t first)
{
    const struct graph *g = drive_search.g;
    const struct event *e;

    for (; (e = graph_at(g, number_of(l->thread), first)); first++) {
        const struct list *writes;
        uint32_t r = g->of_thread[e->thread].item[e->index];
        bool behind = e->from == NO_EVENT;

        if (e->kind != EVENT_READ)
            continue;
        writes = &g->writes[e->cell];
        for (uint32_t i = 0; i < writes->count; i++) {
            if (behind && writes->item[i] < r)
                return true;
            behind |= writes->item[i] == e->from;
        }
    }
    return false;
}

static void poll_for_ever(struct lane *l, uint32_t first, uintptr_t site, bool bounded)
{
    if (!is_poll_site(site)) {
        add_poll_site(site);
        if (!steps)
            end_run(RUN_AGAIN);
    }
    if (is_stale(l, first))
        end_run(RUN_CUT);
    l->bounded = bounded;
    l->loop = first;
    if (bounded)
        drive_bounded = site;
    l->thread->site = site;
    stop(l, POLLS_FOR_EVER);
}

/* The thread is about to do a strong read. Does not return if it polls. */
static void look_for_poll(struct lane *l, uint32_t cell, uintptr_t site)
{
    uint64_t now = state_of(l);
    uint32_t index = drive_search.next[number_of(l->thread)];

    l->looked = true;
    if (l->in_loop)
        poll_for_ever(l, l->loop, site, false);
    for (unsigned i = 0; i < l->seens; i++) {
        const struct seen *s = &l->seen[i];

        if (now && s->state == now && s->site == site && s->cell == cell)
            poll_for_ever(l, s->index, site, false);
    }
    if (l->equal >= POLLS && l->poll_site == site && l->poll_cell == cell)
        poll_for_ever(l, index - 1, site, true);
    if (l->seens == SEEN)
        l->seens = 0;
    l->seen[l->seens++] = (struct seen){now, site, cell, index};
}

static void count_poll(struct lane *l, uint32_t cell, uintptr_t site)
{
    bool equal = l->poll_cell == cell && l->poll_site == site && l->poll_from == l->froms;

    l->equal = equal ? l->equal + 1 : 1;
    l->poll_cell = cell;
    l->poll_site = site;
    l->poll_from = l->froms;
}

/* --- accesses -------------------------------------------------------------------------------- */

/* What cuda::atomic asks for, as flags of the read and the write; seq_cst is a fence before. */
static unsigned order_flags(struct lane *l, const struct access *a, bool atomic, bool *fence)
{
    enum { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };
    unsigned order = l->thread->order, flags = 0;

    l->thread->order = RELAXED;
    if (!atomic)
        return 0;
    *fence = order == SEQ_CST;
    flags |= EVENT_STRONG | (a->flags & ACCESS_BLOCK_SCOPE ? EVENT_BLOCK : 0);
    if (order == CONSUME || order == ACQUIRE || order >= ACQ_REL)
        flags |= EVENT_ACQUIRE;
    if (order >= RELEASE)
        flags |= EVENT_RELEASE;
    return flags;
}

static void do_fence(struct lane *l, unsigned flags, uintptr_t site)
{
    struct event e = {.kind = EVENT_FENCE, .flags = (uint8_t)flags, .site = site};

    wait_for_turn(l, false);
    do_event(l, e);
}

static void update(struct lane *l, const struct access *a, uint32_t cell, unsigned flags)
{
    l->before = read_cell(l, cell, (flags & ~EVENT_RELEASE) | EVENT_UPDATE, a->site);
    count_poll(l, cell, a->site);
    l->write = *a;
    l->writes = true;
    l->write_cell = cell;
    l->write_flags = (uint8_t)((flags & ~EVENT_ACQUIRE) | EVENT_UPDATE);
    l->compares = a->flags & (ACCESS_SWAP | ACCESS_COMPARE);
}

static void add_to_sum(struct lane *l, const struct access *a, uint32_t cell, unsigned flags)
{
    l->before = cells_value(cell);
    l->write = *a;
    l->writes = true;
    l->write_cell = cells_part(cell, number_of(l->thread));
    l->write_flags = (uint8_t)flags;
}

/* An access that touches visible cells. */
static void visible(struct lane *l, const struct access *a, uint32_t cell, unsigned first)
{
    bool write = a->flags & ACCESS_WRITE, fence = false;
    bool atomic = a->flags & (ACCESS_ATOMIC | ACCESS_VOLATILE);
    bool updates = write && a->flags & ACCESS_ATOMIC && !(a->flags & ACCESS_VOLATILE);
    unsigned flags = order_flags(l, a, atomic, &fence), length = first;
    bool adds = updates && cells[cell].parts;
    /* A plain read that polls is a race, unless these are no findings. */
    bool reads = (atomic || drive_search.races_allowed) && (!write || updates) && !adds;

    if (fence)
        do_fence(l, EVENT_STRONG | EVENT_SC | (flags & EVENT_BLOCK), a->site);
    if (reads)
        look_for_poll(l, cell, a->site);
    wait_for_turn(l, reads && is_poll_site(a->site));
    if (adds) {
        add_to_sum(l, a, cell, flags);
        return;
    }
    if (updates && length == a->bytes) {
        update(l, a, cell, flags);
        return;
    }
    if (updates)
        drive_unknown = "an atomic on a vector";
    for (unsigned at = 0; at < a->bytes && !ended; at += length) {
        cell = cells_find(l->thread->block, a->address + at, a->bytes - at, &length);
        if (cell == NO_CELL || (write && length == cells[cell].bytes))
            continue;
        if (write && cells[cell].parts)
            cells_no_sum(cell);
        read_cell(l, cell, flags & ~(write ? EVENT_ACQUIRE | EVENT_RELEASE : EVENT_RELEASE),
                  a->site);
        if (reads)
            count_poll(l, cell, a->site);
    }
    if (write) {
        l->write = *a;
        l->writes = true;
        l->write_cell = NO_CELL;
        l->write_flags = (uint8_t)(flags & ~EVENT_ACQUIRE);
    }
}

/* An access to what no other thread minds. */
static void hidden(struct lane *l, const struct access *a)
{
    bool fence = false;
    unsigned flags = order_flags(l, a, a->flags & ACCESS_ATOMIC, &fence);

    if (fence)
        do_fence(l, EVENT_STRONG | EVENT_SC | (flags & EVENT_BLOCK), a->site);
    if (a->flags & ACCESS_WRITE)
        forget_polls(l);
    if (++l->quiet % QUIET == 0)
        stop(l, GAVE_WAY);
}

/* What cells_touch is told of the access. The thread's order is that of this operation, if it is an
 * atomic one. */
static unsigned touch_flags(const struct access *a)
{
    enum { RELAXED, RELEASE = 3 };
    unsigned order = a->thread->order, flags = a->flags & ACCESS_WRITE ? TOUCH_WRITES : 0;

    if (a->flags & (ACCESS_ATOMIC | ACCESS_VOLATILE))
        flags |= TOUCH_STRONG;
    if (a->flags & ACCESS_SUM && !(a->flags & ACCESS_BLOCK_SCOPE) &&
        (order == RELAXED || order == RELEASE))
        flags |= TOUCH_ADDS;
    if (looking)
        a->thread->order = RELAXED;
    return flags;
}

static void look(struct lane *l, const struct access *a)
{
    if (++looks > MOST_LOOKS)
        end_run(RUN_DONE);
    if (a->flags & (ACCESS_ATOMIC | ACCESS_VOLATILE) || ended)
        cpu_switch_home(l->thread->block->worker, l->thread->fiber);
    while (ended)
        stop(l, STOPPED);
}

static bool on_access(const struct access *a)
{
    struct lane *l = &lane[number_of(a->thread)];
    unsigned length = 0;
    uint32_t cell = NO_CELL;

    if (a->space != SPACE_GLOBAL && a->space != SPACE_SHARED)
        return true;
    settle(l);
    if (a->flags & ACCESS_OBJECT) /* see on_object */
        return true;
    cells_touch(a->thread->block, number_of(a->thread), a->address, a->bytes, touch_flags(a));
    if (cells_changed && !looking)
        end_run(RUN_AGAIN);
    if (drive_stop)
        end_run(RUN_STOPPED);
    if (looking) {
        look(l, a);
        return true;
    }
    while (ended)
        stop(l, STOPPED);
    for (unsigned at = 0; at < a->bytes && cell == NO_CELL; at += length)
        cell = cells_find(a->thread->block, a->address + at, a->bytes - at, &length);
    if (cell != NO_CELL && a->flags & ACCESS_ASYNC && !(a->flags & ACCESS_WRITE))
        drive_unknown = "an asynchronous copy of what the launch writes";
    if (cell != NO_CELL && !(a->flags & ACCESS_ASYNC))
        visible(l, a, cell, length);
    else
        hidden(l, a);
    while (ended)
        stop(l, STOPPED);
    return true;
}

static void on_copied(struct thread *t, const struct copy *c)
{
    struct lane *l = &lane[number_of(t)];
    unsigned length = 0;
    uint32_t cell;

    if (looking || ended)
        return;
    settle(l);
    for (unsigned at = 0; at < c->bytes && !ended; at += length) {
        cell = cells_find(t->block, (uintptr_t)c->to + at, c->bytes - at, &length);
        if (cell == NO_CELL)
            continue;
        if (t->block->worker->thread == t)
            wait_for_turn(l, false);
        note_write(l, cell, 0, c->site);
    }
}

static void on_fence(struct thread *t, enum cpu_scope scope)
{
    struct lane *l = &lane[number_of(t)];
    unsigned flags = EVENT_STRONG | (scope == CPU_SCOPE_BLOCK ? EVENT_BLOCK : 0);

    if (t->fence >= CPU_FENCE_OF_ATOMIC || looking)
        return;
    settle(l);
    do_fence(l, flags | (t->fence == CPU_FENCE_SC ? EVENT_SC : 0), t->site);
    while (ended)
        stop(l, STOPPED);
}

/* --- groups ---------------------------------------------------------------------------------- */

static void come_together(const unsigned *threads, unsigned count, bool orders)
{
    uint32_t done = drive_search.next[threads[0]];

    if (orders)
        cells_together(threads, count);
    if (looking || ended)
        return;
    for (unsigned i = 0; i < count; i++) {
        struct lane *l = &lane[threads[i]];

        settle(l);
        if (orders)
            forget_polls(l);
        l->seens = l->equal = l->quiet = 0;
    }
    search_group(&drive_search, threads, count, orders, lane[threads[0]].thread->site);
    for (unsigned i = 0; i < count && drive_search.next[threads[0]] != done; i++)
        cells_event(threads[i]);
    if (drive_search.strange)
        end_run(RUN_STRANGE);
    chosen = NULL;
}

static void on_barrier(struct block *b)
{
    unsigned threads[MAX_THREADS], count = 0;

    for (unsigned i = 0; i < b->threads; i++)
        if (set_has(b->barrier, i))
            threads[count++] = (unsigned)b->number * b->threads + i;
    if (count) /* else it is a grid's */
        come_together(threads, count, true);
}

static void on_grid_barrier(struct launch *l)
{
    unsigned *threads = malloc(lanes * sizeof(*threads)), count = 0;

    if (!threads)
        abort();
    for (unsigned i = 0; i < lanes; i++)
        if (set_has(block[i / l->threads]->grid, i % l->threads))
            threads[count++] = i;
    if (count)
        come_together(threads, count, true);
    free(threads);
}

/* An arrival at a barrier with phases, or a wait for one of them; `phase`: of a wait. */
static void do_phase(struct thread *t, uintptr_t object, enum event_kind kind, unsigned flags,
                     uint64_t phase)
{
    struct lane *l = &lane[number_of(t)];
    struct event e = {.kind = (uint8_t)kind,
                      .flags = (uint8_t)(flags | EVENT_ORDERS),
                      .cell = phases_find(t->block, object),
                      .site = t->site};

    settle(l);
    wait_for_turn(l, false);
    e.value = phase;
    if (kind == EVENT_ARRIVE && !(flags & EVENT_BEGINS))
        l->phase = e.value = phases_now(t->block, object);
    forget_polls(l);
    do_event(l, e);
    while (ended)
        stop(l, STOPPED);
}

static void on_arrive(struct thread *t, uintptr_t object)
{
    if (!looking)
        do_phase(t, object, EVENT_ARRIVE, 0, 0);
}

static void on_pass(struct thread *t, uintptr_t object)
{
    if (!looking)
        do_phase(t, object, EVENT_PASS, 0, lane[number_of(t)].phase);
}

/* What of barrier objects is not explored; NULL: nothing. */
static const char *unknown_object(const struct thread *t, uintptr_t object, enum object_use use)
{
    if (use == OBJECT_TESTS)
        return "a test of a barrier object, which does not wait";
    if (use == OBJECT_COUNTS)
        return "a barrier object that awaits copies";
    return phases_is_object(t->block, object) ? NULL : "a barrier object in global memory";
}

static void on_object(struct thread *t, uintptr_t object, enum object_use use, uint64_t phase)
{
    const char *unknown = unknown_object(t, object, use);
    uint64_t now = 0;

    if (unknown) {
        drive_unknown = unknown;
        end_run(RUN_STOPPED);
    }
    while (ended)
        stop(&lane[number_of(t)], STOPPED);
    if (looking)
        return;
    if (use == OBJECT_BEGINS)
        phases_restart(t->block, object);
    else
        now = phases_now(t->block, object);
    if (use == OBJECT_PASSES)
        do_phase(t, object, EVENT_PASS, 0, now - ((now - phase) & 3));
    else if (use == OBJECT_PASSES_PARITY)
        do_phase(t, object, EVENT_PASS, EVENT_PARITY, now - 1);
    else if (use == OBJECT_ARRIVES)
        do_phase(t, object, EVENT_ARRIVE, 0, 0);
    else
        do_phase(t, object, EVENT_ARRIVE, EVENT_BEGINS, 0);
}

static void on_warp(struct thread *t, enum cpu_warp_op op, uint32_t mask)
{
    struct lane *l = &lane[number_of(t)];

    (void)mask;
    settle(l);
    l->op = op;
    l->state = op >= CPU_WARP_BALLOT && op != CPU_WARP_TOGETHER && !looking ? state_of(l) : 0;
}

/* A number for what the lanes hold and bring to the vote; 0: not known, or no vote. */
static uint64_t state_of_lanes(const unsigned *threads, unsigned count)
{
    uint64_t all = 1;

    for (unsigned i = 0; i < count; i++) {
        const struct lane *l = &lane[threads[i]];

        if (!l->state)
            return 0;
        all = ((all ^ l->state) * 0x9e3779b97f4a7c15 ^ l->thread->value) * 0xbf58476d1ce4e5b9;
        all ^= all >> 29;
    }
    return all | 1;
}

/* Lanes that vote: have they done so before in the same state, and changed nothing since? Then what
 * they read in between has changed nothing either, and they will read it again. */
static void look_for_loop(struct votes *v, const unsigned *threads, unsigned count, uint32_t mask)
{
    struct vote now = {0};
    bool looked = false;

    if (v->mask != mask)
        v->count = 0;
    v->mask = mask;
    for (unsigned i = 0; i < count; i++) {
        now.changes += lane[threads[i]].changes;
        now.done[i] = drive_search.next[threads[i]];
        looked |= lane[threads[i]].looked;
    }
    now.state = looked ? state_of_lanes(threads, count) : 0;
    if (!now.state)
        return;
    for (unsigned i = 0; i < v->count && i < VOTES; i++)
        for (unsigned j = 0;
             j < count && v->vote[i].state == now.state && v->vote[i].changes == now.changes; j++) {
            lane[threads[j]].in_loop = true;
            lane[threads[j]].loop = v->vote[i].done[j];
        }
    v->vote[v->count++ % VOTES] = now;
}

static void on_warp_done(struct block *b, struct warp *w, uint32_t mask)
{
    unsigned threads[WARP], count = 0;

    for (uint32_t rest = mask; rest; rest &= rest - 1)
        threads[count++] =
            (unsigned)b->number * b->threads + w->first + (unsigned)__builtin_ctz(rest);
    if (!count)
        return;
    if (!looking && !ended)
        look_for_loop(&votes[b->number * b->warps + w->first / WARP], threads, count, mask);
    come_together(threads, count, lane[threads[0]].op == CPU_WARP_SYNC);
}

static void on_thread_end(struct thread *t)
{
    settle(&lane[number_of(t)]);
}

const struct observer drive_observer = {
    .access = on_access,
    .fence = on_fence,
    .barrier = on_barrier,
    .grid_barrier = on_grid_barrier,
    .warp = on_warp,
    .warp_done = on_warp_done,
    .arrive = on_arrive,
    .pass = on_pass,
    .object = on_object,
    .copied = on_copied,
    .thread_end = on_thread_end,
};

/* --- the worker ------------------------------------------------------------------------------ */

static int compare_pointers(const void *a, const void *b)
{
    const uintptr_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The same stacks and the same shared memory for the same threads in each run, so that pointers
 * into them are the same; and nothing on these stacks, so that what a thread holds does not depend
 * on the run before. */
static void begin_blocks(struct worker *w, struct launch *l)
{
    phases_run();
    qsort(w->idle_list, w->idle_fibers, sizeof(*w->idle_list), compare_pointers);
    for (unsigned i = 0; i < w->idle_fibers; i++) {
        fiber_restart(w->idle_list[i], w->fiber_main);
        fiber_clear(w->idle_list[i]);
    }
    for (unsigned i = 0; i < l->blocks; i++) {
        atomic_fetch_add(&l->in_flight, 1);
        block[i] = block_begin(w, i);
        for (unsigned j = 0; j < l->threads; j++) {
            struct lane *x = &lane[i * l->threads + j];

            x->thread = &block[i]->thread[j];
            x->mode = RUNS;
            x->writes = x->looks = false;
            x->seens = x->equal = x->quiet = x->changes = 0;
            x->looked = x->in_loop = false;
        }
        for (unsigned j = 0; j < block[i]->warps; j++)
            votes[i * block[i]->warps + j].count = 0;
    }
}

static void run_thread(struct worker *w, struct block *b, unsigned id)
{
    struct lane *l = &lane[b->number * b->threads + id];

    block_enter(w, b);
    cpu_switch(b, id, w->home);
    while (wants_state) {
        wants_state = NULL;
        state = fiber_state(l->thread->fiber);
        cpu_switch(b, id, w->home);
    }
    if (l->thread->wait != ENDED)
        settle(l);
    w->block = NULL;
}

static void go_on(struct lane *l)
{
    struct thread *t = l->thread;

    l->mode = RUNS;
    set_add(t->block->ready, t->id);
}

/* Threads that do an event again whose causes have been done by now; if none can, one that need
 * not wait. */
static bool wake_again(bool hurry)
{
    bool any = false;

    for (unsigned i = 0; i < lanes && !(hurry && any); i++)
        if (lane[i].mode == TO_DO_AGAIN && (hurry || search_ready(&drive_search, i))) {
            go_on(&lane[i]);
            any = true;
        }
    hurries |= hurry && any;
    return any;
}

/* A thread that may add the next event: one within a look, else the first that does not poll, else
 * the first that does. */
static bool choose(void)
{
    struct lane *first = NULL;

    chosen_polls = false;
    if (steps && step_at < step_count) {
        struct lane *l = &lane[steps[step_at].thread];

        if (steps[step_at].thread < lanes && (l->mode == STOPPED || l->mode == STOPPED_AT_POLL))
            first = l;
    }
    for (unsigned i = 0; i < lanes && !first; i++)
        if (lane[i].mode == STOPPED && lane[i].looks)
            first = &lane[i];
    for (int mode = STOPPED; mode <= STOPPED_AT_POLL && !first; mode++)
        for (unsigned i = 0; i < lanes && !first; i++)
            if ((int)lane[i].mode == mode)
                first = &lane[i];
    if (!first)
        return false;
    chosen_polls = first->mode == STOPPED_AT_POLL;
    chosen = first;
    go_on(first);
    return true;
}

/* One that gave way, when no other can go on. */
static bool wake_quiet(void)
{
    for (unsigned i = 0; i < lanes; i++) {
        if (lane[i].mode != GAVE_WAY)
            continue;
        if (lane[i].quiet >= MOST_QUIET) {
            drive_unknown = "a thread touches memory a million times, and none that others touch";
            end_run(RUN_STOPPED);
            return false;
        }
        go_on(&lane[i]);
        return true;
    }
    return false;
}

/* Lanes that ask which lanes are with them: when no other thread can go on, or when they go on in
 * the graph. */
static bool wake_converging(struct launch *l, bool all)
{
    bool any = false;

    for (unsigned i = 0; i < lanes && !any && !all && !looking; i++)
        any = set_has(block[i / l->threads]->converging, i % l->threads) &&
              search_again(&drive_search, i);
    if (!any && !all && !looking)
        return false;
    any = false;
    for (unsigned i = 0; i < l->blocks; i++)
        any |= warp_converge(block[i]);
    return any;
}

static bool wake_waiting(struct launch *l)
{
    bool any = wake_converging(l, false);

    for (unsigned i = 0; i < l->blocks; i++)
        grid_announce(block[i]);
    for (unsigned i = 0; i < l->blocks; i++)
        any |= grid_passed(block[i]);
    return any;
}

/* The next ready thread: in the looking run in turn, else the first. */
static bool run_next(struct worker *w, struct launch *l, unsigned *turn)
{
    for (unsigned i = 0; i < lanes; i++) {
        unsigned number = looking ? (*turn + 1 + i) % lanes : i;
        struct block *b = block[number / l->threads];

        if (set_has(b->ready, number % l->threads)) {
            *turn = number;
            run_thread(w, b, number % l->threads);
            return true;
        }
    }
    return false;
}

static enum run_end outcome(void)
{
    const struct graph *g = drive_search.g;
    const struct event *e;
    enum run_end end = RUN_DONE;

    for (unsigned i = 0; i < lanes; i++) {
        if (lane[i].thread->wait == ENDED)
            continue;
        if (end == RUN_DONE)
            end = RUN_WAITS;
        if (lane[i].mode != POLLS_FOR_EVER)
            continue;
        for (uint32_t j = lane[i].loop; (e = graph_at(g, i, j)); j++)
            if (e->kind == EVENT_READ && e->from != graph_last_write(g, e->cell))
                return RUN_CUT;
        if (lane[i].bounded)
            end = RUN_BOUNDED;
    }
    return end;
}

/* Was all visible that must be, and does the order of the additions matter to none of the sums?
 * Else the search begins anew. */
static bool is_settled(void)
{
    for (uint32_t cell = 0; cell < cell_count; cell++)
        if (cells[cell].parts && !graph_is_sum(drive_search.g, cell))
            cells_no_sum(cell);
    return !cells_changed && !cells_late;
}

/* In place of the worker's own rounds over its blocks. */
static void drive(struct worker *w, struct launch *l)
{
    unsigned turn = lanes - 1;

    begin_blocks(w, l);
    while (!ended && !atomic_load(&l->failed))
        if (!run_next(w, l, &turn) && !wake_again(false) && !wake_waiting(l) && !wake_again(true) &&
            (looking || !choose()) && !wake_quiet() && !wake_converging(l, true))
            break;
    if (atomic_load(&l->failed))
        end_run(RUN_FAILED);
    end_run(outcome());
    if (!looking && !is_settled())
        why = RUN_AGAIN;
    drive_unforced |= phases_any() && why <= RUN_WAITS && !graph_phases_forced(drive_search.g);
    /* Those with a thread that has not ended are left; the last first, so that they come back in
     * the same order. */
    for (unsigned i = (unsigned)l->blocks; i-- > 0;)
        block_abandon(w, block[i]);
}

static enum run_end run_once(struct launch *l)
{
    ended = false;
    why = RUN_DONE;
    chosen = NULL;
    wants_state = NULL;
    hurries = false;
    step_at = 0;
    step_left = step_count ? steps[0].events : 0;
    atomic_store(&l->failed, false);
    atomic_store(&l->grid_arrived, 0);
    atomic_store(&l->grid_generation, 0);
    cpu_driver = drive;
    launch_run_alone(l);
    cpu_driver = NULL;
    return why;
}

enum run_end drive_look(struct launch *l)
{
    enum run_end end;

    looking = cells_looking = true;
    looks = 0;
    steps = NULL;
    step_count = 0;
    end = run_once(l);
    looking = cells_looking = false;
    return end;
}

enum run_end drive_run(struct launch *l, const struct step *given, size_t count)
{
    steps = given;
    step_count = count;
    drive_search.scheduled = given != NULL;
    return run_once(l);
}

void drive_begin(struct launch *l)
{
    lanes = (unsigned)(l->blocks * l->threads);
    lane = calloc(lanes, sizeof(*lane));
    block = calloc(l->blocks, sizeof(struct block *));
    votes = calloc(l->blocks * ((l->threads + WARP - 1) / WARP), sizeof(*votes));
    if (!lane || !block || !votes)
        abort();
    drive_unknown = NULL;
    drive_bounded = 0;
    drive_unforced = false;
    poll_sites = 0;
    phases_begin();
    cells_begin(lanes);
    search_begin(&drive_search, lanes, l->threads);
}

void drive_forget(void)
{
    struct graph *g = drive_search.g;
    unsigned block_threads = g->block;

    search_end(&drive_search);
    search_begin(&drive_search, lanes, block_threads);
    cells_settle();
    for (uint32_t cell = 0; cell < cell_count; cell++)
        if (cells[cell].parts)
            graph_make_sum(drive_search.g, cell, cells[cell].parts);
}

void drive_end(void)
{
    search_end(&drive_search);
    cells_end();
    phases_end();
    free(lane);
    free(votes);
    free(block);
    free(poll_site);
    poll_site = NULL;
    poll_room = 0;
}

uintptr_t drive_waits(unsigned thread, bool *polls)
{
    const struct thread *t = lane[thread].thread;

    *polls = lane[thread].mode == POLLS_FOR_EVER;
    return t->wait == ENDED ? 0 : t->site;
}
