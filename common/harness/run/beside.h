/*
 * The CSV files beside a run log: LOG-KIND.csv for what --counters and --trace tell.
 */
#ifndef BESIDE_H
#define BESIDE_H

/* Find out whether rows can be appended to the file beside the log, without leaving a new one behind. 0,
 * or BAD_USAGE after one line: it cannot be written, or does not begin with this header, of one line
 * without its end. */
int beside_check(const char *log, const char *kind, const char *header);

/* Append whole rows in one write under a lock; the header stands above the first ones alone, also where
 * the rows begin with it. A row that was cut, as by a full disk, is ended before. 0, or BAD_USAGE
 * after one line; the file is then as it was. */
int beside_append(const char *log, const char *kind, const char *header, const char *rows);

#endif
