/*
 * Sums of a spread array that are wrong on one device of two: what the comparison must see.
 */
#include "families/spreadsum/spreadsum.h"
#include "places.h"

/* One thread adds both parts. */
static __global__ void add(element *out, const element *a, size_t n, const element *b, size_t m)
{
    element sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i];
    for (size_t i = 0; i < m; i++)
        sum += b[i];
    *out = sum;
}

static __global__ void set(element *out, size_t i, element to)
{
    out[i] = to;
}

static void sums(struct work *w, int device, size_t less)
{
    wait_for_places(w->places, w->devices);
    add<<<1, 1>>>(w->sum[device], w->x[0], w->length[0], w->x[1], w->length[1] - less);
    wait_for_places(w->places, w->devices);
}

static void right(struct work *w)
{
    sums(w, 0, 0);
    sums(w, 1, 0);
}

static void first(struct work *w)
{
    right(w);
    sums(w, 0, 1);
}

static void second(struct work *w)
{
    right(w);
    sums(w, 1, 1);
}

static void missing(struct work *w)
{
    sums(w, 0, 0);
}

static void damaged(struct work *w)
{
    right(w);
    set<<<1, 1>>>((element *)w->x[1], 12, 0);
    wait_for_places(w->places, w->devices);
}

static const struct variant variants[] = {
    {"right", "", right},
    {"first", "the sum of device 0", first},
    {"second", "the sum of device 1", second},
    {"missing", "the sum of device 1", missing},
    {"damaged", "the input was written to", damaged},
};

static const struct launches launches[] = {
    {TESTED, {"-n 1000 --devices 2 --input ones"}},
    {0},
};

STEP("compared-spreadsum", spreadsum_family, variants, launches);
