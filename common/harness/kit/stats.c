#include "harness/kit/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double p)
{
    double position = p * (double)(count - 1);
    size_t below = (size_t)position;
    size_t above = below + 1 < count ? below + 1 : below;

    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

struct stats stats_of(double *values, size_t count)
{
    if (count == 0)
        return (struct stats){NAN, NAN, NAN, NAN, NAN};
    qsort(values, count, sizeof(*values), compare);
    return (struct stats){
        .min = values[0],
        .q1 = quantile(values, count, 0.25),
        .median = quantile(values, count, 0.5),
        .q3 = quantile(values, count, 0.75),
        .max = values[count - 1],
    };
}

void stats_scale(struct stats *s, double factor)
{
    s->min *= factor;
    s->q1 *= factor;
    s->median *= factor;
    s->q3 *= factor;
    s->max *= factor;
}
