/*
 * Who follows a session: the table, unless a listener takes its place (a batch) or adds to it (an
 * estimate).
 */
#ifndef LISTENER_H
#define LISTENER_H

#include "harness/run/measurement.h"
#include "harness/run/plan.h"

struct session;

struct listener {
    void *context;
    /* What is called in place of the table on standard output; both NULL: the table. */
    void (*measured)(void *context, const struct measurement *);
    void (*refused)(void *context, const struct item *);
    /* The device that default grids are to fill, where no blocks wait for each other; NULL: the
     * current one, on which all is run. */
    const struct device *to_fill;
    /* From so many elements on only parts of a free grid are run, so few blocks that the current
     * device holds them all: grids of blocks that wait fill to_fill too. 0: never. */
    size_t parts_from;
    /* Whether other problems are measured in an item's place; then *largest is the maximum of each
     * member over them, all 0 if there are none. NULL: in no item's. */
    bool (*replaces)(void *context, const struct item *, struct shape *largest);
    /* Measure what is to be measured of an item that is not refused, by session_measure. 0, or
     * negative after one line. NULL: the item itself is measured and reported. */
    int (*run)(void *context, struct session *, const struct item *);
};

#endif
