/*
 * The command line, the same for every step.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdint.h>
#include "harness.h"
#include "input.h"

/* Options that only some families take; a family without one refuses it by name. */
enum family_option {
    OPTION_INPUT = 1 << 0,         /* --input, --seed */
    OPTION_BLOCKS = 1 << 1,        /* --blocks: the grid is free */
    OPTION_OFFSET = 1 << 2,        /* --offset: where the input starts is free */
    OPTION_OVERSUBSCRIBE = 1 << 3, /* --oversubscribe: its blocks wait for one another */
    OPTION_SWEEPS_BLOCKS = 1 << 4, /* --sweep walks the grid, at one size */
};

#define MOST_VARIANTS 64 /* of one step */

/* What a step hands to the harness. */
struct program {
    const char *step;
    const struct family *family;
    const struct variant *variants;
    size_t count;    /* of variants, at most MOST_VARIANTS */
    enum type type;  /* the element type that the variants were compiled for */
    bool other_type; /* the program holds both types */
};

enum counters { COUNTERS_OFF, COUNTERS_LAUNCHES, COUNTERS_LINES };

struct options {
    size_t n, rows, cols;     /* rows and cols 0 where the family has no matrix */
    int sweep_from, sweep_to; /* powers of two; -1 without a sweep */
    int blocks, threads;      /* 0: the default */
    int runs, warmup;
    uint64_t chosen; /* bit i: variant i was named with -v; 0: all of them run */
    enum input input;
    uint64_t seed;
    int offset; /* elements that the input starts after an aligned address */
    bool cold, peers, quiet, list, check, oversubscribe;
    enum type type;
    const char *log; /* NULL: none */
    enum counters counters;
    const char *schedule; /* NULL: the device's natural order */
    int trace_line;       /* 0: none */
};

/* What options_parse returns beside BAD_USAGE. */
enum parsed { PARSED, ANSWERED /* --help or --version was printed */ };

/*
 * Parse argv (which getopt may reorder) into *options, defaults filled in. The type is the one
 * asked for and may differ from the program's. Returns enum parsed, or BAD_USAGE after one line on
 * stderr.
 */
int options_parse(struct options *options, int argc, char **argv, const struct program *program);

/* The keys of options that have no short form. */
enum option_key {
    KEY_INPUT = 256,
    KEY_SEED,
    KEY_OFFSET,
    KEY_TYPE,
    KEY_COLD,
    KEY_OVERSUBSCRIBE,
    KEY_PEERS,
    KEY_COUNTERS,
    KEY_CHECK,
    KEY_SCHEDULE,
    KEY_TRACE,
    KEY_LIST,
    KEY_VERSION,
};

enum option_need { NEEDS_NOTHING, NEEDS_CPU_DEVICE, NEEDS_PEERS };

/* One line of the table of options; help.c prints it and options.c hands it to getopt. */
struct option_spec {
    int key;           /* the short option's letter, or enum option_key */
    const char *name;  /* long, without dashes */
    const char *value; /* "N"; NULL: takes none; "[X]": optional */
    const char *help;  /* may hold one line break */
    unsigned family;   /* enum family_option that the family must have, or 0 */
    enum option_need need;
};

extern const struct option_spec option_specs[];
extern const size_t option_specs_count;

/* Print the help page, or the variants with their summaries, on stdout. */
void help_print(const struct program *program);
void help_list(const struct program *program);

#endif
