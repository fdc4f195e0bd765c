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

/* The bits of one element of 4 bytes; real: of a float. */
HOST_DEVICE static inline uint32_t opposite_of(uint32_t bits, bool real)
{
    return real ? bits ^ 0x80000000u : 0u - bits;
}

/* Turn element i of an array; those of 2 bytes are halves. */
HOST_DEVICE static inline void turn_element(void *array, size_t i, size_t bytes, bool real)
{
    if (bytes == sizeof(uint16_t))
        ((uint16_t *)array)[i] ^= 0x8000;
    else
        ((uint32_t *)array)[i] = opposite_of(((const uint32_t *)array)[i], real);
}

#ifdef __cplusplus
extern "C" {
#endif

/* Put the opposite in place of the array at this place, so many elements of 4 bytes or, f16 or
 * bf16, of 2; then, on a GPU, read it once, so that the cache holds what it can of it and nothing
 * that must still be written. 0, or BAD_DEVICE after one line. */
int opposite(const struct device_stream *, void *device, size_t elements, size_t bytes, bool real);

#ifdef __cplusplus
}
#endif
#endif
