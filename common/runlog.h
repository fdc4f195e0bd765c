/*
 * The run log: CSV with one header row and one row a measurement. docs/ describes the columns.
 */
#ifndef RUNLOG_H
#define RUNLOG_H

#include <time.h>
#include "harness.h"
#include "stats.h"

/* What a row says. Strings may be "", numbers NaN and sizes 0 where unknown: the field is empty. */
struct record {
    time_t when;
    const char *commit, *backend, *device, *driver, *cuda, *step, *variant;
    struct shape shape;
    int runs;
    bool cold;
    struct stats us;
    double bytes, flops; /* of one run */
    double copy_gb_per_s;
    struct result result;
    const char *status; /* "ok", "wrong" or "unsynchronised" */
};

/*
 * Find out whether rows can be appended to the file, without leaving a new one behind. 0, or
 * BAD_USAGE after one line: it cannot be written, or holds something that is no run log.
 */
int runlog_check(const char *path);

/*
 * Append the row, and before the first one the header, in one write under a lock, so that several
 * programs may append to one file and an interrupted one leaves whole rows. 0, or BAD_USAGE after
 * one line; the file is then as it was.
 */
int runlog_append(const char *path, const struct record *record);

#endif
