/*
 * The tools of the CPU device behind --counters, --check, --schedule and --trace. For a GPU there
 * is tools_none.c, whose functions do nothing.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include "harness/run/measurement.h"
#include "harness/run/options.h"

/* Switch on what the options ask for, before the first launch; on a GPU too: as many devices.
 * BAD_USAGE after one line. */
int tools_start(const struct options *);

/* How many devices there are for something that wants so many: the CPU device has them then, unless
 * --gpus says how many. BAD_DEVICE after one line. */
int tools_devices(const struct options *, int wanted);

/* Before the launches of a variant of this name, which is not copied, and these rules: waits are
 * counted as steps of one worker. */
void tools_variant(const struct options *, const char *name, unsigned rules);

/* What is done from here on, for "run", "verify", or the "copy" that is the ceiling. */
void tools_phase(const char *phase);

/* Print the counters gathered since the last call, unless quiet; with --log LOG.csv append them to
 * LOG-counters.csv, with n the number of elements. BAD_USAGE after one line if that cannot be
 * written. */
int tools_report(const struct options *, const char *step, const char *variant, size_t n);

/* Since the last run began something went wrong: what, and where as far as it is known. */
void tools_wrong(const struct result *, const char *text);

/* What a variant computed was right, or not. With --explore it may not return: a copy of the
 * process has found out what comes of one execution. */
void tools_verified(bool right);

/* How many mistakes --check has found so far, and launches of which --explore has found a wrong
 * execution. */
unsigned long tools_findings(void);

/* Write what is open. 0, or BAD_USAGE after one line. */
int tools_stop(void);

#endif
