/* What was done, by serial number: launches, and other operations of streams. See past.c. */
#ifndef CPU_TOOLS_CHECK_PAST_H
#define CPU_TOOLS_CHECK_PAST_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/abi.h"
#include "cpu/engine/order.h"

struct past {
    uint64_t from, to; /* serial numbers; to: the first behind them */
    const char *name;  /* of the kernel, or of the call */
    bool is_kernel;
    int device;
    struct cpu_dim grid, dim;
    uint32_t stream; /* as in struct launch */
    uint64_t number;
};

/* merged: the one before, of the same stream, may become a part of it. */
void past_add(const struct past *p, bool merged);
void past_forget(void);                              /* the serial numbers begin again */
bool past_find(uint32_t serial, struct past *found); /* false: too long ago; it is in order */
bool past_unwaited(void); /* is there anything that the host has not waited for? */

/* What is not in order before something has serial numbers from there on. */
uint64_t past_floor(const uint64_t *after);

static inline bool past_in_order(const struct past *p, const uint64_t *after)
{
    return p->stream >= MAX_ORDERED || after[p->stream] >= p->number;
}

const struct past *past_keep(const struct past *p); /* for a finding, for ever */

#endif
