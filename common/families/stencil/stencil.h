/*
 * The stencil family: out[r][c] = in[r][c] + in[r-1][c] + in[r+1][c] + in[r][c-1] + in[r][c+1] for
 * a matrix, stored row by row. What lies outside of the matrix counts as 0.
 */
#ifndef STENCIL_H
#define STENCIL_H

#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of this family's variants, beside enum rule. */
enum stencil_rule {
    ROWS_ALONG_X = FAMILY_RULE, /* the grid's x runs down the rows, its y along the columns */
};

/* What a launch function gets. Input and output do not overlap. */
struct work {
    element *out;      /* device: rows x cols elements; poisoned before */
    const element *in; /* device: rows x cols elements */
    size_t rows, cols; /* either may be 0 */
    int threads;       /* threads per block, 1 to 1024; the grid follows from the size */
};

#ifdef __cplusplus
}
#endif
#endif
