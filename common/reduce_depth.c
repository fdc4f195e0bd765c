/*
 * How long the chains of additions are that the reduce steps form.
 */
#include <stddef.h>

#include "reduce.h"

static double ceil_divide(double a, double b)
{
    double quotient = (double)(size_t)(a / b);

    return quotient * b < a ? quotient + 1 : quotient;
}

/* ceil(lg count): the levels of a tree */
static double levels(double count)
{
    double depth = 0;

    for (double reach = 1; reach < count; reach *= 2)
        depth++;
    return depth;
}

static double grid_threads(const struct shape *s)
{
    return (double)(s->blocks ? s->blocks : 1) * s->threads;
}

static double slice(const struct shape *s)
{
    return ceil_divide((double)s->n, grid_threads(s));
}

double reduce_depth_halving(const struct shape *s)
{
    return levels((double)s->n);
}

double reduce_depth_threads(const struct shape *s)
{
    return slice(s) + s->blocks + s->threads;
}

double reduce_depth_two_pass(const struct shape *s)
{
    return slice(s) + levels(s->threads) + ceil_divide(s->blocks, s->threads) + levels(s->threads);
}

double reduce_depth_wide(const struct shape *s)
{
    return reduce_depth_two_pass(s) + 15 + 6;
}

double reduce_depth_thread_atomic(const struct shape *s)
{
    return slice(s) + grid_threads(s);
}

double reduce_depth_block_atomic(const struct shape *s)
{
    return slice(s) + levels(s->threads) + s->blocks;
}
