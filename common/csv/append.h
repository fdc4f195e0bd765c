/*
 * A CSV file that several programs append to at once.
 */
#ifndef CSV_APPEND_H
#define CSV_APPEND_H

#include <stdbool.h>

#define CSV_HEADER 8192

struct csv {
    int file;
    bool regular;            /* no pipe, terminal or other device */
    bool created;            /* by csv_open */
    long long bytes;         /* that it had when it was locked; 0 if it is not regular */
    char header[CSV_HEADER]; /* its first line, without the line end; "" if there is none to read */
};

/* Open for appending, and lock until csv_close; a file that is not there is created. 0, or errno.
 */
int csv_open(struct csv *, const char *path);

/* Append whole rows in one write, behind a line end if the last row was cut, as by a full disk. 0,
 * or errno (ENOSPC for a write that was cut); the file is then as it was, else EIO. */
int csv_append(struct csv *, const char *rows);

/* Let it go; csv_discard also removes it if csv_open created it and nothing was appended. */
void csv_close(struct csv *);
void csv_discard(struct csv *, const char *path);

#endif
