/*
 * --explore: every execution of each launch that CUDA's memory model allows, up to equivalence. See
 * explore.c.
 */
#ifndef CPU_TOOLS_EXPLORE_H
#define CPU_TOOLS_EXPLORE_H

#include "cpu/engine/observer.h"

/* NULL: nothing is explored. Else what cpu_device_set_explore takes. Returns 0, or -1. */
int explore_set(const char *spec);
extern const struct observer explore_observer;

#endif
