/*
 * The run log: CSV with one header row and one row per measurement. docs/structure.md describes the
 * columns, which are the same for all families. A log is never rewritten: rows go behind its end,
 * in the order of its own header.
 */
#ifndef RUNLOG_H
#define RUNLOG_H

#include "harness/kit/device.h"
#include "harness/run/measurement.h"

/*
 * Find out whether rows of the family can be appended to the file, without leaving a new one
 * behind. 0, or BAD_USAGE after one line: it cannot be written, holds something that is no run log,
 * or lacks a column.
 */
int runlog_check(const char *path, const struct family *);

/*
 * Append the row, and before the first one the header, in one write under a lock, so that several
 * programs may append to one file and an interrupted one leaves whole rows. 0, or BAD_USAGE after
 * one line; the file is then as it was.
 */
int runlog_append(const char *path, const struct measurement *, const struct device *);

#endif
