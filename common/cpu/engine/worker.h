/* What one worker does in a launch. See worker.c. */
#ifndef CPU_ENGINE_WORKER_H
#define CPU_ENGINE_WORKER_H

#include "cpu/engine/state.h"

/* Run blocks of the launch on this worker, on the calling OS thread, until none is left or the
 * launch has failed. */
void run_worker(struct worker *w, struct launch *l);

/* All its threads wait, and nobody will ever change that. */
/* blocks: those that wait, as far as known, a list. */
void fail_deadlock(struct launch *l, const struct block *blocks);

#endif
