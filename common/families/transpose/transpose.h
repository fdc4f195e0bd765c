/*
 * The transpose family: out[c][r] = in[r][c] for a matrix of floats, stored row by row.
 */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include "harness/kit/element.h"

/* What a launch function gets. A variant that is a CEILING copies: out[r][c] = in[r][c], verified
 * as such. Elements are moved as they are, NaNs included. */
struct work {
    float *out;      /* device: cols x rows elements (a copy: rows x cols); poisoned before */
    const float *in; /* device: rows x cols elements; 4-byte aligned, more only without --offset */
    float *host_out; /* the same in host memory, for a variant marked ON_HOST */
    const float *host_in;
    size_t rows, cols; /* of the input; either may be 0 */
    int threads;       /* threads per block, 1 to 1024; the grid follows from the size */
};
#endif
