/*
 * An execution of a launch as a graph, and what the memory model of PTX says of it ("Memory
 * Consistency Model" in NVIDIA's PTX ISA; Lustig, Sahasrabuddhe and Giroux, ASPLOS 2019).
 *
 * The events are the accesses to cells that several threads touch, the fences, and the barriers and
 * warp operations. An atomic update is two events, a read and, next in its thread, a write. Events
 * stand in the order in which the search added them. See graph.c.
 */
#ifndef CPU_TOOLS_EXPLORE_GRAPH_H
#define CPU_TOOLS_EXPLORE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind {
    EVENT_READ,
    EVENT_WRITE,
    EVENT_FENCE,
    EVENT_GROUP,  /* threads come together: an event of each, one behind the other */
    EVENT_ARRIVE, /* at a barrier that not all wait for: tells */
    EVENT_PASS,   /* has waited for a phase of it: learns what its arrivals tell */
};
enum event_flag {
    EVENT_STRONG = 1,   /* relaxed or stronger; not weak */
    EVENT_ACQUIRE = 2,  /* a read */
    EVENT_RELEASE = 4,  /* a write */
    EVENT_SC = 8,       /* a fence.sc; other fences are fence.acq_rel */
    EVENT_BEGINS = 8,   /* of an arrival: it is none, the barrier is initialised */
    EVENT_BLOCK = 16,   /* of scope .cta; all else reaches the whole device */
    EVENT_UPDATE = 32,  /* half of an atomic update */
    EVENT_ORDERS = 64,  /* a group or an arrival that orders memory: not a shuffle */
    EVENT_PARITY = 128, /* a pass of the last phase that had this parity, whichever it is */
};

#define NO_EVENT UINT32_MAX

struct event {
    uint8_t kind, flags;
    uint16_t thread; /* of the launch: block x threads of a block + thread */
    uint32_t index;  /* of its thread's events, from 0 */
    uint32_t cell;   /* of an arrival or a pass: the barrier */
    uint32_t from;  /* a read: the write it reads, NO_EVENT the value of before the launch; a group:
                    * its first event; a write: its place in the coherence order of its cell */
    uint64_t value; /* of an arrival or a pass: the phase */
    uintptr_t site;
};

struct list {
    uint32_t *item;
    uint32_t count, room;
};

/* What the memory model needs of a launch. */
struct graph {
    struct event *event;
    uint32_t count, room;
    unsigned threads, block; /* of the launch; of one block */
    struct list *of_thread;  /* events in program order */
    uint32_t cells;
    struct list *writes, *reads; /* of a cell: the writes in coherence order */
    uint32_t *parts; /* of a cell: so many cells behind it are what threads have added; mostly 0 */
    uint32_t *sum;   /* of a part: the cell; else itself */
    uint16_t *base;  /* [event][thread]: so many events of it are before, in base causality order */
    uint16_t *porf;  /* the same by program order and reads-from, whatever the scopes */
    uint8_t *state;  /* of an event: 0, clocks are being made, clocks are made */
    struct list sc;  /* fences */
    struct list *edges; /* of an event, a fence: those that precede it in fence-SC order */
    uint32_t clock_room;
};

struct graph *graph_new(unsigned threads, unsigned block);
void graph_free(struct graph *g);

/* The cell is a sum, and so many cells behind it are its parts: see cells.h. A thread that reads it
 * does so by a read of each, one behind the other: a look. */
void graph_make_sum(struct graph *g, uint32_t cell, uint32_t parts);

/* The last event of the look that this read begins; itself, if it is no sum's. */
uint32_t graph_look_end(const struct graph *g, uint32_t read);

/* Is there an order of the additions for what the look sees that has this read, and for the other
 * looks? */
bool graph_look_allowed(const struct graph *g, uint32_t read);

/* Does no order of the additions to this sum matter? */
bool graph_is_sum(const struct graph *g, uint32_t cell);

/* As if these events, of that many cells, had been added one after the other. Returns whether PTX
 * allows the execution. */
bool graph_load(struct graph *g, const struct event *events, uint32_t count, uint32_t cells);

/* The events for graph_load, with the place of each write: memory of the caller's. */
struct event *graph_save(const struct graph *g);

/* Add an event behind all others of its thread. A read has its write in `from`; a write goes last
 * in its cell's coherence order. `flags` are enum event_flag. Returns its number. */
uint32_t graph_add(struct graph *g, struct event e);

/* The events from this one on are a group, and there will be no more of it. */
void graph_group(struct graph *g, uint32_t first);

/* The read, which was added last, reads this write instead. */
void graph_read_from(struct graph *g, uint32_t read, uint32_t write);

/* The thread's event of this number in program order; NULL: it has no more. */
const struct event *graph_at(const struct graph *g, unsigned thread, uint32_t index);

/* Morally strong: of one thread, or both strong and each in the other's scope. */
bool graph_strong(const struct graph *g, const struct event *a, const struct event *b);
bool graph_before(const struct graph *g, uint32_t a, uint32_t b); /* base causality order */
/* Does the write come before the event of its cell in causality order? Base causality, or what
 * observed the write comes before it. */
bool graph_causes(const struct graph *g, uint32_t write, uint32_t to);
bool graph_writes_allowed(const struct graph *g, uint32_t cell); /* coherence and atomicity */
bool graph_porf(const struct graph *g, uint32_t a, uint32_t b);

/* So many events of each thread are before the event, in base causality order. */
const uint16_t *graph_before_of(const struct graph *g, uint32_t event);
/* Has each thread done what is before the event, by either order, if it has done so many? */
bool graph_done(const struct graph *g, uint32_t event, const uint32_t *done);

/* May the read, which was added last, read what this write wrote? NO_EVENT: what was there before
 * the launch. */
bool graph_may_read(const struct graph *g, uint32_t read, uint32_t write);

/* Could no arrival at a barrier have been one of another phase, had the threads run in another
 * order? Then the phases are those of each execution with these reads. */
bool graph_phases_forced(const struct graph *g);

/* The initialisation of its barrier, if that does not come before the last event; else NO_EVENT. */
uint32_t graph_unready(const struct graph *g, uint32_t event);

/* The event of another thread that the last event races with; NO_EVENT: none. */
uint32_t graph_race(const struct graph *g, uint32_t event);

/* What stands in the cell at the end; NO_EVENT: what stood there before the launch. */
uint32_t graph_last_write(const struct graph *g, uint32_t cell);
uint32_t graph_place(const struct graph *g, uint32_t write); /* in coherence order, from 0 */

void list_add(struct list *l, uint32_t item);
void list_insert(struct list *l, uint32_t at, uint32_t item);

#endif
