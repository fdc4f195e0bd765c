/*
 * The elementwise family: c[i] = a[i] + b[i] for i = 0 ... n - 1 on the device.
 */
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of this family's variants, beside enum rule. */
enum elementwise_rule {
    THREAD_PER_ELEMENT = FAMILY_RULE, /* with GRID_BY_SIZE: its grid has a thread per element */
};

/* What a launch function gets. All pointers are device memory; the arrays do not overlap. */
struct work {
    element *c;       /* room for n elements, the result; poisoned before each run */
    const element *a; /* n elements */
    const element *b; /* n elements */
    size_t n;         /* elements, 0 and up */
    int blocks;       /* grid size, at least 1 */
    int threads;      /* threads per block, 1 to 1024 */
};

#ifdef __cplusplus
}
#endif
#endif
