/*
 * What is in order before an operation of a stream, for --check: of each stream, by its number, how
 * many operations. Streams from MAX_ORDERED on share that number: all they do is taken to be.
 */
#ifndef CPU_ENGINE_ORDER_H
#define CPU_ENGINE_ORDER_H

#include <stdint.h>

enum { MAX_ORDERED = 128 };

extern uint64_t cpu_host_after[MAX_ORDERED + 1]; /* what the host has waited for */

#endif
