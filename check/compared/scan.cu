/*
 * Scans that are wrong in one place: what the comparison of whole arrays must see, on a GPU by its
 * kernel as on the CPU device by the host's loop.
 */
#include "families/scan/scan.h"
#include "prefix_faults.h"

/* The inclusive scan by one thread. */
static __global__ void scan_all(element *y, const element *x, size_t n)
{
    element sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        y[i] = sum;
    }
}

/* From element i on one too much, as after an element that counts twice. */
static __global__ void add_from(element *y, size_t i, size_t n, element more)
{
    for (; i < n; i++)
        y[i] += more;
}

static void right(struct work *w)
{
    scan_all<<<1, 1>>>(w->y, w->x, w->n);
}

static void tail(struct work *w)
{
    right(w);
    add_from<<<1, 1>>>(w->y, w->n - 5000, w->n, 1000000);
}

static const struct variant variants[] = {
    PREFIX_FAULTS,
    {"tail", "5000 elements, first y[295001]", tail, 0, depth},
};

static const struct launches launches[] = {
    {TESTED, {"-n 300001"}},
    {0},
};

STEP("compared-scan", scan_family, variants, launches);
