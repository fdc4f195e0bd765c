/*
 * What the CPU device offers beyond CUDA: counters, checks and the order of execution. All of it
 * is set while no kernel runs, and holds until it is set again.
 */
#ifndef CPU_DEVICE_H
#define CPU_DEVICE_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cpu_tool {
    CPU_COUNTERS = 1 << 0, /* what each launch did */
    CPU_LINES = 1 << 1,    /* the same by source line; implies CPU_COUNTERS */
    CPU_CHECK = 1 << 2,    /* memory, race, init and sync errors, reported on stderr */
    CPU_TRACE = 1 << 3,    /* one warp's access at a chosen source line */
    CPU_EXPLORE = 1 << 4,  /* every execution of each launch; not with another tool */
    CPU_RECORD = 1 << 5,   /* what each warp did, step after step; with CPU_CHECK or alone */
};

/*
 * Which tools run: enum cpu_tool or'ed; 0 for none. Returns 0, or -1 with nothing changed when one
 * of them needs source lines (CPU_LINES, CPU_TRACE, CPU_RECORD) and the device was built without
 * libdw. A finding of before that is made again is then said, and counted, again.
 */
int cpu_device_set_tools(unsigned tools);

/*
 * The order in which threads, warps and blocks run: NULL or "" for the natural order, or
 * "random:SEED". Returns 0, or -1 for a spec that is none of these.
 */
int cpu_device_set_schedule(const char *spec);

/*
 * How many devices there are, 1 to CPU_DEVICE_MOST; 0: as many as CPU_DEVICE_DEVICES in the
 * environment says, else 1. Returns 0, or -1 with nothing changed for another number.
 */
enum { CPU_DEVICE_MOST = 16 };
int cpu_device_set_devices(int count);

/*
 * The last bytes of the allocation that begins there are a guard, which no kernel may touch: for
 * the checks it ends before them.
 */
void cpu_device_set_guard(void *allocation, size_t bytes);

/*
 * Whether every run takes the same steps, so that what blocks do while they wait for each other is
 * counted the same each time: one worker, and a clock that moves by its being read. Slower.
 */
void cpu_device_set_steady(int steady);

/*
 * How many blocks of each launch run, evenly from its grid; 0: all. What the launches compute is
 * void then, and the counters are those of these blocks, times as many as there are. A
 * cooperative launch always has all. Then of how many launches some blocks were left out, and how
 * many there were.
 */
void cpu_device_set_sample(unsigned long blocks);
unsigned long cpu_device_sampled(unsigned long *launches);

/* After how many seconds of one launch a line on standard error says how far it is; 0: never. */
void cpu_device_set_progress(unsigned seconds);

/*
 * What CPU_EXPLORE does: "" every execution of each launch, for a minute; "seconds:N" for so long;
 * "races": races are no finding; "replay:STEPS": the one execution that an exploration told. 0, or
 * -1 for a text that is none of these. Then of how many launches so far an execution is wrong, and
 * how many were not explored to their end.
 */
int cpu_device_set_explore(const char *spec);
unsigned long cpu_device_explored(unsigned long *unfinished);

/* The program has verified what it computed. In the copy of the process that goes on with one
 * execution of a launch this does not return. */
void cpu_device_explore_verdict(int right);

/* The source line whose first warp access CPU_TRACE prints, as CSV, to out. */
void cpu_device_set_trace(int line, FILE *out);

/*
 * CPU_RECORD records launches of up to 4 blocks of 128 threads. A larger one ends the program with
 * a line and status 2, before any of it is done; with part on, the first 4 blocks of it and their
 * first 128 threads are recorded. The label, which is not copied, is the next launches' in the
 * file; what is launched during a pause is not recorded. record_wrong, during a pause: what was
 * launched since the one before has left a wrong element there, NULL where none is known; the file
 * then names the step that wrote it last, and the text, which is copied. The last two: write the
 * file whole or not at all, 0, or -1 with errno; and whether there were more steps than are kept.
 */
void cpu_device_set_record_part(int part);
void cpu_device_record_label(const char *text);
void cpu_device_record_pause(int pause);
void cpu_device_record_wrong(const void *at, size_t bytes, const char *text);
int cpu_device_record_write(const char *path);
int cpu_device_record_cut(void);

/*
 * A table of what nvcc made of the kernels, which common/commands/cudacpu/sass.py writes: the
 * counters then count as that code would. It takes the place of one before; NULL: none. Returns
 * 0, or -1 with errno and nothing changed.
 */
int cpu_device_set_nvcc(const char *path);

/*
 * What the launches from here on are for: one word, which the counters' CSV has in its column
 * phase. The text is not copied. "" at first.
 */
void cpu_device_set_phase(const char *phase);

/*
 * Whether CPU_CHECK runs small launches in further orders, each in a copy of the process; 0 at
 * first. Then how many launches there were, of which so many, the result, ran in `orders` orders.
 */
void cpu_device_set_orders(int more);
unsigned long cpu_device_orders(unsigned long *launches, int *orders);

/*
 * Print what the counters gathered since the last report, as a table to out (NULL: none) and as
 * rows to csv (NULL: none), then start again from zero. Every row begins with the text first, which
 * is the caller's own columns, each with its comma.
 */
void cpu_device_report(FILE *out, FILE *csv, const char *first);

/* Before it: the source lines gathered since the last report, as rows of a file of their own.
 * accesses are those of threads, requests those of warps. */
void cpu_device_report_lines(FILE *csv, const char *first);
extern const char cpu_device_lines_header[]; /* behind the caller's own columns */

/* Before the same: what passed between devices, a row for each link and way, and two for each
 * device's port, which name only one end. None if nothing did. */
void cpu_device_report_links(FILE *csv, const char *first);
extern const char cpu_device_links_header[];

/* What a warp waits for: the kinds of links in the longest chain of a block, its span. */
enum cpu_wait_kind {
    CPU_WAIT_GLOBAL, /* loads of global memory that are in flight together: once */
    CPU_WAIT_CACHE,  /* the same, all of it in the multiprocessor's cache */
    CPU_WAIT_SHARED, /* the same of shared memory; an atomic there */
    CPU_WAIT_WARP,   /* a warp operation: a shuffle, a vote, __syncwarp */
    CPU_WAIT_BARRIER,
    CPU_WAIT_ATOMIC, /* in global memory, whose answer is needed */
    CPU_WAIT_FENCE,
    CPU_WAIT_KINDS
};

/* The units of a quarter of a multiprocessor that take more than a cycle for an instruction of a
 * warp: which has them, common/commands/cudacpu/sass.py tells. */
enum cpu_unit {
    CPU_UNIT_ALU,
    CPU_UNIT_MULTIPLY, /* of integers */
    CPU_UNIT_DOUBLE,
    CPU_UNIT_SPECIAL, /* functions, and conversions */
    CPU_UNIT_EVEN,    /* reads of even registers, */
    CPU_UNIT_ODD,     /* and of odd ones */
    CPU_UNITS
};

/*
 * Equal launches since the last report, as numbers: *l of the i-th, counted from 0. Returns 0, or
 * -1 where there are no more. docs/reading-counters.md tells what they count. The texts stay until
 * the next report.
 */
struct cpu_device_launch {
    const char *kernel, *phase;
    /* What could be less: none of the numbers below. Of global memory the requests, and the fewest
     * sectors that could hold what these load, store and add to; of shared memory the wavefronts
     * above the fewest. Of the blocks those that ran; and 1, if threads polled a word. Of a thread
     * its registers, where nvcc's code is known, else 0. */
    double requests, ideal_loads, ideal_stores, conflicts, ran, polled, registers;
    double launches, blocks, threads; /* threads of a block */
    double longest[CPU_WAIT_KINDS];   /* the longest span of a block */
    double span[CPU_WAIT_KINDS];      /* of a block, on average */
    double tail[CPU_WAIT_KINDS];      /* what of that comes behind its last load, the same */
    double warp_instructions, tail_instructions; /* tail: behind the last load of each warp */
    /* Of all warps, where nvcc's code is known, else 0: the cycles that a warp's instructions take
     * one after the other; those that each unit is busy with them; their waits for local memory;
     * and the cycles that L1 is busy with that. */
    double issue_cycles, unit_cycles[CPU_UNITS], local_waits, local_cycles;
    double operations;                  /* of single precision */
    double barriers;                    /* of each warp */
    double load_sectors, store_sectors; /* of the requests; atomics are stores */
    double cache_sectors, missed; /* of loads, that L1 has; lines of loads that L1 lacks, in part */
    /* How often DRAM has to open a line for loads, if no cache behind L1 had anything: once for
     * those that blocks read at about the same time, else for each sector. whole: of how many lines
     * all sectors come together then. */
    double opened, whole;
    double quarters, wavefronts; /* of cycles, of L1 for these requests; of shared memory */
    double constants; /* reads of constant memory, of warps whose lanes read different places */
    double sectors_read, sectors_written, sectors_touched, partial_stores;
    double partial_lines; /* of 128 bytes, of these stores, summed over the requests */
    /* Of the sectors that L1 lacks for a block alone those that other blocks of its multiprocessor
     * can be expected to have brought there. */
    double common_sectors;
    double added_sectors, answered_sectors; /* of atomics in parts, without and with an answer */
    double hot_lanes, hot_sectors, hot_passes, hot_integers;
    double shared_bytes; /* of a block */
};
int cpu_device_launch(size_t i, struct cpu_device_launch *l);

/* The numbers of struct cpu_device_launch, one after the other: how many there are; the i-th,
 * counted from 0; and what it is a sum over. */
#define CPU_DEVICE_NUMBERS                                                                         \
    ((sizeof(struct cpu_device_launch) - offsetof(struct cpu_device_launch, launches)) /           \
     sizeof(double))
double *cpu_device_number(struct cpu_device_launch *l, size_t i);
enum cpu_number_of {
    CPU_OF_LAUNCH,
    CPU_OF_LONGEST_BLOCK,
    CPU_OF_AVERAGE_BLOCK,
};
enum cpu_number_of cpu_device_number_of(size_t i);

/* The header row of the CSV, without a line end and the caller's columns; it stays. */
const char *cpu_device_csv_header(void);

/*
 * Sidecars of a run log: LOG-KIND.csv, kind being "counters", "trace" or "estimates". Both return
 * NULL, or one line that says what is wrong, kept until the next. The first finds out whether rows
 * can be appended, without leaving a new file behind: one that holds another header is refused. The
 * second appends whole rows in one write under a lock; the header, one line without its end, stands
 * above the first ones alone, also where the rows begin with it. A row that was cut before, as by a
 * full disk, is ended; a file that cannot take all of the rows is left as it was.
 */
const char *cpu_device_can_append(const char *log, const char *kind, const char *header);
const char *cpu_device_append(const char *log, const char *kind, const char *header,
                              const char *rows);

/* The trace's header, as it writes it above each access. */
extern const char cpu_device_trace_header[];

/* A line for each library that ran on the host since the last report, with its calls: no tool looks
 * at those. */
void cpu_device_report_libraries(FILE *out);

/* From now on a crash of the program outside of kernels is told on standard error, with its line
 * where that is known, and ends it with status 128 + the signal's number. */
void cpu_device_catch_crashes(void);

/* How many findings CPU_CHECK has had since the program began. */
unsigned long cpu_device_findings(void);

#ifdef __cplusplus
}
#endif
#endif
