/*
 * The comparison of transforms with their reference, vector by vector, in the 2-norm. A vector is
 * summed up in pieces, so that many threads can share a long one. On a GPU kernels do that, on the
 * CPU device loops of the host; both run the functions below.
 */
#ifndef FFT_COMPARE_H
#define FFT_COMPARE_H

#include <stdbool.h>
#include <string.h>

#include "harness/kit/buffer.h"
#include "harness/kit/worst.h"

/* What a run's output is compared with. */
struct comparison {
    struct buffer *out;       /* floats, two a point */
    struct buffer *reference; /* doubles, two a point */
    struct buffer *norms;     /* a double a vector: the norm of its reference; NaN: not finite */
    struct buffer *bounds;    /* a double a vector: the most that its error's norm may be */
    struct buffer *pieces;    /* device memory of fft_compare: a double a piece */
    size_t length, batch;
    bool opposite; /* of an input with all signs turned */
};

#define FFT_PIECE ((size_t)1 << 10) /* points; a shorter vector is one piece */

HOST_DEVICE static inline size_t pieces_of(size_t length)
{
    return (length + FFT_PIECE - 1) / FFT_PIECE;
}

/* The square of the distance of a point. Where the reference is not finite every point is infinite
 * or NaN in one of its parts, since every input is in every result: then 1 if this one is not, or
 * is poison, else 0. */
HOST_DEVICE static inline double off_by(const float *y, const double *reference, bool finite,
                                        bool opposite)
{
    double re = (opposite ? -y[0] : y[0]) - reference[0];
    double im = (opposite ? -y[1] : y[1]) - reference[1];

    if (finite)
        return re * re + im * im;
    return (isfinite(y[0]) && isfinite(y[1])) || (is_poison(y[0]) && is_poison(y[1]));
}

/* Take a vector into account, of which this is the sum over its pieces. */
HOST_DEVICE static inline void compare_vector(struct worst *w, size_t v, double sum, double norm,
                                              double bound)
{
    struct worst own = {v, 0, 0, 0, 0, 0, 0};
    bool finite = norm == norm;

    own.error = finite ? sqrt(sum) : sum;
    own.bound = finite ? bound : 0;
    own.wrong = !(own.error <= own.bound); /* a NaN is wrong */
    own.part = own.bound > 0 ? own.error / own.bound : 0;
    own.value = finite && norm > 0 ? own.error / norm : own.error;
    own.reference = finite && norm > 0 ? own.bound / norm : own.bound;
    worst_of(w, &own);
}

#ifdef __cplusplus
extern "C" {
#endif

/* Room for the comparison of so many points, on the device or on the host; and what the host has
 * filled in, reference, norms and bounds, to where it is compared. 0, or BAD_DEVICE after one line.
 */
int fft_compare_reserve(const struct comparison *, size_t points, size_t most_vectors);
int fft_compare_upload(const struct comparison *);

/* Compare the output on the device; at is a vector, value and reference are error and bound as
 * parts of its norm. 0, or BAD_DEVICE after one line. */
int fft_compare(const struct comparison *, struct worst *);

/* Which point of a vector is furthest off; on a GPU just its first, because nobody asks there. */
size_t fft_furthest(const struct comparison *, size_t vector);

/* The same as fft_compare for an output on the host. */
void fft_compare_on_host(const struct comparison *, struct worst *);

#ifdef __cplusplus
}
#endif
#endif
