/*
 * The limits family: programs that measure the machine itself. Each step sweeps one thing and is a
 * problem of its own, with its own axes: a struct family in a file of its name (limit_words.c,
 * ...). What they share is here and in limits_arrays.h: the arrays, what they are filled with, and
 * that every timed run is verified, word for word, although nobody wants its result: a kernel whose
 * result nobody looks at may be left out by the compiler, in part or in whole.
 */
#ifndef LIMITS_H
#define LIMITS_H

#ifdef __cplusplus
#include <cuda_runtime.h>
typedef double element_f64;
typedef struct {
    double x, y, z, w;
} element4_f64;
#endif
#include "harness/kit/element.h"
#include "harness/kit/sums.h" /* HOST_DEVICE */

#ifdef __cplusplus
extern "C" {
#endif

extern const struct type type_f64;

/* What a launch function gets. Pointers are device memory; which of the axes a step has, its own
 * file says. */
struct work {
    unsigned *x; /* what is read */
    void *y;     /* what is written; poisoned before each run */
    size_t n;    /* elements, or repetitions */
    int blocks, threads;
    size_t passes;    /* limit-words: how often x is read or y is written */
    int chains;       /* limit-flops: dependent chains of a thread */
    size_t between;   /* limit-barrier: GROUPs of multiply-adds between two barriers */
    unsigned paths;   /* limit-branches: different ways through the kernel */
    size_t at;        /* limit-latency: the word of x where a run begins */
    size_t stride;    /* limit-latency: words of x between a thread's loads */
    size_t footprint; /* limit-latency: words of x that are in use, a power of two */
    bool counts;      /* limit-launch: the launch counts its threads in y, and is not timed */
    long long hold;   /* limit-launch, with HELD: only keep the device busy for so many cycles */
};

/* What a family's callbacks must know of a variant, beside enum rule: of limit-words, */
enum words_rule {
    READS = FAMILY_RULE,        /* y is a sum per thread */
    SECTORS = FAMILY_RULE << 1, /* one word per sector */
    LINES = FAMILY_RULE << 2,   /* one word per line */
};

/* limit-flops, */
enum flops_rule {
    MIXED = FAMILY_RULE, /* operations on integers, too */
};

/* limit-latency, */
enum latency_rule {
    LOADS = FAMILY_RULE,              /* reads words */
    CHASES = FAMILY_RULE << 1,        /* follows pointers in global memory */
    CHASES_SHARED = FAMILY_RULE << 2, /* follows indices in shared memory */
    ONE_THREAD = FAMILY_RULE << 3,    /* the grid is one thread */
};

/* limit-barrier, */
enum barrier_rule {
    ALONE = FAMILY_RULE, /* no multiply-adds */
};

/* limit-launch, */
enum launch_rule {
    HELD = FAMILY_RULE, /* the queue is filled while the device is kept busy */
};

/* limit-branches, */
enum branches_rule {
    WARPS = FAMILY_RULE,          /* a way per warp */
    LANES = FAMILY_RULE << 1,     /* a way per lane */
    EXCHANGES = FAMILY_RULE << 2, /* no ways, but an exchange */
};

/* and limit-atomics. Without any of these a thread adds to its own word. */
enum atomics_rule {
    TO_ONE = FAMILY_RULE,         /* all add to one word of y */
    TO_LINE = FAMILY_RULE << 1,   /* to the words of one line */
    TO_LINES = FAMILY_RULE << 2,  /* each to a line of its own */
    PER_BLOCK = FAMILY_RULE << 3, /* y is a sum per block */
    WALKS = FAMILY_RULE << 4,     /* one thread goes from line to line */
    ADDS = FAMILY_RULE << 5,      /* and adds there; without it, it stores */
};

/* Word i of x: different everywhere, and its sum is known. */
HOST_DEVICE static inline unsigned word_at(size_t i)
{
    return (unsigned)i * 2654435761u + 12345u;
}

/* Where a chain of multiply-adds begins: 32 threads in a row differ, and so do a thread's chains.
 */
HOST_DEVICE static inline float chain_start(size_t thread, int chain)
{
    return 0.125f * (float)(1 + thread % 32) + (float)chain;
}

/* A step is x * factor + term. The numbers are such that x neither settles nor overflows in 2^20
 * steps, so that the result tells how many there were; the compiler does not know them. */
#define FACTOR_f32 1.00000012f
#define TERM_f32 1e-4f
#define FACTOR_f64 1.0000000000000002
#define TERM_f64 1e-4
#define FACTOR_i32 1664525
#define TERM_i32 1013904223

/* limit-flops, mixed: at each second multiply-add bits = (bits ^ BITS_MASK) + BITS_MORE. */
#define BITS_MASK 0x55a3c971u
#define BITS_MORE 0x1b4e81b3u

/* limit-barrier: chains of a thread, enough for a few warps to keep the multiprocessor busy, and
 * the multiply-adds that are done in one go. */
#define CHAINS_BETWEEN 4
#define GROUP 32

/* limit-branches: way p adds another term; and what a thread exchanges. */
#define MAX_PATHS 32
#define EXCHANGED 8

/* What a thread begins to exchange: no two numbers of a block are the same. */
HOST_DEVICE static inline float exchange_start(size_t thread, int number)
{
    return (float)(thread + 1024 * (size_t)number);
}

/* The walk of a pointer chase over a power of two of lines: it meets each of them once. */
HOST_DEVICE static inline size_t next_line(size_t line, size_t lines)
{
    return (line * 1664525 + 1013904223) & (lines - 1);
}

/* What a variant's run moves or computes, where it differs from its family's: see struct variant.
 */
double words_copied(const struct shape *);
double words_of_sectors(const struct shape *);
double words_of_lines(const struct shape *);
double flops_mixed(const struct shape *);
double barrier_no_flops(const struct shape *);
double latency_flops(const struct shape *);
double latency_bytes(const struct shape *);
double branches_exchanged(const struct shape *);
double atomics_alone(const struct shape *);

#define LINE_WORDS 32       /* a line of a cache has 128 bytes, */
#define SECTOR_WORDS 8      /* and four sectors */
#define SHARED_ATOMICS 1024 /* words of a block's that limit-atomics adds to */
#define WALKED_LINES 4096   /* lines that one thread goes through there: in all parts of L2 */

/* Words of shared memory's chase. */
#define SHARED_RING 256

#ifdef __cplusplus
}

/* One multiply-add, of each type: one instruction. */
static __device__ inline float multiply_add(float x, float factor, float term)
{
    return fmaf(x, factor, term);
}

static __device__ inline double multiply_add(double x, double factor, double term)
{
    return fma(x, factor, term);
}

static __device__ inline int multiply_add(int x, int factor, int term)
{
    return (int)((unsigned)x * (unsigned)factor + (unsigned)term);
}

static __device__ inline size_t thread_of_grid(void)
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}
#endif
#endif
