/*
 * The verdict on a segmented scan. Every element of the result is compared. Its reference is the sum
 * of its segment up to it, in double with compensation (see harness/kit/sums.h): the sum restarts at
 * every head. What stands before a span of elements in the segment that reaches into it is added up
 * once, on the host, so that spans are compared in parallel.
 *
 * The bound is that of a sum of as many terms as the segment has up to there: a segmented scan adds
 * those terms in some order and no others, so that with at most d additions on an element's way
 *
 *     |y[i] - sum| <= gamma_min(d, m - 1) * (|x[h]| + ... + |x[i]|),   m = i - h + 1 terms.
 *
 * A NaN or an infinity must show from its place to the end of its segment, and nowhere else.
 *
 * On a GPU the comparison is a kernel, one thread per span; on the CPU device a loop of the host.
 * Both run the functions below.
 */
#ifndef SEGMENTED_COMPARE_H
#define SEGMENTED_COMPARE_H

#include "harness/kit/buffer.h"
#include "harness/kit/worst.h"

/* What is compared: n elements of y with the segmented scan of x. */
struct comparison {
    const struct buffer *x, *flags;
    struct buffer *y;
    struct spans spans; /* the sums from the last head before element i * SUM_SPAN up to it */
    void *device_spans; /* the same on a GPU */
    size_t n;
    bool opposite; /* y, and x on the device, are opposites; the spans and x on the host are not */
    bool small;    /* see input_exact */
    double depth;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Add up n elements on the host, for the spans; see spans_fill for what it returns. */
int segmented_spans_fill(struct comparison *, size_t n, const struct type *);

/* Bring what a comparison needs to the device, once for all sizes and again for other flags, and give
 * it back. 0, or BAD_DEVICE after one line. */
int segmented_compare_open(struct comparison *);
void segmented_compare_close(struct comparison *);

/* Compare. 0, or BAD_DEVICE after one line. */
int segmented_compare(const struct comparison *, struct worst *);

#ifdef __cplusplus
}
#endif

/* The empty sum, with which a segment begins. */
HOST_DEVICE static inline struct accumulator empty_sum(bool small)
{
    struct accumulator sum;

    memset(&sum, 0, sizeof(sum));
    sum.small = small;
    return sum;
}

/* The elements of one span, from begin on; sum: what the first one's segment has before it, if it is
 * no head; turned: x is an opposite, too. */
HOST_DEVICE static inline void compare_span_f32(struct worst *w, const struct comparison *c,
                                                const float *x, bool turned,
                                                const unsigned char *flags, const float *y,
                                                struct accumulator sum, size_t begin, size_t end)
{
    double least = 0;

    for (size_t i = begin; i < end; i++) {
        if (flags[i]) {
            sum = empty_sum(c->small);
            least = 0; /* bounds begin anew, too */
        }
        accumulate(&sum, turned ? -x[i] : x[i]);
        compare_f32(w, i, y[i], c->opposite, &sum, c->depth, &least, i == end - 1);
    }
}

HOST_DEVICE static inline void compare_span_i32(struct worst *w, const struct comparison *c,
                                                const uint32_t *x, bool turned,
                                                const unsigned char *flags, const uint32_t *y,
                                                uint32_t sum, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        sum = flags[i] ? 0 : sum;
        sum = turned ? sum - x[i] : sum + x[i];
        compare_i32(w, i, y[i], c->opposite, sum, i == end - 1);
    }
}

#endif
