/*
 * The command line, the same for every step.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "harness/family.h"

#define MAX_VARIANTS 64 /* of one step, and of its peers */

struct machine; /* harness/kit/machine.h */

/* What a program holds: one step, for each type that it was compiled for, and its peers. */
struct program {
    const char *step;
    const struct family *family;
    const struct step *const *steps; /* the default type first, NULL at the end */
    const struct peer *peers;        /* type NULL at the end; NULL: this build has none */
};

enum counters { COUNTERS_OFF, COUNTERS_LAUNCHES, COUNTERS_LINES };

/* What --sweep walks: all axes of --size together, the grid, or from 0 the axis of that place. */
enum sweep { SWEEP_BLOCKS = -2, SWEEP_SIZE = -1 };

struct options {
    size_t axis[MAX_AXES];
    bool given[MAX_AXES]; /* by an option of the axis's own; else it is the default */
    int sweep;            /* enum sweep, or the place of an axis */
    int sweep_from, sweep_to, sweep_step; /* powers of two, -1 without a sweep, and every which */
    int blocks, threads;                  /* 0: the default */
    int runs, warmup;
    bool runs_given;                 /* else runs is how many there are at most: see session.c */
    int budget;                      /* milliseconds of a variant's runs at a size; 0: not given */
    const char *names[MAX_VARIANTS]; /* as -v gave them */
    size_t name_count;
    const struct step *step; /* of the type asked for */
    uint64_t chosen;         /* bit i: variant i of the step is to run */
    uint64_t chosen_peers;   /* bit i: entry i of the program's peers is */
    struct setting setting;
    bool cold, peers, quiet, check, progress, done, wait, timeline;
    /* A line of a batch: that no variant can run is no bad usage, but each one's verdict. */
    bool in_batch;
    bool list, describe, attributes, help, version; /* what is printed in place of measuring */
    const char *log;                                /* NULL: none */
    const char *batch;                              /* NULL: none */
    const char *hand_over, *handed_over;            /* see harness/kit/handed.h; NULL: none */
    enum counters counters;
    bool estimate;
    const struct machine *machine; /* whose time is estimated; until the next line is parsed */
    const char *machine_file;      /* that it was read from */
    const char *schedule;          /* NULL: the device's natural order */
    const char *explore;           /* how; "": as it is; NULL: not */
    int trace_line;                /* 0: none */
    const char *record;            /* the file; NULL: none */
    bool record_part;
    int gpus; /* how many devices there are to be; 0: all */
};

/*
 * Parse argv (which getopt may reorder) into *options, defaults filled in. Returns 0, or BAD_USAGE
 * after one line on stderr. --help and --version end the parsing. The strings stay those of argv.
 */
int options_parse(struct options *options, int argc, char **argv, const struct program *program);

/* The axis whose values --size gives, counted from 0: -1 after the last. */
int options_size_axis(const struct family *family, int after);

/* The product of the axes of --size, SIZE_MAX where that overflows. */
size_t options_elements(const struct family *family, const size_t *axis);

/* The keys of options that have no short form. */
enum option_key {
    KEY_INPUT = 256,
    KEY_SEED,
    KEY_OFFSET,
    KEY_TYPE,
    KEY_BUDGET,
    KEY_COLD,
    KEY_OVERSUBSCRIBE,
    KEY_PEERS,
    KEY_COUNTERS,
    KEY_ESTIMATE,
    KEY_CHECK,
    KEY_EXPLORE,
    KEY_SCHEDULE,
    KEY_GPUS,
    KEY_TRACE,
    KEY_RECORD,
    KEY_RECORD_PART,
    KEY_BATCH,
    KEY_THEN, /* seen before a line is parsed; of --batch it is refused */
    KEY_HAND_OVER,
    KEY_HANDED_OVER,
    KEY_PROGRESS,
    KEY_DONE,
    KEY_WAIT,
    KEY_TIMELINE,
    KEY_LIST,
    KEY_DESCRIBE,
    KEY_ATTRIBUTES,
    KEY_VERSION,
    KEY_AXIS,                            /* and from here on one for each axis of the family, */
    KEY_PARAMETER = KEY_AXIS + MAX_AXES, /* and one for each of its parameters */
};

/* Of the series: what its scripts ask for; a step as one file has none of them (steps/export). */
enum option_need { NEEDS_NOTHING, NEEDS_CPU_DEVICE, NEEDS_PEERS, NEEDS_SERIES, NEEDS_GPU };

/* One line of the table of options (option_table.c); help.c prints it and options.c hands it to
 * getopt. */
struct option_spec {
    int key;           /* the short option's letter, or enum option_key */
    const char *name;  /* long, without dashes */
    const char *value; /* "N"; NULL: takes none; "[X]": optional */
    const char *help;  /* may hold one line break */
    unsigned family;   /* enum family_option that the family must have, or 0 */
    unsigned need;     /* enum option_need */
};

extern const struct option_spec option_specs[];
extern const size_t option_specs_count;

/* Whether a program of this family, in this build, takes the option. */
bool option_available(const struct option_spec *spec, const struct program *program);

/* Print the help page, the variants with their summaries, or the version, on stdout. */
void help_print(const struct program *program);
void help_list(const struct program *program);
void help_version(const struct program *program);

#endif
