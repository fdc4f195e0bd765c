/*
 * The operators family: a whole array folded into one result, by one operator or another.
 *
 * x is what --input says. z is the second array, of factors, so that a product of all of them is
 * worth something:
 *
 *  i32  odd numbers: with an even one in 32 a product would soon be 0, and stay so
 *  f32  1 + k 2^-23 with k random, |k| <= 2^10, and either sign: with a probability of
 *       1 / (1 + i / 1024), rounded down; else 1 or -1
 *
 * and with `ones` 1, with `exact` 1 or -1. A `hostile` f32 z has the NaN or the infinities,
 * elsewhere, that a hostile x has of the same seed.
 *
 * In a product of floats each factor that is no power of two may cost a rounding, in whatever
 * order: with one in each place no bound would be worth anything from 2^24 elements on. Of these
 * there are about 1024 (1 + ln(n / 1024)): in 2^40 elements 22000. No product of finite factors
 * leaves the range of a float, whichever they are and in whatever order: it is within 2^8 and 2^-8,
 * since each is within 2^(+-2^-12).
 *
 * What an operator gives for no elements is its identity; the rules about NaN are in
 * docs/reduce-operators.md.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
typedef element either;
#else
typedef union {
    float f32;
    int32_t i32;
} either; /* an element, in C */
#endif

/* The operators. OPERATOR(kind) stands in the rules of each variant. */
enum operator_kind {
    SUM,
    PRODUCT, /* of z */
    MINIMUM,
    MAXIMUM,
    LOGICAL_AND, /* 1 if no element is 0, else 0 */
    LOGICAL_OR,  /* 1 if some element is not 0, else 0 */
    SQUARES,     /* the sum of x[i]^2 */
    DOT,         /* the sum of x[i] z[i] */
    EQUALS,      /* how many elements are equal to the target */
    ARGMAX,
    MEAN,
    SUBTRACT, /* no operator of a reduction: x[0] - x[1] - x[2] - ... */
};
#define OPERATOR(kind) ((unsigned)(kind)*FAMILY_RULE)

/* The results that are no single element, nor a count, which is an unsigned long long. */
struct greatest {
    either value;
    unsigned long long at; /* its index, the least of several; 0 if there are no elements */
};
struct moments {
    unsigned long long count;
    float mean;     /* NaN if there are no elements */
    float variance; /* of the whole population: the mean of (x - mean)^2 */
};

#define OPERATORS_MOST_BYTES 16 /* of any of the results */

/* What a launch function gets. All pointers are device memory. */
struct work {
    void *result;     /* room for OPERATORS_MOST_BYTES; poisoned before each run */
    void *partial;    /* room for as many bytes for each block; poisoned, too */
    const element *x; /* n elements */
    const element *z; /* n elements, which begin as far from an aligned address as those of x */
    either target;    /* of `count`: x[n / 3] */
    size_t n;         /* elements, 0 and up */
    int blocks;       /* grid size, at least 1 */
    int threads;      /* threads per block, 1 to 1024 */
};

/* Useful bytes of one run, where they are not those of one array and one element. */
double operators_bytes_dot(const struct shape *);
double operators_bytes_count(const struct shape *);
double operators_bytes_pair(const struct shape *); /* argmax, mean */

/* The longest chain of operations in CUB's DeviceReduce, for the bounds of the peers: a slice per
 * thread of as many blocks as there are multiprocessors, or more, of 256 threads or more, in tiles
 * of up to 64 elements per thread; then trees, and the blocks' results, up to 64 of them a thread.
 */
double operators_depth_library(const struct shape *);

#define OPERATORS_LOADS 8 /* loads of 16 bytes that a thread has in flight: see fold.h */

#ifdef __cplusplus
}
#endif
#endif
