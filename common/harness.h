/*
 * The harness: what every family of steps shares. It reads the command line, walks the sizes and
 * the variants, times each one, has its result verified, prints the table and appends the log.
 *
 * A family (reduce, scan, ...) describes its problem once, in a struct family. A step brings a
 * table of variants. Adding either needs no change here.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Element types. A step that has both is compiled once for each; see element.h. */
enum type { TYPE_F32, TYPE_I32 };

/* What a variant asks of its launch shape, tested before anything is allocated. */
enum rule {
    POWER_OF_TWO = 1 << 0,   /* threads a block is a power of two */
    WHOLE_WARPS = 1 << 1,    /* threads a block is a multiple of 32 */
    ONE_BLOCK = 1 << 2,      /* the problem fits one block: n <= 2 * threads */
    UNSYNCHRONISED = 1 << 3, /* wrong on purpose: reported as such, and no failure */
    DESTROYS_INPUT = 1 << 4, /* the harness restores the input before each run, untimed */
    GRID_BY_SIZE = 1 << 5,   /* the launch picks its grids from the size; shape.blocks is 0 */
    ON_HOST = 1 << 6,        /* a loop on the host: measured once, without a warm-up */
};

/* The problem's size and the launch shape, as the command line gave them or the defaults. */
struct shape {
    size_t n;          /* elements; rows * cols for a matrix */
    size_t rows, cols; /* 0 where the family has no matrix */
    int blocks;        /* grid size; 0: the variant chooses */
    int threads;       /* threads a block, 1 to 1024 */
    enum type type;
};

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
    /* The most blocks of so many threads that the device holds at once, for a variant whose blocks
     * wait for one another: larger grids are refused without --oversubscribe. NULL: any grid. */
    int (*resident)(int threads);
    /* Fill in the blocks and threads that are still 0; NULL: the family's default_shape. */
    void (*default_shape)(struct shape *);
    /* The arithmetic operations of one run, for the log; NULL: the family's. */
    double (*flops)(const struct shape *);
};

/* What verify found in the output of one run. */
struct result {
    bool verified;
    bool has_value; /* value and reference are set, be they NaN */
    double value, reference;
    double error, bound; /* NaN where there is none */
    char note[96];       /* one more thing to tell, e.g. where the first difference is */
    /* What happened because --oversubscribe asked for it, in a word, else NULL: it is told, and
     * neither logged nor a failure. */
    const char *shown;
};

struct options;

/*
 * A family's callbacks. Those that return int return 0, or a negative number after printing one
 * line on stderr (-2: bad usage, -3: the device or memory; see message.h and device.h).
 */
struct family {
    const char *name; /* "reduce" */
    bool matrix;      /* sizes may be ROWSxCOLS, and a sweep walks the sides */
    unsigned options; /* enum family_option of options.h: which extra options it takes */
    size_t default_n; /* a matrix: its side; 0: 2^20 elements on the CPU device, else 2^24 */
    const char *item; /* what n counts, for a column with the median time of one; mostly NULL */
    /* Fill in the blocks and threads that are 0. Leave blocks at 0 if the variants choose. */
    void (*default_shape)(struct shape *);
    /* True with one line in why if this shape cannot run, beyond the rules; may be NULL. */
    bool (*refuse)(const struct shape *, const struct variant *, char *why, size_t room);
    /* Allocate and fill once for all sizes; each member of largest is the run's maximum of it.
     * NULL after printing one line. */
    struct work *(*create)(const struct options *, const struct shape *largest);
    void (*destroy)(struct work *);
    /* Take this shape, before each variant; compute the reference if it is not that of the size. */
    int (*set)(struct work *, const struct shape *);
    /* Before each run, untimed: restore what variants destroy, poison the output. */
    int (*prepare)(struct work *, const struct variant *);
    /* After each run, untimed: compare the output of this run with the reference. */
    int (*verify)(struct work *, const struct variant *, struct result *);
    /* Useful bytes of one run: each input read once, each output written once. May be NULL. */
    double (*bytes)(const struct shape *);
    double (*flops)(const struct shape *); /* NULL where bytes are the measure */
    /* Print more lines on stdout after a variant's row (never when quiet); may be NULL. */
    void (*remark)(struct work *, const struct variant *);
};

/*
 * The whole program: parses, runs, prints, logs. Returns the exit status: 0 all verified, 1 a wrong
 * result or a finding of --check, 2 bad usage, 3 no device or a failed call.
 */
int harness_main(int argc, char **argv, const char *step, const struct family *family,
                 const struct variant *variants, size_t count, enum type compiled_type);

#ifdef __cplusplus
}
#endif
#endif
