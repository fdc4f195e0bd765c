/*
 * What the peers share: a table a family and type, and scratch memory that is kept.
 */
#ifndef PEER_H
#define PEER_H

#include <cuda_runtime.h>
#include <stddef.h>
#include "harness.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The family's peers for floats and for ints; the last has no name. Each family's file defines
 * both, and a step is linked with the one of its family. */
extern const struct variant peers_f32[], peers_i32[];

/* Device memory of at least so many bytes, kept from call to call, for one peer. Grown in a warm-up
 * run, so never in a timed one. Ends the program with status 3 if there is none. */
struct scratch {
    void *memory;
    size_t bytes;
};
void *peer_scratch(struct scratch *s, size_t bytes);

/* Ends the program with status 3 and one line that names the call if the library failed. */
void peer_check(int status, const char *call);

#ifdef __cplusplus
}
#endif
#endif
