/* Warp operations. See warp.c. */
#ifndef CPU_ENGINE_WARP_H
#define CPU_ENGINE_WARP_H

#include "cpu/engine/state.h"

/*
 * The running thread's part in a warp operation: the mask of the lanes that take part, this lane's
 * value, and for shuffles the lane (or delta, or lane mask) and the width of a segment. Returns
 * this lane's result once all lanes of the mask have arrived.
 */
uint64_t warp_operation(struct thread *t, enum cpu_warp_op op, uint32_t mask, uint64_t value,
                        unsigned lane_argument, unsigned width, uintptr_t site);

/* What a lane brings to CPU_WARP_TOGETHER, whose value points to it: the first part's function
 * computes for all that came. Of a lane that did not, the part is NULL. */
struct warp_part {
    void (*compute)(struct warp_part *const part[WARP], struct thread *const lane[WARP]);
};

/*
 * Which lanes of its warp are with the running thread: those that come to this line of the source
 * while it waits. It waits until no thread of its block can go on, so that all that can come have.
 */
uint32_t warp_active(struct thread *t, unsigned line, uintptr_t site);

/* No thread of the block is ready. Let threads in warp_active go on; false: none is there. */
bool warp_converge(struct block *b);

/* A lane has ended, for which alone others may have waited. */
void warp_thread_ended(struct thread *t);

#endif
