/*
 * Vector additions that are wrong in one place: what the comparison of whole arrays must see, on a GPU
 * by its kernel as on the CPU device by the host's loop.
 */
#include "families/elementwise/elementwise.h"

static __global__ void add_all(element *c, const element *a, const element *b, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}

static __global__ void set(element *c, size_t i, unsigned bits)
{
    *(unsigned *)&c[i] = bits;
}

static __global__ void flip(element *c, size_t i)
{
    *(unsigned *)&c[i] ^= 1;
}

/* Each sum in the next one's place. */
static __global__ void add_shifted(element *c, const element *a, const element *b, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[(i + 1) % n] = a[i] + b[i];
}

static __global__ void copy_all(element *c, const element *a, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + a[i];
}

static unsigned blocks_of(const struct work *w)
{
    return (unsigned)((w->n + 255) / 256);
}

static void right(struct work *w)
{
    add_all<<<blocks_of(w), 256>>>(w->c, w->a, w->b, w->n);
}

/* One bit of the result. */
static void first(struct work *w)
{
    right(w);
    flip<<<1, 1>>>(w->c, 0);
}

static void middle(struct work *w)
{
    right(w);
    flip<<<1, 1>>>(w->c, w->n / 2);
}

static void last(struct work *w)
{
    right(w);
    flip<<<1, 1>>>(w->c, w->n - 1);
}

static void missing(struct work *w)
{
    add_all<<<blocks_of(w), 256>>>(w->c, w->a, w->b, w->n - 1);
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->c, w->n, 0);
}

static void shifted(struct work *w)
{
    add_shifted<<<blocks_of(w), 256>>>(w->c, w->a, w->b, w->n);
}

static void one_input(struct work *w)
{
    copy_all<<<blocks_of(w), 256>>>(w->c, w->a, w->n);
}

/* What it found in its first run. */
static void kept(struct work *w)
{
    static element *own;

    if (!own) {
        cudaMalloc(&own, w->n * sizeof(*own));
        right(w);
        cudaMemcpy(own, w->c, w->n * sizeof(*own), cudaMemcpyDeviceToDevice);
    }
    cudaMemcpyAsync(w->c, own, w->n * sizeof(*own), cudaMemcpyDeviceToDevice, 0);
}

static void second_run(struct work *w)
{
    static int runs;

    right(w);
    if (runs++ == 1)
        flip<<<1, 1>>>(w->c, 9);
}

static void damaged(struct work *w)
{
    flip<<<1, 1>>>((element *)w->a, 7);
    right(w);
}

static void damaged_second(struct work *w)
{
    flip<<<1, 1>>>((element *)w->b, 7);
    right(w);
}

static const struct variant variants[] = {
    {"right", "", right},
    {"first", "1 elements, first c[0]", first},
    {"middle", "1 elements, first c[150000]", middle},
    {"last", "1 elements, first c[300000]", last},
    {"missing", "1 elements, first c[300000] not written", missing},
    {"behind", "1 elements behind the result", behind},
    {"shifted", "first c[0]", shifted},
    {"one-input", "first c[0]", one_input},
    {"second-run", "wrong in 1 of 3 runs", second_run},
    {"kept", "wrong in 1 of 3 runs; 300001 elements, first c[0]", kept},
    {"damaged", "the input was written to", damaged},
    {"damaged-second", "the input was written to", damaged_second},
};

static const struct launches launches[] = {
    {TESTED, {"-n 300001"}},
    {0},
};

STEP("compared-elementwise", elementwise_family, variants, launches);
