/*
 * The opposite of an array in device memory: floats with the other sign, ints subtracted from 0.
 * Every sum of it is the opposite of what it was, bit for bit, so that a family that knows one
 * result knows both, and a result left from the run before is wrong.
 */
#ifndef OPPOSITE_H
#define OPPOSITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/kit/sums.h" /* HOST_DEVICE */

struct device_stream; /* harness/kit/device.h */

/* The bits of one element; real: of a float. */
HOST_DEVICE static inline uint32_t opposite_of(uint32_t bits, bool real)
{
    return real ? bits ^ 0x80000000u : 0u - bits;
}

HOST_DEVICE static inline uint16_t opposite_of_half(uint16_t bits)
{
    return bits ^ 0x8000;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Put the opposite in place of the array at this place, so many elements of 4 bytes; then, on a
 * GPU, read it once, so that the cache holds what it can of it and nothing that must still be
 * written. 0, or BAD_DEVICE after one line. */
int opposite(const struct device_stream *, void *device, size_t elements, bool real);

/* The same of so many f16 or bf16, which begin at any even address. */
int opposite_halves(const struct device_stream *, void *device, size_t elements);

#ifdef __cplusplus
}
#endif
#endif
