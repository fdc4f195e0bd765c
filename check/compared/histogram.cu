/*
 * Histograms that are wrong in one bin: what the comparison of the counts must see, on a GPU as on the
 * CPU device.
 */
#include "families/histogram/histogram.h"

static __global__ void count_all(unsigned long long *counts, const element *x, size_t n,
                                 struct bins bins)
{
    for (unsigned b = 0; b <= bins.count; b++)
        counts[b] = 0;
    for (size_t i = 0; i < n; i++)
        counts[bin_of(x[i], &bins)]++;
}

static __global__ void add(unsigned long long *counts, size_t bin, unsigned long long more)
{
    counts[bin] += more;
}

static __global__ void set(unsigned long long *counts, size_t bin, unsigned long long count)
{
    counts[bin] = count;
}

static __global__ void damage(element *x, size_t i)
{
    ((unsigned char *)&x[i])[0] ^= 1;
}

static void right(struct work *w)
{
    count_all<<<1, 1>>>(w->counts, w->x, w->n, w->bins);
}

static void first(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->counts, 0, 1);
}

static void last(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->counts, w->bins.count - 1, 1);
}

/* What belongs to no bin is counted, too. */
static void no_bin(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->counts, w->bins.count, 1);
}

/* Above the 32 bits that a counter may have had. */
static void high_bits(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->counts, 5, 1ull << 32);
}

static void moved(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->counts, 5, 1);
    add<<<1, 1>>>(w->counts, 7, -1ull);
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->counts, w->bins.count + 1, 0);
}

static void second_run(struct work *w)
{
    static int runs;

    right(w);
    if (runs++ == 1)
        add<<<1, 1>>>(w->counts, 9, 1);
}

static void damaged(struct work *w)
{
    right(w);
    damage<<<1, 1>>>((element *)w->x, 7);
}

static const struct variant variants[] = {
    {"right", "", right},
    {"first", "bin 0", first},
    {"last", "bin 255", last},
    {"no-bin", "what has no bin", no_bin},
    {"high-bits", "bin 5", high_bits},
    {"moved", "bin 5 and 1 more", moved},
    {"behind", "1 elements behind the counts", behind},
    {"second-run", "wrong in 1 of 3 runs; bin 9", second_run},
    {"damaged", "the input was written to", damaged},
};

static const struct launches launches[] = {
    {TESTED, {"-n 20011"}},
    {0},
};

STEP("compared-histogram", histogram_family, variants, launches);
