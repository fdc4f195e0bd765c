/* The life of a block. See block.c; all by the worker that the block belongs to. */
#ifndef CPU_ENGINE_BLOCK_H
#define CPU_ENGINE_BLOCK_H

#include "cpu/engine/state.h"

/* Set while no kernel runs: SHARED_GAP bytes lie before each static variable, so that what leaves
 * one does not land in another. */
extern bool cpu_shared_gaps;

struct block *block_begin(struct worker *w, uint64_t number); /* of the worker's launch */
void block_enter(struct worker *w, struct block *b);          /* its threads run next */
bool block_run(struct worker *w, struct block *b);     /* until none can go on; has it ended? */
void block_end(struct worker *w, struct block *b);     /* all its threads have */
void block_abandon(struct worker *w, struct block *b); /* after a failure: in the middle of it */

#endif
