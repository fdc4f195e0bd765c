/* Faults in the numbers: a type that is too narrow, a sum that loses more than its bound allows,
 * a kernel that hides what is not finite. */
#include "families/reduce/reduce.h"

template <typename SUM> __global__ void sum_in(element *out, const element *x, size_t n)
{
    SUM sum = 0;

    for (size_t i = 0; i < n; i++)
        sum = (SUM)(sum + x[i]);
    *out = (element)sum;
}

/* Each addition rounded to ten bits, as half precision would. */
__global__ void sum_rounded(element *out, const element *x, size_t n)
{
    float sum = 0;

    for (size_t i = 0; i < n; i++)
        sum = __uint_as_float(__float_as_uint(sum + (float)x[i]) & ~0x1fffu);
    *out = (element)sum;
}

/* Stops at a bound, as an addition that saturates. */
__global__ void sum_saturated(element *out, const element *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum = fmax(fmin(sum + (double)x[i], 2147483647.), -2147483648.);
    *out = (element)sum;
}

__global__ void sum_finite(element *out, const element *x, size_t n)
{
    element sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += isfinite((float)x[i]) ? x[i] : (element)0;
    *out = sum;
}

static void right(struct work *w)
{
    sum_in<element><<<1, 1>>>(w->sum, w->x, w->n);
}

static void narrow(struct work *w)
{
    sum_in<short><<<1, 1>>>(w->sum, w->x, w->n);
}

static void integer(struct work *w)
{
    sum_in<int><<<1, 1>>>(w->sum, w->x, w->n);
}

static void real(struct work *w)
{
    sum_in<float><<<1, 1>>>(w->sum, w->x, w->n);
}

static void rounded(struct work *w)
{
    sum_rounded<<<1, 1>>>(w->sum, w->x, w->n);
}

static void saturated(struct work *w)
{
    sum_saturated<<<1, 1>>>(w->sum, w->x, w->n);
}

static void finite(struct work *w)
{
    sum_finite<<<1, 1>>>(w->sum, w->x, w->n);
}

/* One thread adds all of it: the longest chain. */
static double chain(const struct shape *s)
{
    return (double)s->n;
}

/* The error that a tree over threads would have, claimed by another kernel. */
static const struct variant variants[] = {
    {"right", "in the element's own type", right, 0, chain},
    {"narrow", "the sum in 16 bits", narrow, 0, chain},
    {"integer", "floats added as integers", integer, 0, chain},
    {"real", "integers added as floats", real, 0, chain},
    {"rounded", "additions rounded to ten bits", rounded, 0, reduce_depth_two_pass},
    {"saturated", "an overflow that saturates", saturated, 0, chain},
    {"finite", "NaN and infinity left out", finite, 0, chain},
};

STEP("arithmetic", reduce_family, variants);
