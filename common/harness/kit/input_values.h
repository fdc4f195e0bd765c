/*
 * The elements of the inputs that a device can make as the host does: by whole numbers, and
 * products with powers of two, alone. See input.h.
 */
#ifndef INPUT_VALUES_H
#define INPUT_VALUES_H

#include "harness/kit/half.h"
#include "harness/kit/host_device.h"
#include "harness/kit/input.h"

/* The finalizer of SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
 * Generators", 2014. */
HOST_DEVICE static inline uint64_t input_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The i-th number of SplitMix64's sequence from a mixed seed: seeds are mixed first, so that near
 * ones differ. */
HOST_DEVICE static inline uint64_t input_sequence(uint64_t mixed, uint64_t i)
{
    return input_mix(mixed + (i + 1) * 0x9e3779b97f4a7c15u);
}

HOST_DEVICE static inline float input_fraction(uint64_t bits)
{
    int32_t steps = (int32_t)(bits >> 40) - (1 << 22);

    return (float)steps * 0x1p-24f;
}

HOST_DEVICE static inline int32_t input_small(uint64_t bits)
{
    int32_t size = 1 + (int32_t)(bits >> 40 & 7);

    return bits >> 63 ? -size : size;
}

/* Any kind but hostile. */
HOST_DEVICE static inline float input_value_f32(enum input kind, uint64_t mixed, size_t i)
{
    return kind == INPUT_RANDOM ? input_fraction(input_sequence(mixed, i))
           : kind == INPUT_ONES ? 1
           : kind == INPUT_RAMP ? (float)(i % 1000)
                                : (float)input_small(input_sequence(mixed, i));
}

HOST_DEVICE static inline uint16_t input_value_half(enum input kind, bool bf16, uint64_t mixed,
                                                    size_t i)
{
    float v = input_value_f32(kind, mixed, i);

    if (kind == INPUT_RANDOM && !bf16)
        v = (float)((int32_t)(input_sequence(mixed, i) >> 53) - (1 << 9)) * 0x1p-11f;
    return bf16 ? bf16_of_f32(v) : f16_of_f32(v);
}

HOST_DEVICE static inline int32_t input_value_i32(enum input kind, uint64_t mixed, size_t i)
{
    return kind == INPUT_RANDOM ? (int32_t)(uint32_t)input_sequence(mixed, i)
           : kind == INPUT_ONES ? 1
           : kind == INPUT_RAMP ? (int32_t)(i % 1000)
                                : input_small(input_sequence(mixed, i));
}

#endif
