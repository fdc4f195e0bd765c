/*
 * One command line worked off: the plan's items timed, verified, told and logged.
 */
#ifndef SESSION_H
#define SESSION_H

#include "harness/run/measurement.h"
#include "harness/run/options.h"
#include "harness/run/plan.h"

/* Who is told, in place of the table on standard output. */
struct listener {
    void (*measured)(void *context, const struct measurement *);
    void (*refused)(void *context, const struct item *);
    void *context;
};

/* What a session came to: nothing, or a wrong result or a finding of --check that is no lesson. */
enum outcome { OUTCOME_GOOD, OUTCOME_WRONG };

/*
 * Run it all; everything taken is given back. listener NULL: print the table and append the log.
 * Returns enum outcome, or BAD_USAGE or BAD_DEVICE after one line.
 */
int session_run(const struct program *program, const struct options *options,
                const struct listener *listener);

#endif
