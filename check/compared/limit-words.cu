/*
 * Words that are written wrong in one place: what limit-words' comparison must see, on a GPU by its
 * kernel as on the CPU device by the host's loop; and a sum that is.
 */
#include "families/limits/limits.h"

static __global__ void write(unsigned *y, size_t n)
{
    size_t i = thread_of_grid();

    if (i < n)
        y[i] = word_at(i);
}

static __global__ void write_apart(unsigned *y, size_t sectors)
{
    size_t i = thread_of_grid();

    if (i < sectors)
        y[i * SECTOR_WORDS] = word_at(i * SECTOR_WORDS);
}

static __global__ void set(unsigned *y, size_t i, unsigned value)
{
    y[i] = value;
}

/* A sum of all words in thread 0, and more where there is more to add. */
static __global__ void sum(unsigned *y, const unsigned *x, size_t n, unsigned threads,
                           unsigned more)
{
    unsigned all = more;

    for (size_t i = 0; i < n; i++)
        all += x[i];
    for (unsigned t = 0; t < threads; t++)
        y[t] = t == 0 ? all : 0;
}

static void right(struct work *w)
{
    write<<<(unsigned)(w->n / w->threads + 1), w->threads>>>((unsigned *)w->y, w->n);
}

static void first(struct work *w)
{
    right(w);
    set<<<1, 1>>>((unsigned *)w->y, 0, 3);
}

static void last(struct work *w)
{
    right(w);
    set<<<1, 1>>>((unsigned *)w->y, w->n - 1, 3);
}

static void missing(struct work *w)
{
    right(w);
    set<<<1, 1>>>((unsigned *)w->y, 7011, 0xa5a5a5a5u);
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>((unsigned *)w->y, w->n + 1, 0);
}

static void sectors(struct work *w)
{
    size_t count = w->n / SECTOR_WORDS;

    write_apart<<<(unsigned)(count / w->threads + 1), w->threads>>>((unsigned *)w->y, count);
}

static void neighbour(struct work *w)
{
    sectors(w);
    set<<<1, 1>>>((unsigned *)w->y, 8 * 500 + 3, word_at(8 * 500 + 3));
}

static void sums(struct work *w)
{
    sum<<<1, 1>>>((unsigned *)w->y, w->x, w->n, (unsigned)(w->blocks * w->threads), 0);
}

static void sum_more(struct work *w)
{
    sum<<<1, 1>>>((unsigned *)w->y, w->x, w->n, (unsigned)(w->blocks * w->threads), 1);
}

static void damage(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->x, 5, 0);
}

static const struct variant variants[] = {
    {"right", "", right},
    {"first", "first y[0]", first},
    {"last", "first y[20010]", last},
    {"missing", "1 of 20011 outputs, first y[7011]", missing},
    {"behind", "1 elements behind the output", behind},
    {"sectors", "", sectors, SECTORS},
    {"neighbour", "1 of 20011 outputs, first y[4003]", neighbour, SECTORS},
    {"sums", "", sums, READS},
    {"sum-more", "error 1", sum_more, READS},
    {"damaged", "the input was written to", damage},
};

static const struct launches launches[] = {
    {TESTED, {"-n 20011"}},
    {0},
};

STEP("compared-limit-words", limit_words_family, variants, launches);
