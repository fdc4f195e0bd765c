/*
 * A blind test of --estimate: a set of kernels of kinds that the series has not. On the CPU device
 * each is estimated, on a GPU timed; the estimates are committed before any of them has run on a
 * GPU.
 */
#ifndef BLIND_H
#define BLIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a kernel gets, in device memory, each of n words at least; or the same in host memory. */
struct arrays {
    float *x, *y, *z; /* y is the result, poisoned before unless it is an input, too */
    uint32_t *at;     /* random numbers below the test's table */
    unsigned int *counts;
};

#define BLIND_BINS 256 /* of counts, which are 0 before */

/* What the words of x and z are. */
enum values {
    THOUSANDTHS, /* of 0 to 0.999, the same in x, y and z */
    SMALL,       /* 0 to 15, so that sums of products are exact */
    BITS,        /* any */
};

struct test {
    const char *name;
    void (*run)(struct arrays *, size_t n);
    size_t n;       /* words that are estimated, and timed */
    size_t counted; /* the CPU device counts so many, and the estimate goes on from there */
    enum values values;
    size_t table;        /* 0: it has no `at` */
    bool counts;         /* the result is counts, not y */
    bool without_result; /* which of those that meet in a word stays depends on the order */
    /* The host's own result: of how many parts, each of which it reckons for itself, and whether
     * one of them is the same. NULL: the sums of two machines are compared, and nothing else. */
    size_t (*parts)(size_t n);
    bool (*right)(const struct arrays *host, size_t n, size_t part);
};

/* The main of a set. table: what nvcc makes of its kernels (common/commands/cudacpu/sass.py), a
 * file beside this one. */
int blind_main(int argc, char **argv, const struct test *tests, size_t count, const char *table);

#ifdef __cplusplus
}
#endif
#endif
