/*
 * CUDA's math functions, as far as the C library does not have them, and its fast ones. For host
 * code too; those without a body are in runtime/math.c and runtime/fast_math.c. Units are the
 * argument's: angles in radians, or in half turns for the names that end in pi.
 *
 * The last bits of a result may differ from a GPU's. What CUDA computes to within some units in the
 * last place is within one or two here. The fast functions (__expf and the like) have errors of
 * their own on a GPU, which the CUDA C++ Programming Guide bounds; here they are the exact
 * functions, except for what those bounds leave out: __powf of a negative base is NaN, and
 * __fdividef by more than 2^126 is 0.
 */
#ifndef MATH_FUNCTIONS_H
#define MATH_FUNCTIONS_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* With the C library's own words on exceptions: a newer one may declare some of these itself. */
#define CPU_MATH_1(NAME)                                                                           \
    extern double NAME(double) __THROW;                                                            \
    extern float NAME##f(float) __THROW;
CPU_MATH_1(rsqrt)
CPU_MATH_1(rcbrt)
CPU_MATH_1(sinpi)
CPU_MATH_1(cospi)
CPU_MATH_1(erfcx)
CPU_MATH_1(erfinv)
CPU_MATH_1(erfcinv)
CPU_MATH_1(normcdf)
CPU_MATH_1(normcdfinv)
CPU_MATH_1(cyl_bessel_i0)
CPU_MATH_1(cyl_bessel_i1)
extern double rhypot(double, double) __THROW;
extern float rhypotf(float, float) __THROW;
extern double norm3d(double, double, double) __THROW;
extern float norm3df(float, float, float) __THROW;
extern double rnorm3d(double, double, double) __THROW;
extern float rnorm3df(float, float, float) __THROW;
extern double norm4d(double, double, double, double) __THROW;
extern float norm4df(float, float, float, float) __THROW;
extern double rnorm4d(double, double, double, double) __THROW;
extern float rnorm4df(float, float, float, float) __THROW;

/* The C library declares some of these, and has none of them. */
extern float __expf(float) __THROW;
extern float __exp10f(float) __THROW;
extern float __logf(float) __THROW;
extern float __log2f(float) __THROW;
extern float __log10f(float) __THROW;
extern float __sinf(float) __THROW;
extern float __cosf(float) __THROW;
extern float __tanf(float) __THROW;
extern float __tanhf(float) __THROW;
extern float __powf(float, float) __THROW;
extern float __fdividef(float, float) __THROW;

/* ex2.approx.ftz of PTX. */
extern float cpu_exp2_approx(float) __THROW;

#ifdef __cplusplus
}

#include "vector_types.h"

/* Results by pointer: inlined, so that what they point to may stay in a register. */
static CPU_INLINE void sincospi(double v, double *s, double *c)
{
    *s = sinpi(v);
    *c = cospi(v);
}
static CPU_INLINE void sincospif(float v, float *s, float *c)
{
    *s = sinpif(v);
    *c = cospif(v);
}
static CPU_INLINE void cpu_fast_sincosf(float v, float *s, float *c)
{
    *s = __sinf(v);
    *c = __cosf(v);
}
#define __sincosf(v, s, c)                                                                         \
    cpu_fast_sincosf(v, s, c) /* the C library declares a function so named */

/* The length of a vector of n elements, and 1 over it. */
static CPU_INLINE double norm(int n, const double *v)
{
    long double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (long double)v[i] * v[i];
    return (double)sqrtl(sum);
}
static CPU_INLINE float normf(int n, const float *v)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (double)v[i] * v[i];
    return (float)sqrt(sum);
}
static CPU_INLINE double rnorm(int n, const double *v)
{
    return 1 / norm(n, v);
}
static CPU_INLINE float rnormf(int n, const float *v)
{
    return 1 / normf(n, v);
}

static CPU_INLINE double fdivide(double a, double b)
{
    return a / b;
}
static CPU_INLINE float fdividef(float a, float b)
{
    return a / b;
}

/* The names without an f, for float; those of C++ itself come with its math.h. */
#define CPU_MATH_OF_FLOAT(NAME)                                                                    \
    static CPU_INLINE float NAME(float v)                                                          \
    {                                                                                              \
        return NAME##f(v);                                                                         \
    }
CPU_MATH_OF_FLOAT(rsqrt)
CPU_MATH_OF_FLOAT(rcbrt)
CPU_MATH_OF_FLOAT(sinpi)
CPU_MATH_OF_FLOAT(cospi)
CPU_MATH_OF_FLOAT(erfcx)
CPU_MATH_OF_FLOAT(erfinv)
CPU_MATH_OF_FLOAT(erfcinv)
CPU_MATH_OF_FLOAT(normcdf)
CPU_MATH_OF_FLOAT(normcdfinv)
CPU_MATH_OF_FLOAT(cyl_bessel_i0)
CPU_MATH_OF_FLOAT(cyl_bessel_i1)
CPU_MATH_OF_FLOAT(exp10)
CPU_MATH_OF_FLOAT(j0)
CPU_MATH_OF_FLOAT(j1)
CPU_MATH_OF_FLOAT(y0)
CPU_MATH_OF_FLOAT(y1)
static CPU_INLINE float jn(int n, float v)
{
    return jnf(n, v);
}
static CPU_INLINE float yn(int n, float v)
{
    return ynf(n, v);
}
static CPU_INLINE void sincos(float v, float *s, float *c)
{
    sincosf(v, s, c);
}
static CPU_INLINE void sincospi(float v, float *s, float *c)
{
    sincospif(v, s, c);
}
#endif

#endif
