/*
 * The comparison of an array of results with its reference, element by element, in parts that are
 * joined in any order: on a GPU by threads of a kernel, on the CPU device by a loop of the host.
 * Both run the functions below.
 */
#ifndef WORST_H
#define WORST_H

#include <string.h>

#include "harness/kit/sums.h"

/* The element that is furthest off: the first wrong one, else that with the largest part of its
 * bound used up, else the last. */
struct worst {
    size_t at, wrong; /* wrong: how many are */
    double part;      /* error / bound; below 0: none seen yet */
    double value, reference, error, bound;
};
#define WORST_NONE                                                                                 \
    {                                                                                              \
        .part = -1                                                                                 \
    }

/* Compare the elements of whole spans; the last one may be shorter. */
typedef void worst_of_span(struct worst *, const void *context, size_t begin, size_t end);

/* Launch a kernel of so many blocks, each of which writes its worst element to device memory. */
typedef void worst_of_blocks(struct worst *device, size_t blocks, const void *context);

#ifdef __cplusplus
extern "C" {
#endif

/* Compare n elements by several threads of the host: where the device is the CPU device, or the
 * variant runs on the host. */
void worst_on_host(struct worst *, size_t n, worst_of_span *, const void *context);

/* Compare by a kernel on the current device, a GPU, in its default stream. 0, or BAD_DEVICE after
 * one line. */
int worst_on_device(struct worst *, size_t blocks, worst_of_blocks *, const void *context);

/* Copy spans to memory of the current device that is allocated for them. 0, or BAD_DEVICE after one
 * line. */
int spans_to_device(void **device, const struct spans *);

#ifdef __cplusplus
}
#endif

/* Take another part's worst element into account; parts in any order give the same. */
HOST_DEVICE static inline void worst_of(struct worst *all, const struct worst *own)
{
    size_t wrong = all->wrong + own->wrong;

    if (own->part < 0 && own->wrong == 0)
        return;
    if ((all->part < 0 && all->wrong == 0) ||
        (own->wrong > 0 && (all->wrong == 0 || own->at < all->at)) ||
        (wrong == 0 && (own->part > all->part || (own->part == all->part && own->at > all->at))))
        *all = *own;
    all->wrong = wrong;
}

HOST_DEVICE static inline bool is_poison(float y)
{
    unsigned bits;

    memcpy(&bits, &y, sizeof(bits));
    return bits == 0xffffffff;
}

/* A float, with the other sign if it is an opposite, and the sum that it should be, of which no
 * term passes through more than depth additions; least is a bound not larger than its own, 0 for
 * none. */
HOST_DEVICE static inline void compare_f32(struct worst *w, size_t i, float result, bool opposite,
                                           const struct accumulator *sum, double depth,
                                           double *least, bool last)
{
    struct reference reference;
    double part, error, bound;
    float y = opposite ? 0 - result : result;
    bool good;

    /* Bounds grow with i: if the error is a smaller part of an earlier one, it is of its own, and
     * if it is no more than all of an earlier one, the element is right. */
    if (!last && !sum->nans && !sum->plus_infinities && !sum->minus_infinities &&
        fabs(y - (sum->sum + sum->carry)) <= (w->part < 1 ? w->part : 1) * *least)
        return;
    reference = accumulated(sum);
    good = sum_agrees(y, &reference, depth, &error, &bound) && !is_poison(result);
    *least = isnan(bound) ? 0 : bound;
    part = bound > 0 ? error / bound : 0;
    if (!good && w->wrong++ > 0)
        return;
    if (good && (w->wrong > 0 || part < w->part))
        return;
    w->at = i;
    w->part = part;
    w->value = isnan(y) ? NAN : y; /* a NaN's sign says nothing */
    w->reference = reference.value;
    w->error = error;
    w->bound = bound;
}

/* An integer, which must be equal, modulo 2^32. */
HOST_DEVICE static inline void compare_i32(struct worst *w, size_t i, uint32_t result,
                                           bool opposite, uint32_t expected, bool last)
{
    uint32_t is = opposite ? 0 - result : result;

    if (is != expected && w->wrong++ > 0)
        return;
    if (is == expected && (w->wrong > 0 || !last))
        return;
    w->at = i;
    w->part = 0;
    w->value = (int32_t)is;
    w->reference = (int32_t)expected;
    w->error = fabs(w->value - w->reference);
    w->bound = 0;
}

#endif
