/*
 * Segmented scans that are wrong in one place: what the comparison of whole arrays must see, on a GPU by
 * its kernel as on the CPU device by the host's loop.
 */
#include "families/segmented/segmented.h"
#include "prefix_faults.h"

/* The segmented scan by one thread, which overlooks the head at `not_seen`, or, if there is none, sees
 * one there. */
static __global__ void scan_all(element *y, const element *x, const unsigned char *flags, size_t n,
                                size_t not_seen)
{
    element sum = 0;

    for (size_t i = 0; i < n; i++) {
        bool head = flags[i];

        sum = head != (i == not_seen) ? x[i] : sum + x[i];
        y[i] = sum;
    }
}

static void right(struct work *w)
{
    scan_all<<<1, 1>>>(w->y, w->x, w->flags, w->n, w->n);
}

/* One head too few or too many: elements of one segment alone are wrong. */
static void other_head(struct work *w)
{
    scan_all<<<1, 1>>>(w->y, w->x, w->flags, w->n, 150001);
}

/* The same at the first element of a span of the reference. */
static void other_head_of_span(struct work *w)
{
    scan_all<<<1, 1>>>(w->y, w->x, w->flags, w->n, 20 * 4096);
}

static __global__ void turn(unsigned char *flags, size_t i)
{
    flags[i] ^= 1;
}

static void damaged_flags(struct work *w)
{
    right(w);
    turn<<<1, 1>>>((unsigned char *)w->flags, w->n - 3);
}

static void damaged_bits(struct work *w)
{
    right(w);
    turn<<<1, 1>>>((unsigned char *)w->bits, 7);
}

static const struct variant variants[] = {
    PREFIX_FAULTS,
    {"other-head", "elements, first y[150001]", other_head, 0, depth},
    {"other-head-of-span", "elements, first y[81920]", other_head_of_span, 0, depth},
    {"damaged-flags", "wrong in", damaged_flags, 0, depth},
    {"damaged-bits", "the input was written to", damaged_bits, 0, depth},
};

static const struct launches launches[] = {
    {TESTED, {"-n 300001"}},
    {0},
};

STEP("compared-segmented", segmented_family, variants, launches);
