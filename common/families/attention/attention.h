/*
 * The attention family: each query asks all keys of its head, and becomes the mean of their values,
 * weighted by softmax. With the rows q[i], k[j] and v[j] of a head, of `dim` elements each:
 *
 *     score[i][j] = (q[i] . k[j]) / sqrt(dim),   out[i] = sum over j of softmax(score[i])[j] v[j]
 *
 * A causal query sees the keys up to its own place alone, j <= i. What it does not see has no part
 * in its result, not even as 0 times a NaN. A query of whose scores one is NaN or +infinity, or all
 * -infinity, becomes NaN.
 */
#ifndef ATTENTION_H
#define ATTENTION_H

#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ATTENTION_N, ATTENTION_LENGTH, ATTENTION_CAUSAL, ATTENTION_DIM };

#define ATTENTION_MOST_DIM 256

/* Rules of this family's variants, beside enum rule. */
enum attention_rule {
    KEEPS_SCORES = FAMILY_RULE,        /* it wants work.scores */
    OUT_OF_TYPE = FAMILY_RULE << 1,    /* it writes out_of_type in place of out */
    SPLIT_PRODUCTS = FAMILY_RULE << 2, /* of floats, by tensor cores: see split_products.h */
};

/* What a launch function gets. All arrays are of the device, [heads][length][dim], row-major
 * without gaps, and do not overlap. out begins at a multiple of 16 bytes, the others where they
 * may. */
struct work {
    float *out; /* poisoned before */
    const element *q, *k, *v;
    float *scores;        /* [heads][length][length], poisoned; NULL without KEEPS_SCORES */
    void *out_of_type;    /* of the inputs' type, poisoned; NULL without OUT_OF_TYPE */
    size_t heads, length; /* heads may be 0, length is at least 1 */
    int dim;              /* 1 to ATTENTION_MOST_DIM */
    bool causal;
    float scale; /* 1 / sqrt(dim) */
    int threads; /* threads per block, as the variant has them */
};

#ifdef __cplusplus
}
#endif
#endif
