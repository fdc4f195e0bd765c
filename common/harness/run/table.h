/*
 * The table on standard output: one row per measurement.
 */
#ifndef TABLE_H
#define TABLE_H

#include "harness/kit/device.h"
#include "harness/run/measurement.h"
#include "harness/run/plan.h"

struct table {
    const struct family *family;
    bool bytes, flops; /* whether it has a column for the rate of these */
    int name_width, size_width, grid_width;
};

/* Print what was asked for, the device and the head, fitted to the plan's rows. */
void table_start(struct table *, const struct plan *, const struct options *,
                 const struct program *, const struct device *);

/* A line between sizes. */
void table_gap(const struct table *);

void table_copy(const struct table *, const struct shape *, const struct stats *us,
                double gb_per_s);
void table_refused(const struct table *, const struct item *);
void table_row(const struct table *, const struct measurement *);

#endif
