/*
 * The state of a launch: threads, warps, blocks and workers, and the device that is modelled.
 *
 * A launch is run by workers (OS threads, one a core), and one launch at a time. One that others
 * may run beside pauses when all its threads wait, with its blocks as they are, and goes on later:
 * so kernels of several devices or streams may wait for each other. A worker takes blocks in turn
 * and runs one until all its threads have ended or wait for something that another block must do;
 * then it goes on with another block, up to as many as the modelled device could hold. A GPU thread
 * runs on a fiber, a stack of its own; a thread that ends without ever waiting hands its fiber to
 * the next, so a kernel without barriers needs one fiber a worker.
 *
 * Invariants
 *   - A block, its warps, its threads and their fibers stay with one worker from begin to end: only
 *     that worker reads or writes them, without locks. What workers share is atomic, in struct
 *     launch and in `progress`, `rounds` and `running` of struct worker.
 *   - Of a block's threads exactly one runs at a time. Of its sets, `ready` holds those that may go
 *     on, the running one among them; a thread that waits is in the set of what it waits for.
 *   - at_barrier counts `barrier`, at_grid `grid`, at_object `objects`, alive those not ENDED.
 *   - The engine owns all of it and frees it, but for the memory behind `counters` and `check`,
 *     which the tools allot and free (observer.h, cpu_free_block).
 */
#ifndef CPU_ENGINE_STATE_H
#define CPU_ENGINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cpu/abi.h"

enum {
    WARP = 32,
    MAX_THREADS = 1024, /* a block */
    MAX_WARPS = MAX_THREADS / WARP,
    WORDS = MAX_THREADS / 64, /* of a set of threads */
};

/* The modelled device. A small one of compute capability 9.0: it bounds the blocks in flight. */
enum {
    MODEL_SMS = 16,
    MOST_SMS = 1024, /* that may be asked for */
    MODEL_THREADS_PER_SM = 2048,
    MODEL_BLOCKS_PER_SM = 32,
    MODEL_SHARED_PER_SM = 228 * 1024,
    MODEL_SHARED_PER_BLOCK = 48 * 1024,
    MODEL_SHARED_OPTIN = 227 * 1024,
    MODEL_SHARED_RESERVED = 1024, /* a block, by the system */
    MODEL_L2 = 8 * 1024 * 1024,
};

/* Bytes at block.shared: the most that a block may have, and behind them some of nobody's, so that
 * an access a little beyond the end is still known to mean shared memory. With cpu_shared_gaps some
 * of nobody's lie before each static variable, too. */
enum { MAX_STATICS = 32, SHARED_GAP = 4096 };
enum { SHARED_BYTES = MODEL_SHARED_OPTIN + (MAX_STATICS + 1) * SHARED_GAP };

struct fiber;
struct copy;    /* async_copies.h */
struct product; /* async_products.h */
struct warp_products;
struct bulk;    /* bulk_copies.h */
struct cluster; /* cluster.h */

/* What a thread waits for. */
enum wait {
    RUNNING,
    AT_BARRIER,
    AT_WARP,
    AT_GRID,
    AT_OBJECT,
    AT_CLUSTER,
    AT_CONVERGENCE,
    SPINNING,
    ENDED
};

struct block;

/* What a lane does together with the others of its warp, at this line of the source; 0: not known.
 * rank: as cpu_meet has it; 0: it prints or accesses a volatile word. prints: the text or the
 * format; NULL: nothing is printed. */
struct meeting {
    uintptr_t site;
    int line, rank;
    const void *prints;
};

/* All 0 when it begins, but for its index, id, block and fiber. */
struct thread {
    struct cpu_dim index; /* threadIdx */
    unsigned id;          /* x first: 0 to threads - 1 */
    enum wait wait;
    struct fiber *fiber; /* NULL before its first instruction and after its last */
    struct block *block;
    unsigned line;       /* of the source of the call it waits in; 0: unknown */
    unsigned slice;      /* accesses that were observed, see runtime/access.c */
    uintptr_t spin_site; /* the last poll, to tell a spin from ordinary reads */
    uint64_t spin_value;
    unsigned polls, equal_polls;
    unsigned fences;      /* that it has done while others wait for it, see in_step.c */
    struct meeting at;    /* that it has come to, see in_step.c */
    uint64_t held_since;  /* the standstill that `held` is of; see stall.c */
    bool killed;          /* ended before its time, after an access that must not be done */
    bool returned;        /* left its kernel by a return before the end, or may have */
    bool block_scope;     /* the next atomic operation has block scope */
    bool system_scope;    /* the same of the system's */
    bool takes_nothing;   /* nobody takes the old value of the next atomic operation */
    long long clock;      /* what it has seen of it, where a tool decides the order */
    unsigned char order;  /* of the next atomic operation, as cuda::memory_order has it */
    enum cpu_fence fence; /* what kind of fence it does */
    unsigned only_bytes;  /* what it reads next, from read_only on, nobody may write */
    struct copy *copies, *last_copy; /* that have not arrived, oldest first; see async_copies.h */
    uint64_t copy_groups;            /* committed so far */
    uint64_t bulk_groups;            /* the same of copies in bulk to global memory */
    uint64_t instructions;           /* since its warp last met, see cpu_settle */
    uint64_t value;                  /* that it brings to a warp operation */
    unsigned lane, width;            /* of a shuffle: source lane, delta or mask; and segment */
    uint64_t result;                 /* of the warp operation */
    bool predicate;                  /* second result: whether __match_all_sync matched */
    bool loops;                      /* in a standstill it came back to the state `held` */
    uint64_t held;
    uintptr_t site; /* the return address of the call it waits in */
    uintptr_t read_only;
    uintptr_t object; /* that it waits for, AT_OBJECT, or polls; see object.h */
};

/* A warp operation that waits for its lanes. Disjoint masks may wait side by side. */
struct collective { /* the lanes' values are in their threads */
    uint32_t mask, arrived;
    enum cpu_warp_op op;
};

struct warp {
    unsigned first;   /* thread id of lane 0 */
    uint32_t lanes;   /* that exist */
    uint32_t ended;   /* that have returned */
    unsigned pending; /* collectives in use */
    uint32_t arrived; /* of in_step.c: lanes that wait for the others */
    uint32_t chosen;  /* of these, the ones whose turn it is */
    uint32_t passing; /* lanes that these do not wait for */
    struct collective collective[WARP];
    struct warp_products *products; /* of its warpgroup; NULL: there was none */
    void *counters;                 /* of the tools; kept while the block is reused */
};

typedef uint64_t thread_set[WORDS];

struct static_shared {
    const struct cpu_shared_variable *variable;
    size_t offset, bytes;
};

/* One of the numbered barriers of a block. */
struct named_barrier {
    unsigned awaited; /* threads, of the phase under way; 0 before the first one */
    unsigned arrived; /* of these */
    uint64_t phase;   /* how many have ended */
    uint64_t around;  /* its address alone is used: see object.c */
};

enum { NAMED_BARRIERS = 16 };

struct launch;
struct worker;

enum { HOST_LINE = 64 }; /* bytes in a line of the host's caches, on most processors */

struct block {
    struct launch *launch;
    struct worker *worker;
    struct cpu_dim index; /* blockIdx */
    uint64_t number;      /* x first */
    unsigned threads, warps;
    unsigned alive;   /* threads that have not ended */
    thread_set ready; /* may go on, or have not begun */
    thread_set begun;
    thread_set spinning;   /* gave way in a poll */
    thread_set barrier;    /* wait at the block barrier, at_barrier of them */
    thread_set grid;       /* wait at the grid barrier, at_grid of them */
    thread_set objects;    /* wait for an object in memory */
    thread_set converging; /* wait to learn which lanes are with them */
    thread_set copying;    /* have copies that have not arrived */
    unsigned at_barrier, at_grid, at_object;
    struct bulk *bulks, *last_bulk; /* that are not done, oldest first; see bulk_copies.c */
    unsigned vote_count; /* of __syncthreads_count, _and, _or: so far, and of the last one */
    unsigned vote_arrived, vote_result, vote_size;
    unsigned team_arrived[MAX_WARPS], team_phase[MAX_WARPS]; /* see object.h */
    uint64_t team_value[MAX_WARPS];             /* what each warp tells the others of its team */
    struct named_barrier named[NAMED_BARRIERS]; /* see object.h */
    bool grid_announced;      /* all its threads are at the grid barrier, and the launch knows */
    uint64_t grid_generation; /* that they wait to pass */
    uint64_t barriers;        /* passed, for the counters and the checks */
    struct cluster *cluster;  /* that it is in; NULL: none, or not asked for. See cluster.h */
    unsigned rank;            /* in the cluster */
    char *shared;       /* SHARED_BYTES: dynamic first, then static. From here on kept for reuse */
    size_t shared_used; /* without the gaps */
    size_t shared_gaps; /* their bytes */
    const struct cpu_shared_variable *dynamic; /* the one that its threads asked for, if known */
    unsigned statics;
    struct static_shared static_slot[MAX_STATICS];
    struct block *next;   /* in the worker's list */
    unsigned capacity;    /* threads it has room for */
    struct cpu_dim shape; /* of the launch that these are for */
    thread_set used;      /* they have to be cleared before another thread begins there */
    void *check;          /* of the tools; kept while the block is reused */
    struct warp warp[MAX_WARPS];
    struct thread thread[];
};

struct launch {
    void (*body)(void *arguments); /* calls the kernel once, for the current thread */
    void *arguments;
    const void *kernel;
    const char *name;
    struct cpu_dim grid, dim;             /* gridDim, blockDim */
    struct cpu_dim cluster;               /* blocks of a cluster; x 0: without clusters */
    unsigned cluster_limit;               /* of their number */
    size_t dynamic_shared, static_shared; /* bytes a block; static: as far as known */
    size_t shared_limit;                  /* of dynamic_shared */
    bool cooperative;
    int device;                            /* that it runs on */
    const struct cpu_parameter *parameter; /* `parameters` of them */
    unsigned parameters;
    const char *parameter_names; /* with commas; NULL: not known */
    /* From here on set by launch_run. */
    unsigned threads;    /* a block */
    uint64_t blocks;     /* of the grid */
    uint64_t sampled;    /* that run: all of them, but where the host asked for some */
    uint64_t parts;      /* to hand out: these blocks, or their clusters */
    uint64_t resident;   /* blocks that the modelled device holds at once */
    uint64_t stripes;    /* of memory that it may touch, see memory.h */
    uintptr_t open_from; /* a part of that without a gap, at hand for each access */
    size_t open_bytes;
    struct worker *worker; /* those that take part */
    unsigned workers;
    atomic_bool failed;        /* stop: a deadlock or a device fault */
    char apart[HOST_LINE];     /* each access reads what is before: it stays in all caches */
    atomic_uint_fast64_t next; /* block, or cluster of blocks, to hand out */
    atomic_uint_fast64_t in_flight;
    atomic_uint_fast64_t done;
    atomic_uint_fast64_t grid_arrived, grid_generation;
    atomic_bool polled; /* a thread read a word again and again */
    char behind[HOST_LINE];
    bool done_before; /* an observer of launch_coming has done all of it */
    /* Of a launch that others may run beside: */
    bool beside;               /* it pauses when all its threads wait, and goes on later */
    atomic_bool pauses;        /* they do */
    struct block **kept;       /* each worker's blocks in flight, while it does not run */
    double share;              /* of its device that its blocks may have, while others run there */
    void *counters, *check;    /* of the tools */
    struct child *children;    /* that its threads have launched: runtime/children.c */
    uint32_t stream;           /* that it is in, by number; see order.h */
    uint64_t number;           /* of this operation in it, from 1 */
    const uint64_t *after;     /* what is in order before it */
    struct launch *next_begun; /* of those that have begun and not ended */
};

enum { MAX_WORKERS = 256 };

struct worker {
    unsigned number;
    pthread_t os_thread; /* once it has run */
    struct launch *launch;
    struct block *block;   /* that runs now */
    struct thread *thread; /* that runs now */
    bool asked;            /* that one has asked the device for something: see thread.c */
    uintptr_t open_from;   /* the launch's */
    size_t open_bytes;
    uint64_t settled;         /* instructions that are their threads' already */
    struct fiber *home;       /* the worker's own stack */
    void (*fiber_main)(void); /* where a fiber begins */
    struct fiber **idle_list; /* fibers that no thread uses */
    size_t idle_fibers, idle_room;
    struct fiber *scratch;     /* where a killed thread's state goes */
    struct copy *spare_copies; /* for reuse */
    struct product *spare_products;
    struct warp_products *spare_warp_products;
    struct bulk *spare_bulks;
    struct block *blocks;          /* in flight here */
    struct block *spare;           /* for reuse */
    uint64_t random;               /* state of the random order */
    atomic_uint_fast64_t progress; /* grows with every event that another thread may wait for */
    atomic_uint_fast64_t rounds;   /* over its blocks, completed */
    atomic_bool running;           /* takes part in the launch */
    atomic_uint_fast64_t loops; /* all its threads wait for ever, unless progress is more than it */
    char behind[HOST_LINE];     /* the next worker's */
};

static inline struct warp *warp_of(struct thread *t)
{
    return &t->block->warp[t->id / WARP];
}

/* --- sets of threads ------------------------------------------------------------------------- */

static inline void set_add(thread_set s, unsigned id)
{
    s[id / 64] |= (uint64_t)1 << id % 64;
}

static inline void set_remove(thread_set s, unsigned id)
{
    s[id / 64] &= ~((uint64_t)1 << id % 64);
}

static inline bool set_has(const thread_set s, unsigned id)
{
    return s[id / 64] >> id % 64 & 1;
}

static inline bool set_empty(const thread_set s)
{
    for (int i = 0; i < WORDS; i++)
        if (s[i])
            return false;
    return true;
}

static inline void set_move(thread_set to, thread_set from)
{
    for (int i = 0; i < WORDS; i++) {
        to[i] |= from[i];
        from[i] = 0;
    }
}

/* Lanes of a warp, a bit each. */
static inline void set_add_lanes(thread_set s, unsigned warp, uint32_t lanes)
{
    s[warp / 2] |= (uint64_t)lanes << (warp % 2 * WARP);
}

/* The warp's part of a set, a bit a lane. */
static inline uint32_t set_of_warp(const thread_set s, unsigned warp)
{
    return (uint32_t)(s[warp / 2] >> (warp % 2 * WARP));
}

#endif
