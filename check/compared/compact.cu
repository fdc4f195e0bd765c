/*
 * Compactions that are wrong in one place: what the comparison of whole arrays must see, on a GPU by
 * its kernel as on the CPU device by the host's loop.
 */
#include "families/compact/compact.h"

/* The compaction by one thread. */
static __global__ void compact_all(element *y, unsigned long long *count, const element *x,
                                   size_t n, element limit)
{
    unsigned long long kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (keeps(x[i], limit))
            y[kept++] = x[i];
    }
    *count = kept;
}

/* The same in the opposite order: not stable. */
static __global__ void compact_back(element *y, unsigned long long *count, const element *x,
                                    size_t n, element limit)
{
    unsigned long long kept = 0;

    for (size_t i = n; i > 0; i--) {
        if (keeps(x[i - 1], limit))
            y[kept++] = x[i - 1];
    }
    *count = kept;
}

static __global__ void set(element *y, const unsigned long long *count, long long at, unsigned bits)
{
    *(unsigned *)&y[(long long)*count + at] = bits;
}

static __global__ void add(unsigned long long *count, long long more)
{
    *count += more;
}

static __global__ void swap(element *x, size_t i, size_t k)
{
    element old = x[i];

    x[i] = x[k];
    x[k] = old;
}

/* The first element that is not kept and the next such one of another value. */
static __global__ void swap_dropped(element *x, size_t n, element limit)
{
    size_t first = 0;

    while (keeps(x[first], limit))
        first++;
    for (size_t i = first + 1; i < n; i++) {
        if (!keeps(x[i], limit) && x[i] != x[first]) {
            element old = x[i];

            x[i] = x[first];
            x[first] = old;
            return;
        }
    }
}

static void right(struct work *w)
{
    compact_all<<<1, 1>>>(w->y, w->count, w->x, w->n, limit_of(w));
}

static void turned(struct work *w)
{
    compact_back<<<1, 1>>>(w->y, w->count, w->x, w->n, limit_of(w));
}

/* Two neighbours. */
static void swapped(struct work *w)
{
    right(w);
    swap<<<1, 1>>>(w->y, 70000, 70001);
}

static void first(struct work *w)
{
    right(w);
    swap<<<1, 1>>>(w->y, 0, 140000);
}

static void last(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->y, w->count, -1, (element)0.5 != 0 ? 0xffffffff : 0xa5a5a5a5); /* poison */
}

static void one_more(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->y, w->count, 0, 0);
}

static void count_less(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->count, -1);
}

static void behind(struct work *w)
{
    right(w);
    cudaMemsetAsync(w->y + w->n, 0, sizeof(*w->y), 0);
}

static void nothing(struct work *w)
{
    (void)w;
}

/* What it found in its first run. */
static void second_run(struct work *w)
{
    static int runs;

    right(w);
    if (runs++ % 3 == 1)
        swap<<<1, 1>>>(w->y, 9, 10);
}

/* Two elements that are not kept: the result stays right for the input as it is now, which a GPU reads. */
static void damaged(struct work *w)
{
    right(w);
    swap_dropped<<<1, 1>>>((element *)w->x, w->n, limit_of(w));
}

static void damaged_flags(struct work *w)
{
    right(w);
    cudaMemsetAsync((void *)(w->flags + 300000), 2, 1, 0);
}

/* In place, what lies behind the count is x's. */
static void moved(struct work *w)
{
    right(w);
    swap<<<1, 1>>>(w->y, w->n - 2, w->n - 1);
}

static const struct variant variants[] = {
    {"right", "", right, 0},
    {"right-in-place", "", right, IN_PLACE},
    {"turned", "elements, first y[0]", turned, 0},
    {"swapped", "2 elements, first y[70000]", swapped, 0},
    {"first", "2 elements, first y[0]", first, 0},
    {"last", "1 elements, first y[1", last, 0},
    {"one-more", "1 elements, first y[1", one_more, 0},
    {"count-less", "the count is 1", count_less, 0},
    {"behind", "1 elements behind the result", behind, 0},
    {"nothing", "the count is 11936128518282651045", nothing, 0},
    {"moved", "2 elements, first y[299999]", moved, IN_PLACE},
    {"second-run", "wrong in 1 of 3 runs; 2 elements, first y[9]", second_run, 0},
    {"damaged", "the input was written to", damaged, 0},
    {"damaged-flags", "the input was written to", damaged_flags, 0},
};

static const struct launches launches[] = {
    {TESTED, {"-n 300001"}},
    {0},
};

STEP("compared-compact", compact_family, variants, launches);
