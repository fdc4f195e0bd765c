/*
 * The softmax family: each row x of a matrix becomes exp(x[i] - m) / s, where m is the row's
 * largest element and s the sum of all exp(x[i] - m). So a row's elements are between 0 and 1, and
 * their sum is 1. A row with a NaN or +infinity, or with -infinity alone, becomes NaN. Elements are
 * f32, f16 or bf16; what is computed of them is float, and the result is rounded to their type.
 */
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include "harness/kit/element.h"

#ifdef __cplusplus
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of this family's variants, beside enum rule. */
enum softmax_rule {
    RESCALES = FAMILY_RULE, /* a sum is multiplied again when a larger element comes */
};

/* What a launch function gets. Input and output do not overlap. */
struct work {
    element *out;      /* device: rows x cols elements; poisoned before */
    const element *in; /* device: rows x cols elements */
    size_t rows, cols; /* rows may be 0, cols is at least 1 */
    int threads;       /* threads per block, 1 to 1024; the grid follows from the rows */
};

/* The most additions that an element passes through where one thread adds up a row; by default a
 * block does it, each thread a part, then the block a tree. */
double softmax_depth_row(const struct shape *);

/* Where a warp does it. */
double softmax_depth_warp(const struct shape *);

/* Where so many blocks do it, at most 8. */
double softmax_depth_cluster(const struct shape *, int blocks);

/* Threads for a block that keeps a row in registers, up to 32 elements in each: 32 to 1024. */
void softmax_shape_registers(struct shape *);

/* The same for each of so many blocks that keep a row together; 16 elements in each thread where
 * rows have no whole vectors of 16 bytes. */
void softmax_shape_cluster(struct shape *, int blocks);

/* As softmax_shape_registers where rows are whole vectors of 16 bytes, else as for a cluster of one
 * block. */
void softmax_shape_vectors(struct shape *);

#ifdef __cplusplus
}
#endif
#endif
