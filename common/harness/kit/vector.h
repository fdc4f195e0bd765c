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
    {LADDER | CPU_ONLY, {"-n 2^20"}}, {LADDER | GPU_ONLY, {"-n 2^28"}},                            \
        {SWEEP | CPU_ONLY, {"--sweep 10:18 -r 3 -w 1"}},                                           \
        {SWEEP | GPU_ONLY, {"--sweep 10:28 -r 3 -w 1"}},                                           \
    {                                                                                              \
        QUICK,                                                                                     \
        {                                                                                          \
            "-n 2^14 -r 3"                                                                         \
        }                                                                                          \
    }

/* A GPU's record. The most runs are at the size of the ladder; after three that are not timed, what
 * L2 has is the same in each. */
#define VECTOR_RECORD                                                                              \
    {                                                                                              \
        RECORD | GPU_ONLY,                                                                         \
        {                                                                                          \
            "-n 2^28 -r 15", "-n 2^20 -r 13", "-n 2^24 -r 13", "-n 2^28 --cold -r 5",              \
                "-n 2^28 --type i32 -r 5", "--sweep 10:28 -r 9 -w 3", "-n 2^30 -r 3 -w 1"          \
        }                                                                                          \
    }

#endif
