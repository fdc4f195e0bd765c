/*
 * The fft family: batched discrete Fourier transforms of complex numbers, each a pair of floats.
 *
 *     out[v][k] = sum over j of in[v][j] * exp(-2 pi i j k / length)     forward
 *     out[v][k] = sum over j of in[v][j] * exp(+2 pi i j k / length)     inverse, not divided by
 * length
 *
 * Vector v begins at element v * length. Of n elements there are n / length vectors, rounded down;
 * what is left behind the last one stays as it is.
 */
#ifndef FFT_H
#define FFT_H

#ifdef __cplusplus
#include <cuda_runtime.h>
typedef float2 element_c32;
typedef float4 element4_c32; /* two: no load takes more */
#endif
#include "harness/kit/device.h"
#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct type type_c32;

/* The family's axes. */
enum fft_axis { FFT_N, FFT_LENGTH };

/* Rules of this family's variants, beside enum rule. */
enum fft_rule {
    BETWEEN =
        FAMILY_RULE, /* it needs room for as many elements as there are, between its kernels */
};

/* What a launch function gets. All pointers are device memory unless they say otherwise. */
struct work {
    element *out;      /* poisoned before each run, unless it is the input */
    const element *in; /* aligned to 16 bytes only without --offset; out where the place is in */
    element *between;  /* with BETWEEN: n elements; poisoned */
    unsigned *flags;   /* with WAITS: two a vector; poisoned */
    element *host_out; /* the same in host memory, for a variant marked ON_HOST */
    const element *host_in;
    size_t length, batch; /* points in a vector, at least 1; vectors, 0 and up */
    float sign;           /* 1 forward, -1 inverse: conj(forward(conj(x))) is the inverse */
    int threads;          /* threads per block, 1 to 1024 */
};

/*
 * A table of rows x cols roots of unity on the device, exp(-2 pi i row * col / n), row by row. Both
 * parts of each are rounded once: they are the nearest floats. Made at the first call, which is a
 * warm-up run, and kept. Ends the program with status 3 if there is no memory for it.
 */
const element *fft_roots(size_t rows, size_t cols, size_t n);

#ifdef __cplusplus
}
#endif

#endif
