/*
 * Runs a launch once: its threads do again what the graph of the search has, then new events, each
 * of which the search decides. See drive.c.
 */
#ifndef CPU_TOOLS_EXPLORE_DRIVE_H
#define CPU_TOOLS_EXPLORE_DRIVE_H

#include "cpu/engine/observer.h"
#include "cpu/tools/explore/search.h"

enum run_end {
    RUN_DONE,    /* all threads ended */
    RUN_WAITS,   /* some wait for ever */
    RUN_CUT,     /* some poll what they have read before, although it was overwritten: another
                   * execution has them read on; or PTX forbids it */
    RUN_BOUNDED, /* a loop that reads the same value was left at the bound */
    RUN_RACE,
    RUN_FAILED,   /* cpu_failure: an assert, a bad address */
    RUN_AGAIN,    /* more is visible than was known: begin the search anew */
    RUN_STRANGE,  /* a thread did another thing than before with the same values */
    RUN_TOO_LONG, /* more events than there is room for */
    RUN_STOPPED,  /* drive_stop was set */
};

/* A part of a given execution: the thread does so many events, of which the last reads or writes
 * `older` places before the end of its cell's coherence order. */
struct step {
    uint32_t thread, events, older;
};

extern struct search drive_search;
extern const char *drive_unknown; /* what the kernel does that is not explored; NULL: nothing */
extern bool
    drive_unforced; /* arrivals at a barrier might have been of other phases than explored */
extern uintptr_t drive_bounded; /* the site of a loop that was left at the bound, or 0 */
extern volatile bool drive_stop;

void drive_begin(struct launch *l);
void drive_end(void);
void drive_forget(void); /* the search begins anew: what is visible has changed */

/* Once, in the natural order, to see what is visible. */
enum run_end drive_look(struct launch *l);

/* Once; steps: of a given execution, NULL: the search's. Memory holds what the launch left; the
 * caller restores it. */
enum run_end drive_run(struct launch *l, const struct step *steps, size_t count);

extern const struct observer drive_observer;

/* Of a thread that waits for ever at the end of RUN_WAITS: where; 0: this one does not. */
uintptr_t drive_waits(unsigned thread, bool *polls);

#endif
