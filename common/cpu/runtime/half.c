/*
 * Half precision (IEEE's binary16) and bfloat16, as bits. Arithmetic on them is done in double, of
 * whose results only the rounding to 16 bits is ours.
 */
#include <math.h>
#include <string.h>
#include "cpu/abi.h"

enum { NOT_A_NUMBER = 0x7fff };

/* A format of 16 bits: bits of the fraction, the least and the greatest exponent of normal
 * numbers. */
struct format {
    int fraction, least, greatest;
};

static const struct format f16 = {10, -14, 15}, bf16 = {7, -126, 127};

/*
 * v, rounded. In units of the last place it is a whole number and a rest; the whole number's bits,
 * with the exponent above them, are the result's, and adding 1 to them is right across binades.
 */
static uint16_t of_f64(double v, enum cpu_rounding to, struct format f)
{
    unsigned sign = signbit(v) ? 0x8000 : 0, largest, bits;
    int exponent = v == 0 ? f.least : ilogb(v);
    double units, rest;
    int up;

    if (isnan(v))
        return NOT_A_NUMBER;
    largest = ((unsigned)(f.greatest - f.least + 2) << f.fraction) - 1;
    if (exponent > f.greatest) {
        bits = largest; /* and more; infinity stays infinity */
        rest = isinf(v) ? INFINITY : 0.75;
    } else {
        if (exponent < f.least)
            exponent = f.least;
        units = ldexp(fabs(v), f.fraction - exponent);
        bits = (unsigned)units + ((unsigned)(exponent - f.least) << f.fraction);
        rest = units - (unsigned)units;
    }
    if (to == CPU_TO_NEAREST)
        up = rest > 0.5 || (rest == 0.5 && bits & 1);
    else
        up = rest == INFINITY || (rest > 0 && to == (sign ? CPU_DOWN : CPU_UP));
    return (uint16_t)(sign | (bits + (unsigned)up));
}

uint16_t cpu_f16_of_f64(double v, enum cpu_rounding to)
{
    return of_f64(v, to, f16);
}

uint16_t cpu_bf16_of_f64(double v, enum cpu_rounding to)
{
    return of_f64(v, to, bf16);
}

float cpu_f32_of_f16(uint16_t bits)
{
    uint32_t magnitude = bits & 0x7fff, word;
    float v;

    if (magnitude >= 0x7c00) /* infinity and NaN */
        word = magnitude == 0x7c00 ? 0x7f800000 : 0x7fffffff;
    else if (magnitude >= 0x400)
        word = (magnitude << 13) + ((127 - 15) << 23);
    else {
        v = (float)magnitude * 0x1p-24f;
        memcpy(&word, &v, sizeof(word));
    }
    if (magnitude <= 0x7c00) /* a NaN has no sign, as in CUDA's own header */
        word |= (uint32_t)(bits & 0x8000) << 16;
    memcpy(&v, &word, sizeof(v));
    return v;
}

float cpu_f32_of_bf16(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float v;

    memcpy(&v, &word, sizeof(v));
    return v;
}
