/*
 * Inputs of the sort family. Key i is a function of (kind, seed, i), of sorted and reversed also of
 * n, the largest size of the run. "Bits" are those of the key's number: see sort_field.h.
 *
 *  random    u32, i32, u64: all bits random; f32: multiples of 2^-24 from -0.25 to 0.75
 *  sorted    from the lowest number to the highest, each as far from the next
 *  reversed  the same from the highest to the lowest
 *  equal     one random number
 *  few       16 random numbers
 *  digit     random, but bits 8 to 15 are the same in all keys
 *  hostile   a quarter are the ends of the type's range and their neighbours (f32: NaNs of both
 *            signs, infinities, the largest floats, denormals, zeros of both signs), the others
 *            differ in their lowest 2 bits and their highest alone; if the seed is a multiple of 4,
 *            one of 512 is such an end, and in the others all bits are random
 */
#ifndef SORT_INPUT_H
#define SORT_INPUT_H

#include "families/sort/sort_field.h"
#include "harness/kit/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names, NULL at the end: what --input takes. */
extern const char *const sort_inputs[];

/* Fill x, n keys of the setting's type in host memory, by several threads. */
void sort_fill(void *x, size_t n, const struct setting *);

/* The same by the place's device, in its memory: on a GPU alone, and random keys of u32. 0, or
 * BAD_DEVICE after one line. */
int sort_fill_device(const struct device_stream *place, void *x, size_t n, uint64_t seed);

/* The value that goes with key i: another for each, and none the key's place. */
static inline unsigned sort_value(size_t i, unsigned salt)
{
    return (unsigned)i * 0x9e3779b1u + salt;
}

/* Which key a value goes with. */
HOST_DEVICE static inline unsigned sort_place_of(unsigned value, unsigned salt)
{
    return (value - salt) * 0x0e8b2f51u; /* the inverse of the factor above, modulo 2^32 */
}

#ifdef __cplusplus
}
#endif
#endif
