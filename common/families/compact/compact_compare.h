/*
 * The verdict on a compaction. Every element of the result is compared, bit for bit: kept element k
 * of x must be y[k]. Where the kept elements of a span of x belong follows from how many are kept
 * before it, which the host counts once, so spans are compared in parallel. Behind the last kept
 * element nothing may have been written.
 *
 * On a GPU the comparison is a kernel, one thread per span; on the CPU device a loop of the host.
 * Both run the functions below.
 */
#ifndef COMPACT_COMPARE_H
#define COMPACT_COMPARE_H

#include <string.h>

#include "families/compact/compact.h"
#include "harness/kit/buffer.h"
#include "harness/kit/sums.h" /* HOST_DEVICE */

/* Elements of x that are compared one after the other; a divisor of PARALLEL_CHUNK. */
#define COMPACT_SPAN ((size_t)4096)

/* What is wrong: how many elements of y, and the first of them. */
struct difference {
    unsigned long long count, first;
};

/* What is compared: y with the kept ones of n elements of x, of which there are kept. */
struct comparison {
    const struct buffer *x;
    struct buffer *y;
    const uint64_t *before; /* elements kept before each span of x; on the host */
    size_t spans;
    void *device_before; /* the same on a GPU */
    size_t n, kept;
    struct limit limit;
    uint32_t poison; /* y before the run */
    bool floats;
    bool in_place; /* y held x in place of poison */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Bring what is kept before each span to the device, whenever it has changed, and give it back. 0,
 * or BAD_DEVICE after one line. */
int compact_compare_open(struct comparison *);
void compact_compare_close(struct comparison *);

/* Compare. 0, or BAD_DEVICE after one line. */
int compact_compare(const struct comparison *, struct difference *);

#ifdef __cplusplus
}
#endif

/* The predicate, of an element of either type. */
HOST_DEVICE static inline bool compact_keeps(uint32_t bits, struct limit limit, bool floats)
{
    float f32;

    memcpy(&f32, &bits, sizeof(f32));
    return floats ? f32 <= limit.f32 : (int32_t)bits <= limit.i32;
}

HOST_DEVICE static inline void difference_at(struct difference *d, unsigned long long i)
{
    if (d->count++ == 0 || i < d->first)
        d->first = i;
}

/* Compare what a span of x keeps with y[to] and on, and the span's own places in y, where they lie
 * behind the last kept element, with what was there before the run. */
HOST_DEVICE static inline void compare_span(struct difference *d, const struct comparison *c,
                                            const uint32_t *x, const uint32_t *y, uint64_t to,
                                            size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (compact_keeps(x[i], c->limit, c->floats)) {
            if (y[to] != x[i])
                difference_at(d, to);
            to++;
        }
        if (i >= c->kept && y[i] != (c->in_place ? x[i] : c->poison))
            difference_at(d, i);
    }
}

#endif
