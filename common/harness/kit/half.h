/*
 * The two element types of 16 bits, as bits: f16 is IEEE's binary16, bf16 a float's upper half.
 * Host and device round alike: to nearest, to even where two are as near. NaN is 0x7fff.
 */
#ifndef HALF_H
#define HALF_H

#include <stdint.h>
#include <string.h>

#include "harness/kit/host_device.h"

HOST_DEVICE static inline uint32_t half_float_bits(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

HOST_DEVICE static inline float half_float_of(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

HOST_DEVICE static inline uint16_t f16_of_f32(float v)
{
    uint32_t bits = half_float_bits(v), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;

    if (size > 0x7f800000)
        return 0x7fff;
    if (size >= 0x477ff000) /* from 65520 on it is nearer to 2^16 than to the largest */
        return (uint16_t)(sign | 0x7c00);
    if (size < 0x38800000) /* subnormal: beside 0.5 a float has the unit 2^-24, too */
        return (uint16_t)(sign | (half_float_bits(half_float_of(size) + 0.5f) - 0x3f000000));
    size += 0xfff + (size >> 13 & 1);
    return (uint16_t)(sign | (size - ((127u - 15) << 23)) >> 13);
}

HOST_DEVICE static inline float f32_of_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, size = h & 0x7fff;

    if (size < 0x400)
        return half_float_of(half_float_bits((float)size * 0x1p-24f) | sign);
    if (size > 0x7c00) /* a NaN has no sign, as in CUDA's own header */
        return half_float_of(0x7fffffff);
    size = size == 0x7c00 ? 0x7f800000 : (size << 13) + ((127u - 15) << 23);
    return half_float_of(sign | size);
}

HOST_DEVICE static inline uint16_t bf16_of_f32(float v)
{
    uint32_t bits = half_float_bits(v);

    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

HOST_DEVICE static inline float f32_of_bf16(uint16_t h)
{
    return half_float_of((uint32_t)h << 16);
}

#endif
