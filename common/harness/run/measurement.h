/*
 * One finished measurement: what the timer fills in, and what the table, the log and a batch say of
 * it.
 */
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include "harness/family.h"
#include "harness/kit/stats.h"

struct measurement {
    const struct program *program;
    const struct variant *variant;
    const struct setting *setting;
    struct shape shape;
    enum role role;
    int runs;
    bool cold;
    struct stats us;        /* microseconds of a run */
    double bytes, flops;    /* of a run; NaN where that is no measure */
    double copy_gb_per_s;   /* of a copy of as many bytes at the same size; NaN where unknown */
    struct result result;   /* the first wrong one of the runs, else that of the largest error */
    unsigned long findings; /* of --check */
};

/* The useful bytes and the operations of a run, which calls the launch function as often as the
 * setting says; NaN where that is no measure. */
double measurement_bytes(const struct family *, const struct variant *, const struct setting *,
                         const struct shape *);
double measurement_flops(const struct family *, const struct variant *, const struct setting *,
                         const struct shape *);

/* What a row of the variant stands for; peer: it is a library's. */
enum role role_of(const struct variant *variant, bool peer);

/* "step", "peer", "ceiling" or "host". */
const char *role_name(enum role role);

/* "ok", "wrong", "unsynchronised", "deadlock" or "refused". */
const char *verdict_name(enum verdict verdict);

/* x in units of 1e9 per second, for so many microseconds; NaN where that says nothing. */
double rate(double x, double us);

#define SIZE_TEXT 64

/* The problem's size as a person would say it: "2^20", "8192 x 8192", "2^20, bins 256". */
char *size_text(char text[SIZE_TEXT], const struct family *family, const struct shape *shape);

/* The same for a message: "n = 1048576", "8192 x 8192". */
char *shape_text(char text[SIZE_TEXT], const struct family *family, const struct shape *shape);

#endif
