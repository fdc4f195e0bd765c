/*
 * Behind --timeline: a run more, of which each operation's begin and end are told.
 */
#ifndef SPANS_H
#define SPANS_H

#include "harness/run/measure.h"
#include "harness/run/measurement.h"

/* After the timed runs of a variant: run it twice more, and append rows about the second to
 * LOG-timeline.csv; without a log, print them. 0, or negative after one line. */
int spans_run(struct meter *, const struct measured *, const struct measurement *, const char *log);

#endif
