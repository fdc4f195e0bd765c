/*
 * What a transform should give, in double. Short vectors, and few, by the sum of the definition;
 * long ones by a library, FFTW, or where there is none by a plain loop of radix 2; many points on a
 * GPU by kernels.
 */
#ifndef FFT_REFERENCE_H
#define FFT_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No more products than this by the definition where there is another way; where there is none, no
 * more than the second: what takes a minute or so. */
#define FFT_DIRECT ((size_t)1 << 24)
#define FFT_DIRECT_ALONE ((size_t)1 << 36)

/* From so many points on a GPU takes less time than the host, which needs seconds. */
#ifndef FFT_ON_DEVICE /* fewer in a test */
#define FFT_ON_DEVICE ((size_t)1 << 22)
#endif

/* Whether the reference of so many vectors can be computed: of any if the length is a power of two.
 */
bool fft_reference_possible(size_t length, size_t batch);

/* y = the transforms of x, both batch vectors of length points of two numbers each, by several
 * threads; forward, or with conjugate roots. 0, or BAD_DEVICE after one line. */
int fft_reference(double *y, const float *x, size_t length, size_t batch, bool inverse);

/* The same by radix 2, in double; the length is a power of two. */
int fft_reference_halves(double *y, const float *x, size_t length, size_t batch, bool inverse);

/* The same by the definition, always; length * batch at most 2^32. */
int fft_reference_direct(double *y, const float *x, size_t length, size_t batch, bool inverse);

/*
 * The most that a transform of length points in float may be off by, in the 2-norm: the root of the
 * sum of the squares of all errors; norm is that of the result. Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd edition, theorem 24.2: with t = log2(length), and eta = mu + gamma_4
 * (sqrt(2) + mu) for roots that are off by at most mu, it is t eta / (1 - t eta) of the norm. Both
 * parts of a root being rounded to the nearest float, mu is u / sqrt(2), u = 2^-24. The theorem is
 * of radix 2, with a product by a root and an addition in each of t stages; a larger radix has as
 * many additions on each way from a point to a result, and fewer products. What is added: results
 * below the normal numbers lose bits, in all less than 16 * length * 2^-149; and the reference's
 * own error, by the same theorem in double.
 */
double fft_bound(size_t length, double norm);

/* The part of it that is the reference's own: four times what the theorem says, since a library's
 * order and roots, or those of a GPU, off by two ulps, are not the host's. */
double fft_reference_bound(size_t length, double norm);

struct comparison; /* fft_compare.h */

/*
 * Fill in reference, norms and bounds of the comparison, on the device, from x there, which is as
 * aligned as a float. Sets *made to false, and does no more, on the CPU device and where the host
 * is to do it: for few points, a length that is no power of two, or without memory for a second
 * copy. 0, or BAD_DEVICE after one line.
 */
int fft_reference_on_device(const struct comparison *, const float *x, size_t length, size_t batch,
                            bool inverse, bool *made);

#ifdef __cplusplus
}
#endif
#endif
