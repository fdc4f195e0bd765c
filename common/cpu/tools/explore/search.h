/*
 * Every execution of a launch, each once: which write each read reads, and the coherence order of
 * the writes. The threads are run by drive.c again and again; here it is decided what they see. See
 * search.c.
 */
#ifndef CPU_TOOLS_EXPLORE_SEARCH_H
#define CPU_TOOLS_EXPLORE_SEARCH_H

#include "cpu/tools/explore/graph.h"

struct pending; /* an execution that is begun elsewhere */

struct search {
    struct graph *g;         /* of this run, as far as it has come */
    uint32_t *next;          /* of each thread: the events of the graph that it has done again */
    struct pending *pending; /* the newest first */
    struct pending *oldest;
    unsigned long begun;
    size_t waiting;     /* of them */
    bool races_allowed; /* a race is no finding: for litmus tests */
    bool scheduled;     /* nothing is searched: the choices are given, see `older` */
    uint32_t older;     /* scheduled: the next read reads so many writes before the last one, the
                         * next write stands so many places before the end; counts down to 0 */
    bool dead;          /* the run has become one that PTX forbids */
    bool strange;       /* a thread did not do again what it had done */
    uint32_t race[2];   /* the events of a race; NO_EVENT: none */
};

void search_begin(struct search *s, unsigned threads, unsigned block);
void search_end(struct search *s);

/* The next execution to run, from its first event on; false: there are no more. */
bool search_next(struct search *s);

/* Has the graph an event that the thread is about to do again? */
bool search_again(const struct search *s, unsigned thread);

/* Of that event: has all that is before it been done again? */
bool search_ready(const struct search *s, unsigned thread);

/* Of the event that the thread did last: so many of each thread are before it, in base causality
 * order. */
const uint16_t *search_before(const struct search *s, unsigned thread);

/* The thread does this event: thread, kind, flags, cell, site, and the value of a write. Returns
 * the write that a read reads, NO_EVENT for what was there before the launch. */
uint32_t search_event(struct search *s, struct event e);

/* All of these threads come together. */
void search_group(struct search *s, const unsigned *threads, unsigned count, bool orders,
                  uintptr_t site);

#endif
