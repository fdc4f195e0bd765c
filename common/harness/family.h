/*
 * The contract between the harness and everything that it runs. A family (reduce, scan, ...)
 * describes its problem once, in a struct family: its axes, its buffers' work, its verdict, and the
 * launches by which it is shown, recorded and tested. A step brings a table of variants. The
 * harness runs any of them and names none; adding one changes nothing here.
 */
#ifndef FAMILY_H
#define FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What a callback returns after it printed one line; the exit status is its negative. */
#define BAD_USAGE (-2)
#define BAD_DEVICE (-3)

/* An element type: its name for --type and the log, and its size. */
struct type {
    const char *name;
    size_t bytes;
};

#define MAX_AXES 6
#define MAX_PARAMETERS 4

/* One dimension of the problem. */
struct axis {
    const char *name;   /* its column in the run log: "n", "rows", "bins" */
    const char *option; /* its own long option; NULL: it is a part of --size */
    const char *help;   /* one line for --help; of --size, that of the first axis */
    const char *words;  /* in a chart's title: "mean length of a segment"; NULL: its name */
    const char *unit;   /* its unit there: "elements"; NULL: it counts what the words say */
    size_t least, most; /* accepted; 0 and 0: 0 to 2^40 */
    size_t cpu, cuda;   /* the default on the CPU device, on a GPU */
    const char *test;   /* values that the test matrix combines: "0 1 2 31" */
    const char *large;  /* and those that it meets with a few launch shapes; may be NULL */
};

/* An option of the family's own that is no dimension: a text that the family reads itself. */
struct parameter {
    const char *option; /* long, without dashes: "range"; its column in the log, too */
    const char *value;  /* in --help: "LOW:HIGH" */
    const char *help;   /* may hold one line break */
};

struct device;

/* The problem's size and the launch shape, as the command line gave them or the defaults. */
struct shape {
    size_t axis[MAX_AXES]; /* in the order of the family's axes */
    size_t n;              /* elements: the product of the axes that --size gives */
    int blocks;            /* grid size; 0: the variant chooses */
    int threads;           /* threads per block, 1 to 1024 */
    const struct type *type;
    const struct device
        *device; /* that a default grid is to fill (kit/device.h); NULL: the current one */
};

/* What a variant asks of its launch shape, tested before anything is allocated, and what it is. */
enum rule {
    POWER_OF_TWO = 1 << 0,           /* threads per block is a power of two */
    WHOLE_WARPS = 1 << 1,            /* threads per block is a multiple of 32 */
    AT_LEAST_TWO_THREADS = 1 << 2,   /* at least two threads per block */
    ONE_BLOCK = 1 << 3,              /* the problem fits one block: n <= 2 * threads */
    ONE_ELEMENT_PER_THREAD = 1 << 4, /* with ONE_BLOCK: n <= threads */
    GRID_BY_SIZE = 1 << 5,     /* the launch picks its grids from the size; shape.blocks is 0 */
    UNSYNCHRONISED = 1 << 6,   /* wrong on purpose: reported as such, and no failure */
    DESTROYS_INPUT = 1 << 7,   /* the kit restores the input before each run, untimed */
    IN_PLACE = 1 << 8,         /* input and output are the same memory */
    ON_HOST = 1 << 9,          /* a loop on the host: measured once, without a warm-up */
    CEILING = 1 << 10,         /* no step of the ladder, but a rate to compare with */
    WAITS = 1 << 11,           /* its blocks wait for one another */
    UNORDERED = 1 << 12,       /* the order of its float additions changes from run to run */
    ROUNDED = 1 << 13,         /* rounds even where all sums of floats would be exact */
    THREADS_BY_SIZE = 1 << 14, /* the threads follow from the size: default_shape has them */
    WHOLE_QUADS = 1 << 15,     /* four at once: --size and --offset give multiples of 4 */
    FROM_IDLE = 1 << 16,       /* timed on an idle device, as the host makes its launches */
    BY_RANKS = 1 << 17,        /* of several devices: runs with a process per device, too */
    NOT_LINEAR = 1 << 18,      /* its counters follow the data: a small problem's tell nothing */
    /* From here on a family's own, which only its callbacks know. */
    FAMILY_RULE = 1 << 19,
};

/* What a row of the log stands for. */
enum role { ROLE_STEP, ROLE_PEER, ROLE_CEILING, ROLE_HOST };

/* What a launch function gets. Each family's header completes it with its own members. */
struct work;

struct variant {
    const char *name;              /* as -v takes it */
    const char *summary;           /* one line, for --list */
    void (*launch)(struct work *); /* only launches: no allocation, no synchronising */
    unsigned rules;                /* enum rule, or'ed */
    /* The longest chain of additions that any input element passes through, for the error bound;
     * NULL: the family's default for its shape. */
    double (*depth)(const struct shape *);
    /* The most blocks of so many threads that the device holds at once, for a variant that needs
     * all of its blocks at once: larger grids are refused without --oversubscribe. NULL: any. */
    int (*resident)(int threads);
    /* Fill in the blocks and threads that are still 0; NULL: the family's default_shape. */
    void (*default_shape)(struct shape *);
    /* The arithmetic operations of one run, for the log; NULL: the family's. */
    double (*flops)(const struct shape *);
    int threads; /* the only threads per block that it takes; 0: any that its rules let through */
    const struct type *type; /* the only element type that it takes; NULL: all of the step's */
    /* Useful bytes of one run; NULL: the family's. */
    double (*bytes)(const struct shape *);
    /* The values of the family's last axis that it takes, in rising order: "8 16". A default that
     * is not among them gives way to the nearest below, else above. NULL: all. */
    const char *only;
    /* True with one line in why if the device cannot hold at once what a launch needs; NULL: any
     * can. */
    bool (*refuse)(const struct shape *, char *why, size_t room);
};

/* A library's variant, for one element type. It may allocate scratch memory at its first launch
 * for a size, which is a warm-up run, and keeps it. A table of them ends with type NULL. */
struct peer {
    const struct type *type;
    struct variant variant;
};

/* What became of a run. The last two are what --oversubscribe is there to show: they are reported,
 * and neither logged nor a failure. */
enum verdict {
    VERDICT_OK,
    VERDICT_WRONG,
    VERDICT_UNSYNCHRONISED, /* of a variant that is wrong on purpose; the harness sets it */
    VERDICT_DEADLOCK,
    VERDICT_REFUSED,
};

/* What verify found in the output of one run. */
struct result {
    enum verdict verdict;
    bool has_value; /* value and reference are set, be they NaN */
    double value, reference;
    double error, bound; /* NaN where there is none */
    char note[96];       /* one more thing to report, e.g. where the first difference is */
    /* Of a wrong one the first wrong element, where it lies on the device; NULL: none is known. */
    const void *wrong;
    size_t wrong_bytes;
};

struct device_stream;

/* What the command line says of the input, and where the arrays are to be, for create. */
struct setting {
    const struct type *type;
    const char *input; /* one of the family's inputs; NULL where it has none */
    uint64_t seed;
    const char *parameters[MAX_PARAMETERS]; /* in the order of the family's; NULL: not given */
    int offset; /* elements that the input starts after an aligned address */
    bool oversubscribe;
    bool briefly; /* what is repeated goes around as rarely as shows all: --explore */
    /* Where the family works: as many places as its largest run needs, each on a device of its own:
     * one in that one's default stream, several in a stream of each. They outlive the arrays. Only
     * for create. */
    const struct device_stream *places;
};

/* Options that only some families take; a family without one refuses it by name. */
enum family_option {
    OPTION_INPUT = 1 << 0,         /* --input, --seed */
    OPTION_BLOCKS = 1 << 1,        /* --blocks: the grid is free */
    OPTION_OFFSET = 1 << 2,        /* --offset: where the input starts is free */
    OPTION_OVERSUBSCRIBE = 1 << 3, /* --oversubscribe: its blocks wait for one another */
    OPTION_SWEEPS_BLOCKS = 1 << 4, /* --sweep walks the grid, at one size */
    OPTION_TIMELINE = 1 << 5,      /* --timeline: its launches say what they queue */
};

/* What a family's ladders and charts compare. */
enum measure { MEASURE_BYTES, MEASURE_FLOPS, MEASURE_ITEM };

/* What scripts run lines of options for, and on which devices: both, unless one is named. */
enum use {
    LADDER = 1 << 0,    /* the main run of the series; */
    SWEEP = 1 << 1,     /* beside it; */
    QUICK = 1 << 2,     /* in place of both */
    RECORD = 1 << 3,    /* the committed record: a GPU's runs, the CPU device's counters */
    COUNTED = 1 << 4,   /* compared with a profiler's counters */
    SANITIZED = 1 << 5, /* under compute-sanitizer */
    MUTATED = 1 << 6,   /* what exposes a mutant */
    CHECKED = 1 << 7,   /* small, under --check, which must find nothing */
    TESTED = 1 << 8,    /* in the test matrix, beside the combinations of the axes' values */
    /* Where ideas pay that a large array hides; each line has a chart of its own. A variant that
     * has a grid of its own takes that, and not the line's. */
    LESSON = 1 << 9,
    CPU_ONLY = 1 << 10,
    GPU_ONLY = 1 << 11,
};

#define MAX_LINES 32

/*
 * Lines of options, "-n 2^20 -b 4", by which scripts run steps. A family's lines name no variant:
 * each is for all variants that take it, of steps that are there and of those that are to come.
 * Lines for some variants of a step (-v) stand in the step's own table. A table ends with uses 0.
 */
struct launches {
    unsigned uses;                /* enum use, or'ed */
    const char *lines[MAX_LINES]; /* NULL behind the last; "": the defaults */
};

/* What is done with a family's arrays, in the order in which it is done. Those that return int
 * return 0, or BAD_USAGE or BAD_DEVICE after printing one line on stderr (see
 * harness/kit/message.h). */
struct family_work {
    /* Allocate and fill once for all sizes; each member of largest is the run's maximum of it.
     * NULL after printing one line. */
    struct work *(*create)(const struct setting *, const struct shape *largest);
    /* Take this shape, before each variant; compute the reference if it is not that of the size. */
    int (*set)(struct work *, const struct shape *);
    /* Before each run, untimed: restore what variants destroy, poison the output. */
    int (*prepare)(struct work *, const struct variant *);
    /* After each run, untimed: compare the output of this run with the reference. */
    int (*verify)(struct work *, const struct variant *, struct result *);
    /* After verify, of the runs that the harness chooses because it would disturb the next one's
     * time: look whether the input is intact, and make the result wrong if it is not. May be NULL.
     */
    int (*settle)(struct work *, const struct variant *, struct result *);
    void (*destroy)(struct work *);
};

/* A number of the machine file (harness/kit/machine.h), taken from a row of the log: what the
 * column says, or 1 over it, times the factor, and times or over the device's multiprocessors. */
struct machine_row {
    const char *number; /* its name in the file */
    const char *what;   /* in words: "a launch alone, between two events" */
    const char *variant;
    const char *where;  /* what other columns hold: "n=2^20 threads=256 type=f32" */
    const char *column; /* "us_per_item", "gb_per_s" or "gflop_per_s" */
    double factor;
    bool inverse;
    int multiprocessors; /* 1: times; -1: over */
};

/* What --estimate must know of a family, to go from the counters of small problems to those of a
 * large one. */
struct family_estimate {
    const char
        *impossible; /* why no problem is estimated: "its addresses depend on the data"; or NULL */
    /* Of a product of matrices, whose first three axes are rows, columns and depth: along each a
     * length that is whole tiles of all variants. All 0: of another problem. */
    size_t product_tile[3];
};

/* A family's description. */
struct family {
    const char *name;  /* "reduce" */
    const char *title; /* "Reduction", for charts */
    const char *group; /* what steps/run calls it together with others; NULL: its own name */
    const struct axis *axes;
    size_t axis_count;
    const struct parameter
        *parameters;           /* at most MAX_PARAMETERS, option NULL at the end; or NULL */
    unsigned options;          /* enum family_option */
    const char *const *inputs; /* what --input takes, NULL at the end; the first is the default */
    const char *item;    /* what n counts, for a column with the median time of one; or NULL */
    const char *element; /* what n counts where it is no element of an array; or NULL */
    enum measure measure;
    const char *charts; /* kinds, as "ladder rate work" */
    struct {
        const char *threads, *blocks, *offsets; /* "" where it has none */
    } test;                                     /* values that the test matrix combines */
    const struct launches *launches;            /* for all its steps */
    const struct machine_row *numbers; /* that it measures, number NULL at the end; or NULL */
    size_t most_on_host; /* elements that a variant on the host may be given; 0: any number */
    /* The largest product of the axes that --size gives, a power of two; 0: 2^40, the most elements
     * of an array, for families in which that product counts them. */
    size_t most;
    const struct family_estimate *estimate; /* NULL: counters are linear in the size */
    /* Look at the parameters before anything is allocated; may set axes that follow from them, of
     * which sized says whether --size was given. 0, or BAD_USAGE after one line. May be NULL. */
    int (*accept)(const struct setting *, size_t axis[MAX_AXES], bool sized);
    /* On how many devices a run of this shape works; more than there are are refused. The launch
     * function queues the work of all of them, and the time is that of the last to end. NULL: one,
     * which is the current one, so that no launch has to say so. */
    int (*devices)(const struct shape *);
    /* How often a run calls the launch function; its time is that of all. NULL: once. */
    int (*repeats)(const struct setting *);
    /* How often a run on a GPU does that, if its time is to be that of one call, the mean of all:
     * where a single one is too short to be timed. NULL: once. */
    int (*calls)(const struct shape *);
    /* Fill in the blocks and threads that are 0. Leave blocks at 0 if the variants choose. */
    void (*default_shape)(struct shape *);
    /* True with one line in why if this shape cannot run, beyond the rules; may be NULL. */
    bool (*refuse)(const struct shape *, const struct variant *, char *why, size_t room);
    struct family_work work;
    /* Useful bytes of one run: each input read once, each output written once. May be NULL. */
    double (*bytes)(const struct shape *);
    double (*flops)(const struct shape *); /* NULL where bytes are the measure */
    /* Whether a library's variant is to stand beside this one of a step's. A peer is left out of a
     * step that has no such variant. NULL: it stands beside each. */
    bool (*beside)(const struct variant *, const struct variant *library);
    /* Print more lines on stdout after a variant's row (never when quiet); may be NULL. */
    void (*remark)(struct work *, const struct variant *);
};

/* A step, compiled for one element type. See STEP in harness/kit/element.h. */
struct step {
    const char *name;
    const struct family *family;
    const struct type *type;
    const struct variant *variants;
    size_t count;
    const struct launches *launches; /* beside its family's; may be NULL */
};

/*
 * The whole program: parses, runs, prints, logs. The steps are the same step for each type that it
 * was compiled for, the default first and NULL at the end. So are the tables of peers, of which a
 * family has one, or one per type, each with a type NULL at its end; peers is NULL where there are
 * none.
 * Returns the exit status: 0 all verified, 1 a wrong result or a finding of --check, 2 bad usage,
 * 3 no device or a failed call.
 */
int harness_main(int argc, char **argv, const struct step *const *steps,
                 const struct peer *const *peers);

#ifdef __cplusplus
}
#endif
#endif
