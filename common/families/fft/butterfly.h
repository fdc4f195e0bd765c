/*
 * The butterflies: transforms of 2, 4, 8, 16 and 32 points in a thread's registers. Device code.
 *
 * A transform of R points is one of 4 points in each of R/4 columns, a product with roots of unity,
 * and one of R/4 points in each of 4 rows. All indices are known when the kernel is compiled, so
 * that an array is registers, and the change of order at the end costs nothing.
 */
#ifndef FFT_BUTTERFLY_H
#define FFT_BUTTERFLY_H

#include "families/fft/fft.h"

typedef element c32;

static __device__ __forceinline__ c32 add(c32 a, c32 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

static __device__ __forceinline__ c32 subtract(c32 a, c32 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

static __device__ __forceinline__ c32 multiply(c32 a, c32 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* With the other imaginary part if the sign is -1: a forward transform between two of these is the
 * inverse one. */
static __device__ __forceinline__ c32 conjugate(c32 a, float sign)
{
    return make_float2(a.x, sign * a.y);
}

/* a exp(-2 pi i k / 32), for a constant k: products by 1, -i and (1 - i) / sqrt(2) need less. */
static __device__ __forceinline__ c32 turn(c32 a, int k)
{
    const float half = 0.70710678118654752440f; /* the root of it */
    const float cosine[8] = {
        1,    0.98078528040323044913f, 0.92387953251128675613f, 0.83146961230254523708f,
        half, 0.55557023301960222474f, 0.38268343236508977173f, 0.19509032201612826785f};

    a = k & 8 ? make_float2(a.y, -a.x) : a;
    a = k & 16 ? make_float2(-a.x, -a.y) : a;
    k %= 8;
    if (k == 0)
        return a;
    if (k == 4)
        return make_float2((a.x + a.y) * half, (a.y - a.x) * half);
    return multiply(a, make_float2(cosine[k], -cosine[8 - k]));
}

static __device__ __forceinline__ void butterfly_2(c32 *x)
{
    c32 a = x[0];

    x[0] = add(a, x[1]);
    x[1] = subtract(a, x[1]);
}

static __device__ __forceinline__ void butterfly_4(c32 *x)
{
    c32 a = add(x[0], x[2]), b = subtract(x[0], x[2]);
    c32 c = add(x[1], x[3]), d = turn(subtract(x[1], x[3]), 8);

    x[0] = add(a, c);
    x[1] = add(b, d);
    x[2] = subtract(a, c);
    x[3] = subtract(b, d);
}

/* x = its transform, in natural order. */
template <int R> static __device__ __forceinline__ void butterfly(c32 *x)
{
    c32 column[R / 4][4], row[R / 4];

#pragma unroll
    for (int i = 0; i < R / 4; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++)
            column[i][j] = x[i + R / 4 * j];
        butterfly_4(column[i]);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
#pragma unroll
        for (int i = 0; i < R / 4; i++)
            row[i] = turn(column[i][j], 32 / R * i * j);
        butterfly<R / 4>(row);
#pragma unroll
        for (int i = 0; i < R / 4; i++)
            x[j + 4 * i] = row[i];
    }
}

template <> __device__ __forceinline__ void butterfly<2>(c32 *x)
{
    butterfly_2(x);
}

template <> __device__ __forceinline__ void butterfly<4>(c32 *x)
{
    butterfly_4(x);
}

#endif
