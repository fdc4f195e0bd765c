/*
 * Whether a result is what its operator must give; and how long its chains of operations are.
 */
#ifndef OPERATORS_VERDICT_H
#define OPERATORS_VERDICT_H

#include "families/operators/operators.h"
#include "families/operators/operators_reference.h"

/* What a run has left: the member that its operator has. */
union operators_result {
    unsigned char bytes[OPERATORS_MOST_BYTES];
    either element;
    unsigned long long count;
    struct greatest greatest;
    struct moments moments;
};

/* The result of mean and variance, and what they may differ by. */
struct mean_verdict {
    double mean, mean_bound, variance, variance_bound;
};

/* depth: the longest chain of combinations that an element passes through, in each of which mean
 * and variance are put together from two parts. */
struct mean_verdict operators_mean(const struct expected *, double depth);

/* An element of the type, f32 or i32, as a number. */
double operators_number(const either *element, const struct type *);

/* Fill in the result of one run. depth: as the variant's, see operators_depth. */
void operators_verify(struct result *, const union operators_result *, enum operator_kind,
                      const struct expected *, const struct type *, double depth);

#endif
