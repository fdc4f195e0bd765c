/*
 * Copies between the host's pageable memory and a device. A large array goes through pinned memory,
 * piece by piece: all cores copy one piece, while the device copies the one before.
 */
#ifndef STAGED_COPY_H
#define STAGED_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include "harness/kit/device.h"

#define STAGED_FROM ((size_t)64 << 20) /* bytes; less is copied at once */
#define STAGED_PIECE ((size_t)32 << 20)

/* Copy as device_copy does, which they call for less than STAGED_FROM bytes. */
int copy_to_device(const struct device_stream *place, void *to, const void *from, size_t bytes);
int copy_to_host(const struct device_stream *place, void *to, const void *from, size_t bytes);

/*
 * Copy behind what is in the place's stream, and wait for the end. to_device: from the host to the
 * device, else the other way. piece: bytes, at most STAGED_PIECE. The pinned memory, two pieces, is
 * kept for the next copy. 0, or BAD_DEVICE after one line.
 */
int staged_copy(const struct device_stream *place, void *to, const void *from, size_t bytes,
                bool to_device, size_t piece);

#endif
