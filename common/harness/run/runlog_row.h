/*
 * A row of the run log: its fields by name, and as a line in the order of a header.
 */
#ifndef RUNLOG_ROW_H
#define RUNLOG_ROW_H

#include <stdbool.h>
#include <time.h>

#include "harness/kit/device.h"
#include "harness/run/measurement.h"

#define MAX_FIELDS 48
#define ROW_TEXT 8192 /* room for a header or a row */

/* The fields of a measurement. Unknown ones are "". */
struct row {
    struct field {
        const char *name;
        char text[256];
    } fields[MAX_FIELDS];
    int count;
};

/* The names of a family's fields, all of them "". */
void row_names(struct row *row, const struct family *);

void row_fill(struct row *row, const struct measurement *, const struct device *, time_t when);

/* The header of a new log, of any family, without a line end. */
void row_header(char text[ROW_TEXT]);

/* The first of the row's fields for which the header has no column; NULL: it has all. */
const char *row_missing(const struct row *row, const char *header);

/* The row in the order of the header, with its line end; a column that it has not stays empty. */
void row_line(char text[ROW_TEXT], const struct row *row, const char *header);

/* Whether the line, without its end, is the header of a run log. */
bool row_is_header(const char *line);

#endif
