/*
 * A machine file: what a GPU is and what its limits are, as the limits family measured them and
 * steps/run wrote them. docs/machine.md tells of its form.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "harness/family.h" /* BAD_USAGE */

#ifdef __cplusplus
extern "C" {
#endif

/* What is measured, each with its unit. */
enum machine_number {
    MACHINE_FIRST_OPERATION,      /* us: from event to event with one launch between them */
    MACHINE_NEXT_OPERATION,       /* us: each further launch in the queue */
    MACHINE_BLOCK_START,          /* ns: a block of 256 threads, on one multiprocessor */
    MACHINE_WIDE_START,           /* ns: a block of 1024 threads, the same */
    MACHINE_DRAM_READ,            /* GB/s */
    MACHINE_DRAM_WRITE,           /* GB/s */
    MACHINE_L2_READ,              /* GB/s */
    MACHINE_LINE_STORES,          /* stores/ns: of 4 bytes to as many lines of L2 */
    MACHINE_DRAM_LATENCY,         /* ns: of a load */
    MACHINE_L2_LATENCY,           /* ns */
    MACHINE_L1_LATENCY,           /* ns */
    MACHINE_SHARED_LATENCY,       /* ns */
    MACHINE_DEPENDENT_STEP,       /* ns: a multiply-add that needs the one before */
    MACHINE_BARRIER,              /* ns: of a block of 256 threads */
    MACHINE_ATOMIC_LATENCY,       /* ns: of an atomic addition whose answer is needed */
    MACHINE_FENCE,                /* ns: __threadfence() after a store */
    MACHINE_SAME_ADDRESS_ATOMIC,  /* ns: each of many threads' additions to one word */
    MACHINE_SAME_ADDRESS_INTEGER, /* ns: the same of integers */
    MACHINE_ISSUE_RATE,           /* instructions/ns: of warps, on one multiprocessor */
    MACHINE_F32_RATE,             /* GFLOP/s */
    MACHINE_NUMBERS,
};

/* What the device says of itself. */
enum machine_attribute {
    MACHINE_MULTIPROCESSORS,
    MACHINE_THREADS,        /* per multiprocessor */
    MACHINE_BLOCKS,         /* per multiprocessor */
    MACHINE_REGISTERS,      /* per multiprocessor */
    MACHINE_SHARED_BYTES,   /* per multiprocessor */
    MACHINE_RESERVED_BYTES, /* of shared memory, per block */
    MACHINE_L2_BYTES,
    MACHINE_CLOCK_MHZ, /* the highest */
    MACHINE_ATTRIBUTES,
};

struct machine {
    char device[256]; /* its name: "NVIDIA H200" */
    double attribute[MACHINE_ATTRIBUTES];
    double value[MACHINE_NUMBERS];  /* above 0, in the units above */
    double spread[MACHINE_NUMBERS]; /* the distance of the quartiles, in the same unit */
};

/* The names that the file uses. */
const char *machine_number_name(enum machine_number);
const char *machine_number_unit(enum machine_number);
const char *machine_unit_of(const char *name); /* NULL where there is no such number */
const char *machine_attribute_name(enum machine_attribute);

/*
 * Read the file. 0, or BAD_USAGE after one line that names the file and what is wrong in it: it
 * cannot be read, is no JSON, lacks a number or an attribute, has one that is not above 0, or one
 * in another unit, or one that is none of the above.
 */
int machine_read(struct machine *, const char *path);

#ifdef __cplusplus
}
#endif
#endif
