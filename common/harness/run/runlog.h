/*
 * The run log: CSV with one header row and one row per measurement. docs/structure.md describes the
 * columns. They are known by name: a family's axes have columns of their own, and a log that lacks
 * some of a row's columns, because it is older or another family's, is extended by them.
 */
#ifndef RUNLOG_H
#define RUNLOG_H

#include "harness/kit/device.h"
#include "harness/run/measurement.h"

/*
 * Find out whether rows can be appended to the file, without leaving a new one behind. 0, or
 * BAD_USAGE after one line: it cannot be written, or holds something that is no run log.
 */
int runlog_check(const char *path);

/*
 * Append the row, and before the first one the header, in one write under a lock, so that several
 * programs may append to one file and an interrupted one leaves whole rows. A file that lacks
 * columns is replaced by one that has them at the end, empty in the older rows; whoever reads
 * meanwhile sees the one or the other. 0, or BAD_USAGE after one line; the file is then as it was.
 */
int runlog_append(const char *path, const struct measurement *, const struct device *);

#endif
