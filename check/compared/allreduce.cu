/*
 * All-reduces that are wrong in one place, on one device of two: what the comparison of whole arrays must see.
 */
#include "families/allreduce/allreduce.h"
#include "places.h"

/* Device 0 computes all sums, and stores them to every output. */
static __global__ void sums(element *out, const element *a, const element *b, size_t n, size_t skip)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && i != skip)
        out[i] = a[i] + b[i];
}

static __global__ void set(element *out, size_t i, unsigned bits)
{
    *(unsigned *)&out[i] = bits;
}

static __global__ void add(element *out, size_t i, element more)
{
    out[i] += more;
}

static void most(struct work *w, int device, size_t skip)
{
    wait_for_places(w->places, w->devices);
    sums<<<(unsigned)((w->n + 255) / 256), 256>>>(w->out[device], w->in[0], w->in[1], w->n, skip);
    wait_for_places(w->places, w->devices);
}

static void right(struct work *w)
{
    most(w, 0, SIZE_MAX);
    most(w, 1, SIZE_MAX);
}

static void one_term(struct work *w)
{
    right(w);
    cudaMemcpyAsync(w->out[1], w->in[1], w->n * sizeof(element), cudaMemcpyDefault, 0);
    wait_for_places(w->places, w->devices);
}

static void first(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->out[0], 0, (element)1);
    wait_for_places(w->places, w->devices);
}

static void last(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->out[1], w->n - 1, (element)1);
    wait_for_places(w->places, w->devices);
}

static void missing(struct work *w)
{
    most(w, 0, SIZE_MAX);
    most(w, 1, 11);
}

static void lazy(struct work *w)
{
    most(w, 0, SIZE_MAX);
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->out[1], w->n + 1, 0);
    wait_for_places(w->places, w->devices);
}

static void damaged(struct work *w)
{
    right(w);
    set<<<1, 1>>>((element *)w->in[1], 12, 0);
    wait_for_places(w->places, w->devices);
}

/* The sums are those of the damaged input. */
static void damaged_before(struct work *w)
{
    wait_for_places(w->places, w->devices);
    set<<<1, 1>>>((element *)w->in[1], 12, 0);
    right(w);
}

static const struct variant variants[] = {
    {"right", "", right},
    {"one-term", "device 1: 1000 elements, first out[0]", one_term},
    {"first", "device 0: 1 elements, first out[0]", first},
    {"last", "device 1: 1 elements, first out[999]", last},
    {"missing", "device 1: 1 elements, first out[11] not written", missing},
    {"lazy", "device 1: 1000 elements, first out[0] not written", lazy},
    {"behind", "1 elements behind an output", behind},
    {"damaged", "the input was written to", damaged},
    {"damaged-before", "the input was written to", damaged_before},
};

static const struct launches launches[] = {
    {TESTED, {"-n 1000 --devices 2"}},
    {0},
};

STEP("compared-allreduce", allreduce_family, variants, launches);
