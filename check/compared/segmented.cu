/*
 * Segmented scans that are wrong in one place: what the comparison of whole arrays must see, on a GPU by
 * its kernel as on the CPU device by the host's loop.
 */
#include "families/segmented/segmented.h"

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

static __global__ void add(element *y, size_t i, element more)
{
    y[i] += more;
}

static __global__ void set(element *y, size_t i, unsigned bits)
{
    *(unsigned *)&y[i] = bits;
}

static __global__ void swap(element *x, size_t i, size_t k)
{
    element old = x[i];

    x[i] = x[k];
    x[k] = old;
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

static void first(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->y, 0, 1000000);
}

static void middle(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->y, w->n / 2, 1000000);
}

static void last(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->y, w->n - 1, 1000000);
}

static void missing(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->y, w->n - 1, (element)0.5 != 0 ? 0xffffffff : 0xa5a5a5a5); /* poison */
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->y, w->n, 0);
}

static void damaged(struct work *w)
{
    right(w);
    swap<<<1, 1>>>((element *)w->x, 5, 7);
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

/* The sum of its span stays what it is, so only the input tells. */
static void swapped_first(struct work *w)
{
    swap<<<1, 1>>>((element *)w->x, 5, 7);
    right(w);
}

/* What it found in its first run. */
static void kept(struct work *w)
{
    static element *own;

    if (!own) {
        cudaMalloc(&own, w->n * sizeof(*own));
        right(w);
        cudaMemcpy(own, w->y, w->n * sizeof(*own), cudaMemcpyDeviceToDevice);
    }
    cudaMemcpyAsync(w->y, own, w->n * sizeof(*own), cudaMemcpyDeviceToDevice, 0);
}

static void second_run(struct work *w)
{
    static int runs;

    right(w);
    if (runs++ == 1)
        add<<<1, 1>>>(w->y, 9, 1000000);
}

static double depth(const struct shape *s)
{
    return (double)s->n;
}

static const struct variant variants[] = {
    {"right", "", right, 0, depth},
    {"first", "first y[0]", first, 0, depth},
    {"middle", "first y[150000]", middle, 0, depth},
    {"last", "first y[300000]", last, 0, depth},
    {"other-head", "elements, first y[150001]", other_head, 0, depth},
    {"other-head-of-span", "elements, first y[81920]", other_head_of_span, 0, depth},
    {"missing", "first y[300000]", missing, 0, depth},
    {"behind", "1 elements behind the result", behind, 0, depth},
    {"second-run", "wrong in 1 of 3 runs; 1 elements, first y[9]", second_run, 0, depth},
    {"kept", "wrong in 1 of 3 runs; 300001 elements, first y[0]", kept, 0, depth},
    {"damaged", "wrong in", damaged, 0, depth},
    {"damaged-flags", "wrong in", damaged_flags, 0, depth},
    {"damaged-bits", "the input was written to", damaged_bits, 0, depth},
    {"swapped-first", "wrong in", swapped_first, 0, depth},
};

STEP("compared-segmented", segmented_family, variants);
