/* Warp operations, for the headers that a step includes; see warp.c. */
#ifndef WARP_H
#define WARP_H

#include "cpu.h"

/*
 * One lane's part in a warp operation: enum warp_op, the mask of the lanes that take part, this
 * lane's value, and for shuffles the lane (or delta, or lane mask) and the width of a segment.
 * Returns this lane's result once all lanes of the mask have arrived.
 */
uint64_t cpu_warp(unsigned op, uint32_t mask, uint64_t value, unsigned lane_argument,
                  unsigned width, uintptr_t site);

/* Go on with the first ready lane of this thread's warp; t stays ready. */
void cpu_first_lane(struct thread *t);

#endif
