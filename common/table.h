/*
 * The table on standard output: one row a measurement.
 */
#ifndef TABLE_H
#define TABLE_H

#include "device.h"
#include "plan.h"
#include "stats.h"

struct table {
    const struct family *family;
    int name_width, size_width, grid_width;
};

/* One finished measurement, as printed. */
struct line {
    const struct stats *us;
    double bytes, flops;  /* of a run; NaN where that is no measure */
    double copy_gb_per_s; /* NaN where unknown */
    const struct result *result;
    const char *status;
};

/* Print what was asked for, the device and the head, fitted to the plan's rows. */
void table_start(struct table *, const struct plan *, const struct options *,
                 const struct program *, const struct device *);

/* A line between sizes. */
void table_gap(const struct table *);

void table_copy(const struct table *, const struct shape *, const struct stats *us,
                double gb_per_s);
void table_refused(const struct table *, const struct item *);
void table_row(const struct table *, const struct item *, const struct line *);

#endif
