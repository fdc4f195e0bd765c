/*
 * Scans of a spread array that are wrong in one place, on one device of two: what the comparison must see.
 */
#include "families/spreadscan/spreadscan.h"
#include "places.h"

struct two {
    const element *x[2];
    element *y[2];
    size_t n, chunk;
};

/* Where element i of the whole array is on its device. */
static __device__ size_t place_of(const struct two &t, size_t i)
{
    return i / t.chunk / 2 * t.chunk + i % t.chunk;
}

/* One thread scans all. */
static __global__ void scan(struct two t)
{
    element sum = 0;

    for (size_t i = 0; i < t.n; i++) {
        sum += t.x[i / t.chunk % 2][place_of(t, i)];
        t.y[i / t.chunk % 2][place_of(t, i)] = sum;
    }
}

static __global__ void add(element *out, size_t i, element more)
{
    out[i] += more;
}

static __global__ void set(element *out, size_t i, unsigned bits)
{
    *(unsigned *)&out[i] = bits;
}

static void right(struct work *w)
{
    struct two t = {{w->x[0], w->x[1]}, {w->y[0], w->y[1]}, w->n, w->chunk};

    wait_for_places(w->places, w->devices);
    scan<<<1, 1>>>(t);
    wait_for_places(w->places, w->devices);
}

static void first(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->y[0], 0, (element)1);
    wait_for_places(w->places, w->devices);
}

static void last(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->y[1], w->length[1] - 1, (element)1);
    wait_for_places(w->places, w->devices);
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->y[1], w->length[1] + 1, 0);
    wait_for_places(w->places, w->devices);
}

static void damaged(struct work *w)
{
    right(w);
    set<<<1, 1>>>((element *)w->x[1], 12, 0);
    wait_for_places(w->places, w->devices);
}

static double chain(const struct shape *s)
{
    return (double)s->n;
}

static const struct variant variants[] = {
    {"right", "", right, 0, chain},
    {"right-cyclic", "", right, CYCLIC, chain},
    {"first", "1 elements, first y[0]", first, 0, chain},
    {"last", "1 elements, first y[999]", last, 0, chain},
    {"last-cyclic", "1 elements, first y[", last, CYCLIC, chain},
    {"behind", "1 elements behind a part of the result", behind, 0, chain},
    {"damaged", "the input was written to", damaged, 0, chain},
};

static const struct launches launches[] = {
    {TESTED, {"-n 1000 --devices 2"}},
    {0},
};

STEP("compared-spreadscan", spreadscan_family, variants, launches);
