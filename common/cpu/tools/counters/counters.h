/*
 * The counters: groups.c puts the accesses of a warp's lanes together, model.c says what each such
 * group costs, counters.c adds up, report.c prints.
 */
#ifndef CPU_TOOLS_COUNTERS_H
#define CPU_TOOLS_COUNTERS_H

#include "cpu/engine/observer.h"
#include "cpu/engine/operation_counts.h"
#include "cpu/tools/counters/groups.h"

extern const struct observer counters_observer;
void counters_free_block(struct block *b); /* what the counters have hung on it */

/* What is gathered while it observes: launches, source lines, the trace. While no kernel runs. */
void counters_gather(bool launches, bool lines, bool trace);

/*
 * What a launch did. Of the accesses of each kind: requests, of warps; units, what they cost:
 * sectors of global memory, wavefronts of shared memory, and of atomics the most lanes on one
 * address; ideal, the fewest units; and of atomics passes: sectors of global memory, wavefronts of
 * shared memory. All are summed over the requests. columns.c says what each is called.
 */
struct counts {
    uint64_t doubt; /* 1: nvcc's code may differ, and is not known */
    uint64_t requests[KINDS], units[KINDS], ideal[KINDS], passes[KINDS];
    uint64_t lanes;        /* active, summed over all requests */
    uint64_t same_address; /* most lanes of an atomic request on one address */
    uint64_t barriers;     /* block barriers, one per warp */
    uint64_t constants;    /* reads of constant memory that wait for others of their warp */
    uint64_t divergent_warps;
    uint64_t local;                                  /* accesses of threads to their stacks */
    uint64_t operations[OPERATION_GUESSED];          /* of single precision, of threads */
    uint64_t tensor;                                 /* instructions of warps on the tensor cores */
    uint64_t bulk_copies, bulk_bytes;                /* no other count has them */
    uint64_t remote[REMOTES], remote_units[REMOTES]; /* requests to other blocks of the cluster,
                                                        and wavefronts */
    uint64_t cluster_blocks, cluster_barriers;       /* barriers: one per warp */
    uint64_t instructions;      /* of threads: a rule's number, see cpu/assemble */
    uint64_t warp_instructions; /* as nvcc's code has them, or those of the longest lanes */
    /* see struct nvcc_work; 0: not known */
    uint64_t issue_cycles, unit_cycles[CPU_UNITS], local_waits, local_cycles;
    struct chain span;          /* the longest of a block */
    struct chain chains;        /* the longest of each block, summed over the blocks */
    uint64_t tail_instructions; /* of all warps, behind the last load of each */
    struct chain tails;         /* of these what comes behind the last load */
    struct footprint footprint;
    uint64_t cache_sectors, lines, missed, quarters, partial, partial_lines, added, answered;
    uint64_t shared;      /* see span.h */
    uint64_t differences; /* bits: see differences.c */
    uint64_t ran, polled; /* blocks, and whether threads waited for a word: 0 or 1 */
    struct {              /* sums of these */
        uint64_t global_requests, ideal_stores;
        uint64_t requests, atomics, bank_conflicts, operations, flops;
        uint64_t global_bytes;  /* of the sectors of loads and stores */
        uint64_t store_sectors; /* atomics are stores */
        uint64_t wavefronts, hot_passes;
    } total;
};

/* Equal launches of one report. */
struct launch_record {
    const char *name, *phase;
    struct cpu_dim grid, dim;
    uint64_t launches;
    unsigned registers;   /* of a thread, in nvcc's code; 0: not known */
    struct counts counts; /* of one launch */
};

/* All launches of one kernel, at one source line. Barriers have requests alone. */
struct line_record {
    const char *name, *file;
    int line;
    enum kind kind;
    uint64_t requests, units, ideal, lanes;
};

/* What has been gathered since the last report. */
struct gathered {
    struct launch_record *launch;
    size_t launches, launch_room;
    struct line_record *line;
    size_t lines, line_room;
};
extern struct gathered gathered;

#endif
