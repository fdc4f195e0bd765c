/*
 * CUDA's fast math functions. See include/math_functions.h for what they are on a GPU.
 *
 * The C library's header declares functions with some of these names and the same types, but has
 * none of them.
 */
#include "math_functions.h"

float __expf(float v)
{
    return expf(v);
}

float __exp10f(float v)
{
    return (float)pow(10, v);
}

float __logf(float v)
{
    return logf(v);
}

float __log2f(float v)
{
    return log2f(v);
}

float __log10f(float v)
{
    return log10f(v);
}

float __sinf(float v)
{
    return sinf(v);
}

float __cosf(float v)
{
    return cosf(v);
}

float __tanf(float v)
{
    return tanf(v);
}

float __tanhf(float v)
{
    return tanhf(v);
}

/* As CUDA defines it: 2 to the y times the logarithm of x, which a negative x does not have. */
float __powf(float x, float y)
{
    return (float)exp2(y * log2(x));
}

/* As CUDA defines it: the inverse of a divisor above 2^126 is taken to be 0. */
float __fdividef(float a, float b)
{
    return fabsf(b) > 0x1p126f && !isinf(b) ? a * copysignf(0, b) : a / b;
}

/* What is below the smallest normal number is 0. Else it is the nearest float nearly always; on a
 * GPU it is off by two units in the last place at most. */
float cpu_exp2_approx(float v)
{
    float power = exp2f(v);

    return power < 0x1p-126f ? 0 : power; /* NaN stays */
}
