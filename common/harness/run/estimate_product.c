/*
 * The counters of a product of matrices, C = A B, by those of products of few tiles.
 *
 * With u, v and w tiles along the rows and columns of C and along k, each counter is
 *
 *     once + c u v + a u w + b v w + all u v w
 *
 * what is done once, for each element of C, of A and of B, and for each multiply-add. Five products
 * give the five; a sixth must have what they say. The longest chain of a block is not a sum over
 * blocks: it is a line along k, whatever C's size.
 */
#include "harness/run/estimate.h"

#include <math.h>
#include <string.h>

struct law {
    double once, c, a, b, all;
};

static double at(const struct law *law, const double tiles[3])
{
    double u = tiles[0], v = tiles[1], w = tiles[2];

    return law->once + law->c * u * v + law->a * u * w + law->b * v * w + law->all * u * v * w;
}

/* By the counters x of estimate_tiles: 111, 211, 121, 112, 212. */
static struct law law_of(const double x[COUNTED_PRODUCTS])
{
    double rows = x[1] - x[0], cols = x[2] - x[0], depth = x[3] - x[0];
    double mixed = x[4] - x[0] - rows - depth; /* a + all */
    struct law law = {.c = rows - mixed, .b = depth - mixed};

    law.all = cols - law.c - law.b;
    law.a = mixed - law.all;
    law.once = x[0] - law.c - law.a - law.b - law.all;
    return law;
}

/* A line along k, by 111 and 112. */
static struct law line_of(const double x[COUNTED_PRODUCTS])
{
    return (struct law){.once = 2 * x[0] - x[3], .all = x[3] - x[0]};
}

static bool is_longest(size_t number)
{
    return cpu_device_number_of(number) == CPU_OF_LONGEST_BLOCK;
}

/* Within two percent, as in estimate_extend, of each, and of what L1 has, or lacks, as a part of
 * the loads; a chain of few steps may be one off. */
static bool near(double predicted, struct cpu_device_launch *counted, size_t number)
{
    const double *x = cpu_device_number(counted, number);
    bool of_loads = x == &counted->cache_sectors || x == &counted->missed;

    return fabs(predicted - *x) <= fmax(0.02 * fabs(of_loads ? counted->load_sectors : *x), 1);
}

/* Into the last one, whose counters the others must say. */
static bool extend_launch(struct cpu_device_launch *l[COUNTED_PRODUCTS], const double tiles[3])
{
    struct cpu_device_launch *last = l[COUNTED_PRODUCTS - 1], counted = *last;
    double check[3];

    for (int i = 0; i < 3; i++)
        check[i] = estimate_tiles[COUNTED_PRODUCTS - 1][i];
    for (size_t i = 0; i < CPU_DEVICE_NUMBERS; i++) {
        double x[COUNTED_PRODUCTS];
        double alone[3] = {1, 1, tiles[2]}, check_alone[3] = {1, 1, check[2]};
        bool longest = is_longest(i);
        struct law law;

        if (estimate_is_share(last, i))
            continue;
        for (int k = 0; k < COUNTED_PRODUCTS; k++)
            x[k] = *cpu_device_number(l[k], i);
        law = longest ? line_of(x) : law_of(x);
        if (!near(at(&law, longest ? check_alone : check), &counted, i))
            return false;
        *cpu_device_number(last, i) = fmax(at(&law, longest ? alone : tiles), 0);
    }
    estimate_extend_shares(last, counted.load_sectors - counted.cache_sectors);
    return true;
}

/* Chains are summed over the blocks while they are extended. */
static void times_blocks(struct cpu_device_launch *l)
{
    for (int i = 0; i < CPU_WAIT_KINDS; i++)
        l->span[i] *= l->blocks;
}

/* Of so few tiles all may be loaded ahead, so that most of the work is behind the last load; of
 * many it is not. */
static void forget_tail(struct cpu_device_launch *l)
{
    l->tail_instructions = 0;
    memset(l->tail, 0, sizeof(l->tail));
}

const char *estimate_product(struct counted c[COUNTED_PRODUCTS], const struct shape *whole,
                             const struct family *family)
{
    struct counted *last = &c[COUNTED_PRODUCTS - 1];
    double tiles[3];

    for (int i = 0; i < 3; i++)
        tiles[i] = (double)whole->axis[i] / (double)family->estimate->product_tile[i];
    for (int k = 0; k < COUNTED_PRODUCTS; k++) {
        if (c[k].count != last->count)
            return "its launches are others at each size";
    }
    for (size_t i = 0; i < last->count; i++) {
        struct cpu_device_launch *l[COUNTED_PRODUCTS];

        for (int k = 0; k < COUNTED_PRODUCTS; k++) {
            l[k] = &c[k].launch[i];
            times_blocks(l[k]);
            if (strcmp(l[k]->kernel, last->launch[i].kernel) != 0)
                return "its launches are others at each size";
        }
        if (!extend_launch(l, tiles))
            return "its counters do not go on as its sides do";
        for (int k = 0; k < CPU_WAIT_KINDS; k++)
            last->launch[i].span[k] /= last->launch[i].blocks;
        forget_tail(&last->launch[i]);
    }
    last->n = (double)whole->n;
    return NULL;
}

const char *estimate_product_shape(struct counted *c, const struct shape *shape, unsigned how)
{
    double elements = (double)shape->axis[0] * (double)shape->axis[1];
    const struct cpu_device_launch *l = &c->launch[0];

    if (how & ESTIMATE_BOUND)
        return "its blocks wait for each other";
    c->together = elements / (l->blocks * l->threads);
    c->product = true;
    return NULL;
}
