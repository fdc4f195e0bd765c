/*
 * What the peers of all families share: scratch memory that is kept, and the end of a failed call.
 * A family's peers.cu defines its table, FAMILY_peers, see struct peer.
 */
#ifndef PEER_H
#define PEER_H

#include <cuda_runtime.h>
#include <stddef.h>
#include "harness/kit/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory of the current device of at least so many bytes, kept from call to call, for one peer.
 * Grown in a warm-up run, so never in a timed one. Ends the program with status 3 if there is
 * none. */
struct scratch {
    void *memory[MAX_DEVICES]; /* by ordinal */
    size_t bytes[MAX_DEVICES];
};
void *peer_scratch(struct scratch *s, size_t bytes);

/* Ends the program with status 3 and one line that names the call if the library failed. */
void peer_check(int status, const char *call);

#ifdef __cplusplus
}
#endif
#endif
