/*
 * What is wrong in one place of a scan, of the whole array or of its segments: kernels, launches
 * and variants that compared/scan.cu and compared/segmented.cu have in common. The file has a
 * launch of its own, right.
 */
#ifndef PREFIX_FAULTS_H
#define PREFIX_FAULTS_H

static void right(struct work *w);

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

/* Entries of a table of variants, for 300001 elements. */
#define PREFIX_FAULTS                                                                              \
    {"right", "", right, 0, depth}, {"first", "first y[0]", first, 0, depth},                      \
        {"middle", "first y[150000]", middle, 0, depth},                                           \
        {"last", "first y[300000]", last, 0, depth},                                               \
        {"missing", "first y[300000]", missing, 0, depth},                                         \
        {"behind", "1 elements behind the result", behind, 0, depth},                              \
        {"second-run", "wrong in 1 of 3 runs; 1 elements, first y[9]", second_run, 0, depth},      \
        {"kept", "wrong in 1 of 3 runs; 300001 elements, first y[0]", kept, 0, depth},             \
        {"damaged", "wrong in", damaged, 0, depth},                                                \
    {                                                                                              \
        "swapped-first", "wrong in", swapped_first, 0, depth                                       \
    }

#endif
