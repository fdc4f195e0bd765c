/*
 * The overlap family: n numbers in the host's memory go to the device, are computed with there, and
 * come back: out[i] = in[i] after so many rounds of x = FACTOR * x + SUMMAND, modulo 2^32.
 */
#ifndef OVERLAP_H
#define OVERLAP_H

#include "harness/kit/element.h"
#include "harness/kit/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FACTOR 1664525u
#define SUMMAND 1013904223u

#define STREAMS 3 /* beside the default one, and buffers of a chunk each */

/* Rules of this family's variants, beside enum rule. */
enum overlap_rule {
    PAGEABLE = FAMILY_RULE, /* its output is in pageable memory */
};

struct CUstream_st;
struct CUevent_st;

/* Arrays of the host. */
struct host_arrays {
    const element *in; /* n elements */
    element *out;      /* the same; poisoned before */
};

/* What a launch function gets. */
struct work {
    size_t n;      /* elements; may be 0 */
    size_t chunks; /* 1 or more */
    size_t share;  /* elements of a chunk: n / chunks, rounded up; the last ones' are fewer, or 0 */
    unsigned rounds;
    int blocks, threads; /* of a kernel's grid */
    struct host_arrays pinned, pageable;
    element *x; /* device: n elements, or STREAMS times share, if there are so many chunks */
    struct CUstream_st *stream[STREAMS]; /* none of them waits for the default stream by itself */
    struct CUevent_st *begun, *ended[STREAMS];
    struct CUevent_st *filled[STREAMS], *computed[STREAMS], *emptied[STREAMS]; /* of each buffer */
};

/* In and out, for the log: what crosses the bus. */
double overlap_bytes(const struct shape *);

#ifdef __cplusplus
}
#endif
#endif
