/*
 * A checksum of an array in device memory, to see whether a run has written to its input.
 */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

struct device_stream; /* harness/kit/device.h */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Another sum, almost certainly, if any byte of the array at this place is another one. On a GPU a
 * kernel reads the array; on the CPU device, where a kernel of ours would stand in the counters, it
 * is compared where it lies with what the host holds of it, and the sum is 1 if they are equal. 0,
 * or BAD_DEVICE after one line.
 */
int checksum(const struct device_stream *, const void *device, const void *host, size_t bytes,
             uint64_t *sum);

/* The first byte of the array that is another one, on the CPU device; bytes on a GPU, or if none
 * is. After checksum. */
size_t first_changed(const void *device, const void *host, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
