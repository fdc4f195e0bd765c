/*
 * Roots of unity: exp(-2 pi i k / n), to the nearest float and to the nearest double.
 */
#ifndef FFT_ROOTS_H
#define FFT_ROOTS_H

#include <stddef.h>

/* What a long double gives: 64 bits or more, so that its rounding is the nearest float but for one
 * in 2^39 or so, and then off by no more than half an ulp and 2^-40 of it. */
struct root {
    long double re, im;
};
struct root fft_root(size_t k, size_t n);

/* Free the tables of fft_roots. */
void fft_roots_free(void);

#endif
