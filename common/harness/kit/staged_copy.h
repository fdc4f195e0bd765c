/*
 * Large copies between the host's pageable memory and a device. The driver copies such memory with
 * one thread, some GB per second. Here all cores copy it piece by piece to pinned memory, or from
 * there, while the device copies the piece before.
 */
#ifndef STAGED_COPY_H
#define STAGED_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include "harness/kit/device.h"

/* Below that, the driver's own copy is as fast. */
#define STAGED_FROM ((size_t)64 << 20)
#define STAGED_PIECE ((size_t)32 << 20)

/*
 * Copy behind what is in the place's stream, and wait for the end. to_device: from the host to the
 * device, else the other way. piece: bytes, at most STAGED_PIECE. The pinned memory, two pieces, is
 * kept for the next copy. 0, or BAD_DEVICE after one line.
 */
int staged_copy(const struct device_stream *place, void *to, const void *from, size_t bytes,
                bool to_device, size_t piece);

#endif
