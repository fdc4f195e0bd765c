/*
 * The math functions that CUDA has and the C library has not.
 *
 * They are computed in long double, which has 64 bits or more where the CPU device runs, and then
 * rounded; those for float in double. Formulas: Abramowitz and Stegun, Handbook of Mathematical
 * Functions (1964), by their numbers.
 */
#include "math_functions.h"

static const long double pi = 3.14159265358979323846264338327950288L;
static const long double root_of_2 = 1.41421356237309504880168872420969808L;
static const long double two_over_root_of_pi = 1.12837916709551257389615890312154517L;

double rsqrt(double v)
{
    return (double)(1 / sqrtl(v));
}

double rcbrt(double v)
{
    return (double)(1 / cbrtl(v));
}

/* --- angles in half turns: what is left of v after whole turns is exact --- */

double sinpi(double v)
{
    long double turn = remainderl(v, 2); /* -1 to 1 */

    if (turn > 0.5L)
        turn = 1 - turn;
    else if (turn < -0.5L)
        turn = -1 - turn;
    return turn == 0 ? copysign(0, v) : (double)sinl(pi * turn);
}

double cospi(double v)
{
    long double turn = fabsl(remainderl(v, 2)); /* 0 to 1 */

    return (double)sinl(pi * (0.5L - turn));
}

/* --- lengths --- */

double rhypot(double a, double b)
{
    return (double)(1 / hypotl(a, b));
}

/* Finite numbers do not overflow: a long double has more exponents than their squares need. */
static long double length(long double a, long double b, long double c, long double d)
{
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d))
        return INFINITY;
    return sqrtl(a * a + b * b + c * c + d * d);
}

double norm3d(double a, double b, double c)
{
    return (double)length(a, b, c, 0);
}

double rnorm3d(double a, double b, double c)
{
    return (double)(1 / length(a, b, c, 0));
}

double norm4d(double a, double b, double c, double d)
{
    return (double)length(a, b, c, d);
}

double rnorm4d(double a, double b, double c, double d)
{
    return (double)(1 / length(a, b, c, d));
}

/* --- the error function and the normal distribution --- */

/* exp(v^2) erfc(v) for v > 0: of both factors, or 7.1.23 where they are far apart. */
static long double scaled_erfc(long double v)
{
    long double term = 1, sum = 1;

    if (v < 12)
        return expl(v * v) * erfcl(v);
    for (int k = 1; k < 20; k++) {
        term *= -(2 * k - 1) / (2 * v * v);
        sum += term;
    }
    return sum * two_over_root_of_pi / (2 * v);
}

double erfcx(double v)
{
    long double x = v;

    return (double)(v > 0 ? scaled_erfc(x) : v < -30 ? INFINITY : expl(x * x) * erfcl(x));
}

/*
 * The x for which erfc(x) = tail, tail in 0 to 1: 26.2.23 is right to 5e-4, and each of Halley's
 * steps triples the digits.
 */
static long double tail_inverse(long double tail)
{
    long double t = sqrtl(-2 * logl(tail / 2));
    long double x = (t - (2.515517L + t * (0.802853L + t * 0.010328L)) /
                             (1 + t * (1.432788L + t * (0.189269L + t * 0.001308L)))) /
                    root_of_2;

    for (int i = 0; i < 3; i++) {
        long double change = (erfcl(x) - tail) / (-two_over_root_of_pi * expl(-x * x));

        x -= change / (1 + x * change);
    }
    return x;
}

double erfcinv(double v)
{
    if (v == 0 || v == 2)
        return v == 0 ? INFINITY : -INFINITY;
    if (!(v > 0 && v < 2))
        return NAN;
    return (double)(v <= 1 ? tail_inverse(v) : -tail_inverse(2 - (long double)v));
}

/* The x for which erf(x) = v, |v| below 1: near 0, where 1 - v has too few bits, by solving
 * for erf. */
static long double erf_inverse(long double v)
{
    long double x = v / two_over_root_of_pi;

    if (fabsl(v) > 0.5L)
        return copysignl(tail_inverse(1 - fabsl(v)), v);
    for (int i = 0; i < 5; i++) {
        long double change = (erfl(x) - v) / (two_over_root_of_pi * expl(-x * x));

        x -= change / (1 + x * change);
    }
    return x;
}

double erfinv(double v)
{
    if (fabs(v) < 1)
        return (double)erf_inverse(v);
    return fabs(v) == 1 ? copysign(INFINITY, v) : NAN;
}

double normcdf(double v)
{
    return (double)(erfcl(-v / root_of_2) / 2);
}

double normcdfinv(double v)
{
    if (v == 0 || v == 1)
        return v == 0 ? -INFINITY : INFINITY;
    if (!(v > 0 && v < 1))
        return NAN;
    return (double)(root_of_2 * (v < 0.25 ? -tail_inverse(2 * (long double)v)
                                          : erf_inverse(2 * (long double)v - 1)));
}

/* --- modified Bessel functions of the first kind, 9.6.10: all terms have one sign --- */

static long double bessel_i(int order, long double v)
{
    long double quarter = v * v / 4, term = order ? v / 2 : 1, sum = term;

    if (fabsl(v) > 800)
        return order && v < 0 ? -INFINITY : INFINITY;
    for (int k = 1; fabsl(term) > fabsl(sum) * 1e-22L; k++) {
        term *= quarter / ((long double)k * (k + order));
        sum += term;
    }
    return sum;
}

double cyl_bessel_i0(double v)
{
    return (double)bessel_i(0, v);
}

double cyl_bessel_i1(double v)
{
    return (double)bessel_i(1, v);
}

/* --- the same for float --- */

#define OF_FLOAT(NAME)                                                                             \
    float NAME##f(float v)                                                                         \
    {                                                                                              \
        return (float)NAME(v);                                                                     \
    }
OF_FLOAT(rcbrt)
OF_FLOAT(sinpi)
OF_FLOAT(cospi)
OF_FLOAT(erfcx)
OF_FLOAT(erfinv)
OF_FLOAT(erfcinv)
OF_FLOAT(normcdf)
OF_FLOAT(normcdfinv)
OF_FLOAT(cyl_bessel_i0)
OF_FLOAT(cyl_bessel_i1)

float rsqrtf(float v)
{
    return (float)(1 / sqrt(v));
}

float rhypotf(float a, float b)
{
    return (float)(1 / hypot(a, b));
}

float norm3df(float a, float b, float c)
{
    return (float)norm3d(a, b, c);
}

float rnorm3df(float a, float b, float c)
{
    return (float)rnorm3d(a, b, c);
}

float norm4df(float a, float b, float c, float d)
{
    return (float)norm4d(a, b, c, d);
}

float rnorm4df(float a, float b, float c, float d)
{
    return (float)rnorm4d(a, b, c, d);
}
