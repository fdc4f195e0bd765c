/* What launches that have ended had acquired, for what is in order behind them. See ended.c. */
#ifndef CPU_TOOLS_CHECK_ENDED_H
#define CPU_TOOLS_CHECK_ENDED_H

#include "cpu/engine/order.h"
#include "cpu/tools/check/check.h"

struct vector_clock;

void ended_block(struct block *b); /* by its worker; what its threads had acquired */
void ended_launch(const struct launch *l);
void ended_forget(void); /* with all that was released */

/* What is acquired by being behind so many operations of each stream; NULL: nothing. */
struct vector_clock *ended_before(const uint64_t *after);

#endif
