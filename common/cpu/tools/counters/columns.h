/* The counters as one table: a counter is one row. See columns.c. */
#ifndef CPU_TOOLS_COLUMNS_H
#define CPU_TOOLS_COLUMNS_H

#include "cpu/tools/counters/counters.h"
#include "cpu_device.h"

enum unit {
    UNIT_REQUESTS, /* of warps */
    UNIT_SECTORS,
    UNIT_LINES,
    UNIT_WAVEFRONTS,
    UNIT_CONFLICTS, /* wavefronts above the fewest */
    UNIT_LANES,
    UNIT_WARPS,
    UNIT_ACCESSES,     /* of threads */
    UNIT_OPERATIONS,   /* of threads; only kernels of x86-64 count them: see cpu/assemble */
    UNIT_INSTRUCTIONS, /* of threads, and of warps where the name says so */
    UNIT_WAITS,        /* enum cpu_wait_kind */
    UNIT_PASSES,
    UNIT_BYTES,
    UNIT_BLOCKS,
    UNIT_YES /* 0 or 1 */
};

enum table {
    TABLE_NONE,
    TABLE_GLOBAL,
    TABLE_SHARED,
    TABLE_ATOMICS,
    TABLE_OPERATIONS,
    TABLE_TENSOR,
    TABLE_BULK,
    TABLE_CLUSTERS,
    TABLE_SPAN
};

/* A column of the CSV or of a printed table, a number of struct cpu_device_launch, or several of
 * these. */
struct column {
    const char *name; /* in the CSV; NULL: it is not there */
    enum unit unit;
    size_t at;  /* of an uint64_t in struct counts */
    size_t per; /* the same, which divides it; 0: nothing does */
    struct {
        enum table table;
        int width; /* characters */
        const char *title;
    } print;
    size_t launch; /* in struct cpu_device_launch; 0: it is not there */
    enum cpu_number_of of;
};
extern const struct column columns[];
extern const size_t column_count;

static inline uint64_t column_number(const struct counts *c, size_t at)
{
    return *(const uint64_t *)((const char *)c + at);
}

#endif
