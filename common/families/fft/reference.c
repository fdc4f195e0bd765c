#define _DEFAULT_SOURCE /* M_SQRT2 */
#include "families/fft/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_FFTW
#include <fftw3.h>
#endif

#include "families/fft/roots.h"
#include "harness/kit/message.h"
#include "harness/kit/parallel.h"

struct transform {
    double *y;
    const float *x;
    size_t length, batch;
    bool inverse;
    double *roots; /* direct: length of them */
#ifdef HAVE_FFTW
    fftw_plan plan; /* of one vector, in place */
#endif
};

static void direct_point(const struct transform *t, double *y, const float *x, size_t k)
{
    double re = 0, im = 0;

    for (size_t j = 0, at = 0; j < t->length; j++) {
        double c = t->roots[2 * at], s = t->roots[2 * at + 1];

        re += c * x[2 * j] - s * x[2 * j + 1];
        im += c * x[2 * j + 1] + s * x[2 * j];
        at += k; /* j * k modulo the length */
        at -= at >= t->length ? t->length : 0;
    }
    y[0] = re;
    y[1] = im;
}

static void direct_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct transform *t = context;

    (void)chunk;
    for (size_t i = begin; i < end; i++)
        direct_point(t, t->y + 2 * i, t->x + 2 * (i - i % t->length), i % t->length);
}

int fft_reference_direct(double *y, const float *x, size_t length, size_t batch, bool inverse)
{
    struct transform t = {y, x, length, batch, inverse, malloc(length * 2 * sizeof(double))};

    if (!t.roots)
        return complain(BAD_DEVICE, "no memory left on the host for the roots of unity");
    for (size_t k = 0; k < length; k++) {
        struct root w = fft_root(k, length);

        t.roots[2 * k] = (double)w.re;
        t.roots[2 * k + 1] = (double)(inverse ? -w.im : w.im);
    }
    parallel_for(length * batch, direct_chunk, &t);
    free(t.roots);
    return 0;
}

#ifdef HAVE_FFTW
/* The vectors that begin in a chunk. */
static void vectors_of(const struct transform *t, size_t begin, size_t end, size_t *from, size_t *to)
{
    *from = (begin + t->length - 1) / t->length;
    *to = (end + t->length - 1) / t->length;
    if (*to > t->batch)
        *to = t->batch;
}

static void library_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct transform *t = context;
    size_t from, to;

    (void)chunk;
    vectors_of(t, begin, end, &from, &to);
    for (size_t v = from; v < to; v++) {
        double *y = t->y + 2 * v * t->length;

        for (size_t i = 0; i < 2 * t->length; i++)
            y[i] = t->x[2 * v * t->length + i];
        fftw_execute_dft(t->plan, (fftw_complex *)y, (fftw_complex *)y);
    }
}

static int by_library(struct transform *t)
{
    /* An estimate looks at no data; unaligned, because vectors begin anywhere. */
    t->plan = fftw_plan_dft_1d((int)t->length, (fftw_complex *)t->y, (fftw_complex *)t->y,
                               t->inverse ? FFTW_BACKWARD : FFTW_FORWARD,
                               FFTW_ESTIMATE | FFTW_UNALIGNED);
    if (!t->plan)
        return complain(BAD_DEVICE, "FFTW has no plan for %zu points", t->length);
    parallel_for(t->length * t->batch, library_chunk, t);
    fftw_destroy_plan(t->plan);
    return 0;
}
#define HAVE_LIBRARY true
#else
static int by_library(struct transform *t)
{
    (void)t;
    return BAD_DEVICE;
}
#define HAVE_LIBRARY false
#endif

bool fft_reference_possible(size_t length, size_t batch)
{
    return HAVE_LIBRARY || length * batch <= FFT_DIRECT_ALONE / length;
}

int fft_reference(double *y, const float *x, size_t length, size_t batch, bool inverse)
{
    struct transform t = {y, x, length, batch, inverse, NULL};

    if (batch == 0)
        return 0;
    return HAVE_LIBRARY && length * batch > FFT_DIRECT / length
               ? by_library(&t)
               : fft_reference_direct(y, x, length, batch, inverse);
}

static double part_of_norm(size_t length, double u)
{
    double mu = u * M_SQRT1_2, gamma = 4 * u / (1 - 4 * u);
    double t = log2((double)length) * (mu + gamma * (M_SQRT2 + mu));

    return t / (1 - t);
}

double fft_bound(size_t length, double norm)
{
    return (part_of_norm(length, 0x1p-24) + 4 * part_of_norm(length, 0x1p-53)) * norm +
           16 * (double)length * 0x1p-149;
}
