/*
 * Peers: the same problem solved by a library (CUB, cuBLAS, cooperative groups, cudaMemcpy),
 * measured beside our variants by the same loop. They are compiled once, apart from the steps, in
 * builds that define HAVE_PEERS.
 */
#ifndef PEERS_H
#define PEERS_H

#include "harness.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The peers of the step's family for an element type: a table that lives as long as the program;
 * *count is 0 where there are none. Their launch gets the struct work of the family. A peer may
 * allocate scratch memory at its first launch for a size, which is a warm-up run, and keeps it.
 */
const struct variant *peers_of(enum type type, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
