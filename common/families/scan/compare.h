/*
 * The verdict on a scan. Every element of the result is compared. Its reference is the prefix of x
 * in double with compensation (see harness/kit/sums.h), carried on from the prefix at the start of a
 * span, so that spans are compared in parallel. Its bound is that of a sum of as many terms as the
 * prefix has: if no element passes through more than d additions on its way into a prefix, then
 * prefix i of m terms is off by at most
 *
 *     gamma_min(d, m - 1) * (|x[0]| + ... + |x[m - 1]|),
 *
 * since a scan in float is, for each i, one way to add those m terms, and to add 0 for an idle
 * thread or an element past the end is exact. Scans only add: no prefix meets an element behind
 * it, so a NaN or an infinity must show from its place on, and nowhere before it.
 *
 * On a GPU the comparison is a kernel, one thread per span; on the CPU device a loop of the host.
 * Both run the functions below.
 */
#ifndef SCAN_COMPARE_H
#define SCAN_COMPARE_H

#include "harness/kit/buffer.h"
#include "harness/kit/worst.h"

/* What is compared: n elements of y with the scan of x. */
struct comparison {
    const struct buffer *x;
    struct buffer *y;
    const struct spans *spans; /* of x */
    void *device_spans;        /* the same on a GPU */
    size_t n;
    bool exclusive;
    bool opposite; /* y, and x on the device, are opposites; the spans and x on the host are not */
    double depth;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Bring what a comparison needs to the device, once for all sizes, and give it back. 0, or
 * BAD_DEVICE after one line. */
int scan_compare_open(struct comparison *);
void scan_compare_close(struct comparison *);

/* Compare. 0, or BAD_DEVICE after one line. */
int scan_compare(const struct comparison *, struct worst *);

#ifdef __cplusplus
}
#endif

/* The elements of one span, from begin on; sum: of all before; turned: x is an opposite, too. */
HOST_DEVICE static inline void compare_span_f32(struct worst *w, const struct comparison *c,
                                                const float *x, bool turned, const float *y,
                                                struct accumulator sum, size_t begin, size_t end)
{
    double least = 0;

    for (size_t i = begin; i < end; i++) {
        if (c->exclusive)
            compare_f32(w, i, y[i], c->opposite, &sum, c->depth, &least, i == end - 1);
        accumulate(&sum, turned ? -x[i] : x[i]);
        if (!c->exclusive)
            compare_f32(w, i, y[i], c->opposite, &sum, c->depth, &least, i == end - 1);
    }
}

HOST_DEVICE static inline void compare_span_i32(struct worst *w, const struct comparison *c,
                                                const uint32_t *x, bool turned, const uint32_t *y,
                                                uint32_t sum, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        uint32_t inclusive = turned ? sum - x[i] : sum + x[i];
        uint32_t expected = c->exclusive ? sum : inclusive;

        sum = inclusive;
        compare_i32(w, i, y[i], c->opposite, expected, i == end - 1);
    }
}

#endif
