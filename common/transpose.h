/*
 * The transpose family: out[c][r] = in[r][c] for a matrix of floats, stored row by row.
 */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#ifdef __cplusplus
#include <cuda_runtime.h>
#endif
#include "harness.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The family's own rules, beside those of enum rule. */
enum transpose_rule {
    COPIES = 1 << 16,      /* out[r][c] = in[r][c]: a rate to compare with, verified as a copy */
    THREADS_256 = 1 << 17, /* the kernel is written for 256 threads a block */
};

/* What a launch function gets. Elements are moved as they are, NaNs included. */
struct work {
    float *out;           /* device: cols x rows elements (COPIES: rows x cols); poisoned before */
    const float *in;      /* device: rows x cols elements; 4-byte aligned, more only without --offset */
    float *host_out;      /* the same in host memory, for a variant marked ON_HOST */
    const float *host_in;
    size_t rows, cols;    /* of the input; either may be 0 */
    int threads;          /* threads a block, 1 to 1024; the grid follows from the size */
};

/* The program of a transpose step. Returns the exit status. */
int transpose_main(int argc, char **argv, const char *step, const struct variant *variants,
                   size_t count);

#ifdef __cplusplus
}
#endif
#endif
