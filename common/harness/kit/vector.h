/*
 * What families over one array of n elements have in common: the axis's defaults, and the launches
 * by which their steps are shown and recorded.
 */
#ifndef VECTOR_H
#define VECTOR_H

#include "harness/family.h"

/* Members of struct axis. */
#define VECTOR_AXIS .name = "n", .cpu = (size_t)1 << 20, .cuda = (size_t)1 << 24

/* Entries of a table of struct launches. */
#define VECTOR_LADDER                                                                              \
    {"ladder", "-n 2^20", "-n 2^28"},                                                              \
        {"sweep", "--sweep 10:20 -r 3 -w 1", "--sweep 10:30 -r 3 -w 1"},                           \
    {                                                                                              \
        "quick", "-n 2^14 -r 3"                                                                    \
    }

/* A GPU's record. The most runs are at the size of the ladder. */
#define VECTOR_RECORD                                                                              \
    "-n 2^28 -r 15\n"                                                                              \
    "-n 2^20 -r 13\n"                                                                              \
    "-n 2^24 -r 13\n"                                                                              \
    "-n 2^28 --cold -r 5\n"                                                                        \
    "-n 2^28 --type i32 -r 5\n"                                                                    \
    "--sweep 10:28 -r 3 -w 1\n"                                                                    \
    "-n 2^30 -r 3 -w 1"

#endif
