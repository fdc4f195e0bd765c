/*
 * The layernorm family: each row x of a matrix becomes (x - m) / sqrt(v + 1e-5) times a weight,
 * plus a bias, where m is the row's mean, and v its variance, the mean of all (x - m)^2. Weights
 * and biases are of the columns. A row with a NaN or an infinity becomes NaN. All elements are f32,
 * f16 or bf16; what is computed of them is float, and the result is rounded to their type.
 */
#ifndef LAYERNORM_H
#define LAYERNORM_H

#include "harness/kit/element.h"

#ifdef __cplusplus
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LAYERNORM_SMALL 256     /* threads: blocks up to here get fewer registers per thread */
#define LAYERNORM_EPSILON 1e-5f /* so that a row of equal elements is divided by no 0 */

/* What a launch function gets. Input and output do not overlap. */
struct work {
    element *out;                 /* device: rows x cols elements; poisoned before */
    const element *in;            /* device: rows x cols elements */
    const element *weight, *bias; /* device: cols elements each */
    size_t rows, cols;            /* rows may be 0, cols is at least 1 */
    int threads;                  /* threads per block, 1 to 1024; the grid follows from the rows */
};

/* Threads for a block that keeps a row in registers: with 8 floats in each up to 128, then with 32
 * up to 1024; with 32 narrow elements. */
void layernorm_shape_block(struct shape *);

/* For each of so many blocks that keep a row together: with 32 elements in each up to 1024. */
void layernorm_shape_cluster(struct shape *, int blocks);

#ifdef __cplusplus
}
#endif
#endif
