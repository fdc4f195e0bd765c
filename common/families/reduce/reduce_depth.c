/*
 * How long the chains of additions are that the reduce steps form.
 */
#include "families/reduce/reduce.h"
#include "harness/kit/number.h"

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
