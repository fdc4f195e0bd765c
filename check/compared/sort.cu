/*
 * Sorts that are wrong in one place: what the comparison of whole arrays must see, on a GPU by its kernel
 * as on the CPU device by the host's loop.
 */
#include "families/sort/sort.h"

/* Each key to its place, which it finds by itself: n * n steps. */
static __global__ void sort_all(element *y, unsigned *y_values, const element *x,
                                const unsigned *values, size_t n, struct field f)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
        size_t place = 0;

        for (size_t k = 0; k < n; k++) {
            number own = field_of(x[i], f), other = field_of(x[k], f);

            place += other < own || (other == own && k < i);
        }
        y[place] = x[i];
        if (values)
            y_values[place] = values[i];
    }
}

static __global__ void swap(element *y, unsigned *y_values, size_t i, size_t k)
{
    element key = y[i];

    y[i] = y[k];
    y[k] = key;
    if (y_values) {
        unsigned value = y_values[i];

        y_values[i] = y_values[k];
        y_values[k] = value;
    }
}

/* The last key of the lowest ones in place of the first one that is greater. */
static __global__ void repeat(element *y, unsigned *y_values, size_t n, struct field f)
{
    for (size_t i = 1; i < n; i++) {
        if (field_of(y[i - 1], f) < field_of(y[i], f)) {
            y[i] = y[i - 1];
            if (y_values)
                y_values[i] = y_values[i - 1];
            return;
        }
    }
}

/* The values of the first two neighbours with the same field. */
static __global__ void swap_values(const element *y, unsigned *y_values, size_t n, struct field f)
{
    for (size_t i = 1; i < n; i++) {
        if (field_of(y[i - 1], f) == field_of(y[i], f)) {
            unsigned value = y_values[i];

            y_values[i] = y_values[i - 1];
            y_values[i - 1] = value;
            return;
        }
    }
}

static __global__ void add_to_value(unsigned *y_values, size_t i)
{
    y_values[i]++;
}

/* The lowest bit of a key that is greater than the one before, if it is lower then. */
static __global__ void turn_bit(element *y, size_t n, struct field f)
{
    for (size_t i = 1; i < n; i++) {
        element key = y[i];

        *(unsigned char *)&key ^= 1;
        if (field_of(y[i - 1], f) < field_of(y[i], f) && field_of(key, f) < field_of(y[i], f)) {
            y[i] = key;
            return;
        }
    }
}

static void right(struct work *w)
{
    sort_all<<<1, 256>>>(w->y, w->y_values, w->x, w->values, w->n, w->field);
}

static void swapped(struct work *w)
{
    right(w);
    swap<<<1, 1>>>(w->y, w->y_values, 7, 400);
}

/* All is in order. */
static void twice(struct work *w)
{
    right(w);
    repeat<<<1, 1>>>(w->y, w->y_values, w->n, w->field);
}

/* All is in order. */
static void one_bit(struct work *w)
{
    right(w);
    turn_bit<<<1, 1>>>(w->y, w->n, w->field);
}

static void unstable(struct work *w)
{
    right(w);
    swap_values<<<1, 1>>>(w->y, w->y_values, w->n, w->field);
}

static void wrong_value(struct work *w)
{
    right(w);
    add_to_value<<<1, 1>>>(w->y_values, 5);
}

static void behind(struct work *w)
{
    right(w);
    cudaMemsetAsync(w->y + w->n, 0, sizeof(*w->y), 0);
}

static void behind_values(struct work *w)
{
    right(w);
    cudaMemsetAsync(w->y_values + w->n, 0, sizeof(*w->y_values), 0);
}

static void nothing(struct work *w)
{
    (void)w;
}

static void second_run(struct work *w)
{
    static int runs;

    right(w);
    if (runs++ % 3 == 1)
        swap<<<1, 1>>>(w->y, w->y_values, 0, w->n - 1);
}

static void damaged(struct work *w)
{
    right(w);
    swap<<<1, 1>>>((element *)w->x, NULL, 0, 1);
}

#define ALONE NULL, NULL, NULL, NULL, 0, NULL, NULL, "0"
#define PAIRS NULL, NULL, NULL, NULL, 0, NULL, NULL, "4"

static const struct variant variants[] = {
    {"right", "", right, 0},
    {"swapped", "keys out of order, first y[8]", swapped, 0, ALONE},
    {"swapped-pairs", "out of order or altered, first y[8]", swapped, 0, PAIRS},
    {"twice", "not the keys of the input", twice, 0, ALONE},
    {"twice-pairs", "out of order or altered", twice, 0, PAIRS},
    {"one-bit", "not the keys of the input", one_bit, 0, ALONE},
    {"unstable", "1 pairs out of order or altered", unstable, 0, PAIRS},
    {"wrong-value", "out of order or altered, first y[5]", wrong_value, 0, PAIRS},
    {"behind", "behind", behind, 0},
    {"behind-values", "behind", behind_values, 0, PAIRS},
    {"nothing", "not", nothing, 0},
    {"second-run", "wrong in 1 of 3 runs", second_run, 0},
    {"damaged", "the input was written to", damaged, 0},
};

static const struct launches launches[] = {
    {TESTED, {"-n 501 --input few"}},
    {0},
};

STEP("compared-sort", sort_family, variants, launches);
