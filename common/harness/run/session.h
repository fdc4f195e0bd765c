/*
 * One command line worked off: the plan's items timed, verified, reported and logged.
 */
#ifndef SESSION_H
#define SESSION_H

#include "harness/run/listener.h"
#include "harness/run/options.h"

/* What a session came to: nothing, or a wrong result or a finding of --check that is no lesson. */
enum outcome { OUTCOME_GOOD, OUTCOME_WRONG };

/*
 * Open the device, and wait for a line of standard input: --wait. Returns 0, or BAD_DEVICE, or
 * BAD_USAGE where none comes, after one line.
 */
int session_wait(void);

/*
 * Run it all; everything taken is given back. listener NULL: print the table and append the log.
 * Returns enum outcome, or BAD_USAGE or BAD_DEVICE after one line.
 */
int session_run(const struct program *program, const struct options *options,
                const struct listener *listener);

/* What a listener's run may call: */

/* Time and verify the item, none of whose dimensions is larger than the plan's largest. 0, or
 * negative after one line. */
int session_measure(struct session *, const struct item *, struct measurement *);

/* Report it as any other measurement: to the table or the listener, and in the log. The same. */
int session_report(struct session *, const struct measurement *);

#endif
