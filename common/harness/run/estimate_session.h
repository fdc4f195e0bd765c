/*
 * --estimate: a session whose listener counts smaller problems in the place of large ones, and says
 * how long a GPU would take.
 */
#ifndef ESTIMATE_SESSION_H
#define ESTIMATE_SESSION_H

#include "harness/run/session.h"

/*
 * session_run with an estimate for each measurement, unless quiet or in a batch; with --log LOG.csv
 * it is appended to LOG-estimates.csv. A listener of the caller's (NULL: none) has only measured
 * and refused. It gets the smaller problems that are counted, too.
 */
int estimate_session(const struct program *, const struct options *, const struct listener *);

#endif
