/*
 * The verdict on a scan, of the whole array or of each of its segments. Every element of the result
 * is compared. Its reference is the sum of its segment up to it, in double with compensation (see
 * sums.h): the sum restarts at every head. What stands before a span of elements in the segment
 * that reaches into it is added up once, on the host, so that spans are compared in parallel.
 *
 * The bound is that of a sum of as many terms as the segment has up to there: a scan adds those
 * terms in some order and no others, so that with at most d additions on an element's way
 *
 *     |y[i] - sum| <= gamma_min(d, m - 1) * (|x[h]| + ... + |x[i]|),   m = i - h + 1 terms,
 *
 * where h is the last head, or 0; to add 0 for an idle thread or an element past the end is exact.
 * A NaN or an infinity must show from its place to the end of its segment, and nowhere else.
 *
 * On a GPU the comparison is a kernel, one thread per span; on the CPU device a loop of the host.
 * Both run the functions below.
 */
#ifndef PREFIX_H
#define PREFIX_H

#include "harness/kit/buffer.h"
#include "harness/kit/worst.h"

/* What is compared: n elements of y with the scan of x. */
struct prefix {
    const struct buffer *x;
    const struct buffer *flags; /* a byte per element, 1 at a segment's head; NULL: one segment */
    struct buffer *y;
    struct spans spans; /* what stands before element i * SUM_SPAN since the last head */
    void *device_spans; /* the same on a GPU */
    size_t n;
    bool exclusive; /* without flags only */
    bool opposite;  /* y, and x on the device, are opposites; the spans and x on the host are not */
    bool small;     /* with flags; see input_exact */
    double depth;   /* the most additions on an element's way */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Bring what a comparison needs to the device, once the spans are filled, and give that and the
 * spans back. 0, or BAD_DEVICE after one line. */
int prefix_open(struct prefix *);
void prefix_close(struct prefix *);

/* Compare the first n elements. 0, or BAD_DEVICE after one line. */
int prefix_compare(const struct prefix *, struct worst *);

/* After a run of a variant over n elements: compare, and fill in the result as a family's verify
 * does. */
int prefix_verify(struct prefix *, size_t n, double depth, const struct variant *, struct result *);

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

/* The elements of one span, from begin on; sum: what the first one's segment has before it, if it
 * is no head; turned: x is an opposite, too. */
HOST_DEVICE static inline void prefix_span_f32(struct worst *w, const struct prefix *c,
                                               const float *x, bool turned,
                                               const unsigned char *flags, const float *y,
                                               struct accumulator sum, size_t begin, size_t end)
{
    double least = 0;

    for (size_t i = begin; i < end; i++) {
        if (flags && flags[i]) {
            sum = empty_sum(c->small);
            least = 0; /* bounds begin anew, too */
        }
        if (c->exclusive)
            compare_f32(w, i, y[i], c->opposite, &sum, c->depth, &least, i == end - 1);
        accumulate(&sum, turned ? -x[i] : x[i]);
        if (!c->exclusive)
            compare_f32(w, i, y[i], c->opposite, &sum, c->depth, &least, i == end - 1);
    }
}

HOST_DEVICE static inline void prefix_span_i32(struct worst *w, const struct prefix *c,
                                               const uint32_t *x, bool turned,
                                               const unsigned char *flags, const uint32_t *y,
                                               uint32_t sum, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        uint32_t before = flags && flags[i] ? 0 : sum;

        sum = turned ? before - x[i] : before + x[i];
        compare_i32(w, i, y[i], c->opposite, c->exclusive ? before : sum, i == end - 1);
    }
}

#endif
