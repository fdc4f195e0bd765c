#define _DEFAULT_SOURCE /* M_SQRT2 */
#include "families/fft/fft_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_FFTW
#include <fftw3.h>
#endif

#include "families/fft/fft_roots.h"
#include "harness/kit/message.h"
#include "harness/kit/parallel.h"

struct transform {
    double *y;
    const float *x;
    size_t length, batch;
    bool inverse;
    double *roots; /* length of them; not for the library */
    volatile bool failed;
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
    const struct transform *t = (const struct transform *)context;

    (void)chunk;
    for (size_t i = begin; i < end; i++)
        direct_point(t, t->y + 2 * i, t->x + 2 * (i - i % t->length), i % t->length);
}

/* The roots of unity of this length, for either direction; NULL after one line. */
static double *roots_of(size_t length, bool inverse)
{
    double *roots = (double *)malloc(length * 2 * sizeof(*roots));

    if (!roots)
        complain(BAD_DEVICE, "no memory left on the host for the roots of unity");
    for (size_t k = 0; roots && k < length; k++) {
        struct root w = fft_root(k, length);

        roots[2 * k] = (double)w.re;
        roots[2 * k + 1] = (double)(inverse ? -w.im : w.im);
    }
    return roots;
}

int fft_reference_direct(double *y, const float *x, size_t length, size_t batch, bool inverse)
{
    struct transform t = {y, x, length, batch, inverse, roots_of(length, inverse)};

    if (!t.roots)
        return BAD_DEVICE;
    parallel_for(length * batch, direct_chunk, &t);
    free(t.roots);
    return 0;
}

/* The vectors that begin in a chunk. */
static void vectors_of(const struct transform *t, size_t begin, size_t end, size_t *from,
                       size_t *to)
{
    *from = (begin + t->length - 1) / t->length;
    *to = (end + t->length - 1) / t->length;
    if (*to > t->batch)
        *to = t->batch;
}

/* One stage of Stockham's transform: sums and differences of points half a vector apart. */
static void halve(double *y, const double *x, const double *roots, size_t length, size_t before)
{
    for (size_t i = 0; i < length / 2; i++) {
        size_t j = i / before * before, to = i + j; /* j counts in steps of `before` */
        const double *a = x + 2 * i, *b = a + length;
        double re = a[0] - b[0], im = a[1] - b[1];

        y[2 * to] = a[0] + b[0];
        y[2 * to + 1] = a[1] + b[1];
        y[2 * (to + before)] = roots[2 * j] * re - roots[2 * j + 1] * im;
        y[2 * (to + before) + 1] = roots[2 * j] * im + roots[2 * j + 1] * re;
    }
}

static void halves_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct transform *t = (struct transform *)context;
    double *other = (double *)malloc(t->length * 2 * sizeof(*other));
    size_t from, to;

    (void)chunk;
    vectors_of(t, begin, end, &from, &to);
    if (!other && from < to)
        t->failed = true; /* by whichever thread */
    for (size_t v = from; other && v < to; v++) {
        double *x = t->y + 2 * v * t->length, *y = other;

        for (size_t i = 0; i < 2 * t->length; i++)
            x[i] = t->x[2 * v * t->length + i];
        for (size_t before = 1; before < t->length; before *= 2) {
            double *swap = x;

            halve(y, x, t->roots, t->length, before);
            x = y;
            y = swap;
        }
        if (x == other)
            memcpy(y, x, t->length * 2 * sizeof(*x));
    }
    free(other);
}

int fft_reference_halves(double *y, const float *x, size_t length, size_t batch, bool inverse)
{
    struct transform t = {y, x, length, batch, inverse, roots_of(length, inverse)};

    if (!t.roots)
        return BAD_DEVICE;
    parallel_for(length * batch, halves_chunk, &t);
    free(t.roots);
    return t.failed ? complain(BAD_DEVICE, "no memory left on the host for the reference") : 0;
}

#ifdef HAVE_FFTW
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

static int fft_reference_library(double *y, const float *x, size_t length, size_t batch,
                                 bool inverse)
{
    struct transform t = {y, x, length, batch, inverse, NULL};

    /* An estimate looks at no data; unaligned, because vectors begin anywhere. */
    t.plan =
        fftw_plan_dft_1d((int)length, (fftw_complex *)y, (fftw_complex *)y,
                         inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
    if (!t.plan)
        return complain(BAD_DEVICE, "FFTW has no plan for %zu points", length);
    parallel_for(length * batch, library_chunk, &t);
    fftw_destroy_plan(t.plan);
    return 0;
}
#endif

static bool power_of_two(size_t length)
{
    return (length & (length - 1)) == 0;
}

bool fft_reference_possible(size_t length, size_t batch)
{
    return power_of_two(length) || length * batch <= FFT_DIRECT_ALONE / length;
}

int fft_reference(double *y, const float *x, size_t length, size_t batch, bool inverse)
{
    if (batch == 0)
        return 0;
    if (length * batch <= FFT_DIRECT / length)
        return fft_reference_direct(y, x, length, batch, inverse);
#ifdef HAVE_FFTW
    return fft_reference_library(y, x, length, batch, inverse);
#else
    return (power_of_two(length) ? fft_reference_halves : fft_reference_direct)(y, x, length, batch,
                                                                                inverse);
#endif
}

static double part_of_norm(size_t length, double u)
{
    double mu = u * M_SQRT1_2, gamma = 4 * u / (1 - 4 * u);
    double t = log2((double)length) * (mu + gamma * (M_SQRT2 + mu));

    return t / (1 - t);
}

double fft_reference_bound(size_t length, double norm)
{
    return 4 * part_of_norm(length, 0x1p-53) * norm;
}

double fft_bound(size_t length, double norm)
{
    return part_of_norm(length, 0x1p-24) * norm + fft_reference_bound(length, norm) +
           16 * (double)length * 0x1p-149;
}
