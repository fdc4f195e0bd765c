/*
 * What the operators must give, found on the host; and the second array.
 */
#ifndef OPERATORS_REFERENCE_H
#define OPERATORS_REFERENCE_H

#include "harness/family.h"
#include "harness/kit/sums.h"

/*
 * All results for the first n elements. Of floats, the sums with what their bounds need, the rest
 * as it must be; of ints all exact, sums and products modulo 2^32, for which the sums of floats
 * stay zero.
 */
struct expected {
    size_t n;
    struct accumulator sum, squares, dot; /* terms as they are, be they beyond a float */
    double product;                       /* of z; rounded so often as there are fractions */
    size_t fractions;                     /* factors that are neither 1 nor -1 */
    uint32_t i32_sum, i32_product, i32_squares, i32_dot;
    bool nan;               /* an element is no number; else: */
    double least, greatest; /* the identities if there are no elements */
    size_t at;              /* of the first NaN, else of the first greatest; 0 without elements */
    bool all, any;          /* not 0 */
    size_t equal;           /* to the target */
    double first;           /* x[0]; 0 without elements */
};

/* The index of the target. */
static inline size_t operators_target(size_t n)
{
    return n / 3;
}

/* Fill z, n floats or ints in host memory: see operators.h. */
void operators_fill(void *z, size_t n, const struct setting *);

/* Find all results, of n floats or ints in host memory, by several threads; the same bits however
 * many. continues: *e has those of fewer elements of the same arrays, and where these are whole
 * chunks of parallel_for only the others are added; the bits are the same. exact: the input is the
 * kind of that name. 0, or BAD_DEVICE after one line. */
int operators_expect(struct expected *e, bool continues, const void *x, const void *z, size_t n,
                     const struct type *type, bool exact);

#endif
