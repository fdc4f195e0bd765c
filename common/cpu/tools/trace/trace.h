/* What the lanes of one warp do at a chosen source line. See trace.c. */
#ifndef CPU_TOOLS_TRACE_H
#define CPU_TOOLS_TRACE_H

#include "cpu/tools/counters/groups.h"

/* Of one place in the code: its first access with most lanes. */
struct picture {
    access_key key;
    uint32_t lanes;
    uint64_t block;
    unsigned warp;
    uint64_t address[WARP]; /* shared: from the start of the block's shared memory */
};
bool trace_is_on(void); /* until something was printed */
void trace_offer(struct picture *best, const struct warp_accesses *accesses, access_key key,
                 uint32_t lanes, const uint64_t *address);
void trace_keep(const struct picture *p); /* of one worker, at the end of a launch: if it is at
                                             the chosen line */
void trace_print(void);                   /* what was kept in this launch, then no more */

#endif
