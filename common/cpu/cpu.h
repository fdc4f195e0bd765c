/*
 * The inside of the CPU device, shared by its own files only.
 *
 * A launch is run by workers (OS threads, one a core). A worker takes blocks in turn and runs one
 * until all its threads have ended or wait for something that another block must do; then it goes
 * on with another block, up to as many as the modelled device could hold. A GPU thread runs on a
 * fiber, a stack of its own; a thread that ends without ever waiting hands its fiber to the next,
 * so a kernel without barriers needs one fiber a worker.
 */
#ifndef CPU_H
#define CPU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>
#include "cpu_device.h"

enum {
    WARP = 32,
    MAX_THREADS = 1024, /* a block */
    MAX_WARPS = MAX_THREADS / WARP,
    WORDS = MAX_THREADS / 64, /* of a set of threads */
};

/* The modelled device. A small one of compute capability 9.0: it bounds the blocks in flight. */
enum {
    MODEL_SMS = 16,
    MODEL_THREADS_PER_SM = 2048,
    MODEL_BLOCKS_PER_SM = 32,
    MODEL_SHARED_PER_SM = 228 * 1024,
    MODEL_SHARED_PER_BLOCK = 48 * 1024,
    MODEL_SHARED_OPTIN = 227 * 1024,
    MODEL_SHARED_RESERVED = 1024, /* a block, by the system */
    MODEL_L2 = 8 * 1024 * 1024,
};

struct cpu_dim {
    unsigned x, y, z;
};

struct fiber; /* fiber.c */

/* What a thread waits for. */
enum wait { RUNNING, AT_BARRIER, AT_WARP, AT_GRID, SPINNING, ENDED };

struct block;

struct thread {
    struct cpu_dim index;   /* threadIdx */
    unsigned id;            /* x first: 0 to threads - 1 */
    enum wait wait;
    struct fiber *fiber;    /* NULL before its first instruction and after its last */
    struct block *block;
    uint64_t value;         /* that it brings to a warp operation */
    unsigned lane, width;   /* of a shuffle: source lane, delta or mask; and segment */
    uint64_t result;        /* of the warp operation */
    bool predicate;         /* second result: whether __match_all_sync matched */
    uintptr_t site;         /* the return address of the call it waits in */
    uintptr_t spin_site;    /* the last poll, to tell a spin from ordinary reads */
    uint64_t spin_value;
    unsigned polls, equal_polls;
    unsigned slice;         /* accesses logged since the last change of threads */
    bool killed;            /* by --check, after an access that must not be done */
};

/* A warp operation that waits for its lanes. Disjoint masks may wait side by side. */
enum warp_op {
    WARP_SYNC, WARP_SHFL, WARP_SHFL_UP, WARP_SHFL_DOWN, WARP_SHFL_XOR, WARP_BALLOT, WARP_ANY,
    WARP_ALL, WARP_MATCH_ANY, WARP_MATCH_ALL, WARP_ADD, WARP_MIN_S, WARP_MAX_S, WARP_MIN_U,
    WARP_MAX_U, WARP_AND, WARP_OR, WARP_XOR
};

struct collective { /* the lanes' values are in their threads */
    uint32_t mask, arrived;
    enum warp_op op;
};

struct warp {
    unsigned first;   /* thread id of lane 0 */
    uint32_t lanes;   /* that exist */
    uint32_t ended;   /* that have returned */
    unsigned pending; /* collectives in use */
    struct collective collective[WARP];
    void *log;        /* of the counters, see counters.c; kept while the block is reused */
};

typedef uint64_t thread_set[WORDS];

struct static_shared {
    const void *key;
    size_t offset, bytes;
};

struct launch;
struct worker;

struct block {
    struct launch *launch;
    struct worker *worker;
    struct cpu_dim index;  /* blockIdx */
    uint64_t number;       /* x first */
    unsigned threads, warps;
    unsigned alive;        /* threads that have not ended */
    thread_set ready;      /* may go on, or have not begun */
    thread_set begun;
    thread_set spinning;   /* gave way in a poll */
    thread_set barrier;    /* wait at the block barrier, at_barrier of them */
    thread_set grid;       /* wait at the grid barrier, at_grid of them */
    unsigned at_barrier, at_grid;
    unsigned vote_count;   /* of __syncthreads_count, _and, _or: so far, and of the last one */
    unsigned vote_arrived, vote_result, vote_size;
    bool grid_announced;   /* all its threads are at the grid barrier, and the launch knows */
    uint64_t grid_generation; /* that they wait to pass */
    uint64_t barriers;     /* passed, for the counters and the checks */
    char *shared;          /* dynamic first, then static */
    size_t shared_used;
    unsigned statics;
    struct static_shared static_slot[32];
    struct block *next;    /* in the worker's list */
    unsigned capacity;     /* threads it has room for */
    void *check;           /* of --check, see check.c */
    struct warp warp[MAX_WARPS];
    struct thread thread[];
};

struct launch {
    void (*body)(void *arguments); /* calls the kernel once, for the current thread */
    void *arguments;
    const void *kernel;
    const char *name;
    struct cpu_dim grid, dim;      /* gridDim, blockDim */
    unsigned threads;              /* a block */
    uint64_t blocks;               /* of the grid */
    size_t dynamic_shared;
    bool cooperative;
    uint64_t resident;             /* blocks that the modelled device holds at once */
    unsigned workers;
    atomic_uint_fast64_t next;     /* block to hand out */
    atomic_uint_fast64_t in_flight;
    atomic_uint_fast64_t done;
    atomic_uint_fast64_t grid_arrived, grid_generation;
    atomic_bool failed;            /* stop: a deadlock or a device fault */
    void *counters;                /* of this launch */
};

struct worker {
    unsigned number;
    struct launch *launch;
    struct block *block;           /* that runs now */
    struct thread *thread;         /* that runs now */
    struct fiber *home;            /* the worker's own stack */
    struct fiber **idle_list;      /* fibers that no thread uses */
    size_t idle_fibers, idle_room;
    struct fiber *scratch;         /* where a killed thread's state goes */
    struct block *blocks;          /* in flight here */
    struct block *spare;           /* for reuse */
    uint64_t random;               /* state of the random order */
    atomic_uint_fast64_t progress; /* grows with every event that another thread may wait for */
    atomic_uint_fast64_t rounds;   /* over its blocks, completed */
    atomic_bool running;           /* takes part in the launch */
};

extern unsigned cpu_tools;         /* enum cpu_tool */
extern bool cpu_random_order;
extern uint64_t cpu_random_seed;

/* The worker of this OS thread; its thread is NULL outside a kernel. Not inlined: see launch.c. */
extern __thread struct worker *cpu_worker;

static inline struct thread *cpu_thread(void)
{
    return cpu_worker ? cpu_worker->thread : NULL;
}

static inline struct warp *warp_of(struct thread *t)
{
    return &t->block->warp[t->id / WARP];
}

/* fiber.c: stacks, and switching between them. */
struct fiber *fiber_of_caller(void);             /* wraps the stack that calls it */
struct fiber *fiber_create(void (*entry)(void)); /* NULL when memory is exhausted */
void fiber_restart(struct fiber *f, void (*entry)(void)); /* forget what it was doing */
void fiber_switch(struct fiber *from, struct fiber *to);
bool fiber_holds(const struct fiber *f, uintptr_t address); /* on its stack? */
bool fiber_intact(const struct fiber *f);        /* false: the stack overflowed */

/* launch.c: the scheduler. */
void cpu_wait(struct thread *t, enum wait why);  /* until something makes it ready */
void cpu_give_way(struct thread *t);             /* to the other threads of its block, once */
void cpu_poll(struct thread *t, uintptr_t site, uint64_t value); /* gives way if it spins */

/* The value to hand to cpu_poll for a read: equal words at different addresses are no spin. */
static inline uint64_t cpu_polled(const void *address, uint64_t value)
{
    return value ^ (uintptr_t)address * 0x9e3779b97f4a7c15;
}
void cpu_progress(void);                         /* something changed that others may poll for */
void cpu_ready(struct block *b, unsigned id);
void cpu_kill(struct thread *t) __attribute__((noreturn)); /* ends this thread */
void cpu_fail(cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));       /* the launch fails; one line on stderr, once */

void cpu_nanosleep(unsigned ns);
cudaError_t cpu_failure(void);                   /* the first, or cudaSuccess */
const char *cpu_failure_text(cudaError_t error); /* what cpu_fail said of it; NULL: nothing */

/* warp.c */
void warp_thread_ended(struct thread *t);

/* memory.c: device memory. Addresses of one reserved range; each allocation is known. */
struct allocation {
    uintptr_t base;
    size_t bytes;
    bool freed;
    unsigned number;       /* in order of allocation, from 1 */
    void *shadow;          /* of --check */
};
bool memory_is_device(uintptr_t address);              /* in the range, allocated or not */
struct allocation *memory_find(uintptr_t address);     /* the nearest at or below; NULL: none */
size_t memory_used(void);

/*
 * The tools. The runtime tells them what happens; each returns at once when its tool is off.
 * Access flags: what __tsan_* or an atomic reported.
 */
enum access_flag {
    ACCESS_WRITE = 1,
    ACCESS_ATOMIC = 2,
    ACCESS_VOLATILE = 4,
    ACCESS_UNALIGNED = 8 /* the source promises no alignment to the access's size */
};
enum space { SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_OTHER };
enum space space_of(struct thread *t, uintptr_t address);
bool cpu_is_program_data(uintptr_t address); /* a global variable of the program */

void observe_access(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                    uintptr_t site);
void observe_barrier(struct block *b);                 /* all its threads have arrived */
void observe_warp(struct thread *t, uint32_t mask, uintptr_t site); /* a lane arrives */
void observe_warp_done(struct block *b, struct warp *w, uint32_t mask); /* all lanes have */
void observe_grid_barrier(struct launch *l);
void observe_fence(struct thread *t, int scope);       /* 0 block, 1 device, 2 system */
void observe_thread_end(struct thread *t);
void observe_block_begin(struct block *b);
void observe_block_end(struct block *b);
void observe_launch_begin(struct launch *l);
void observe_launch_end(struct launch *l);
void observe_stuck(struct block *b);                   /* its threads wait for ever: says who */
void observe_host_write(uintptr_t address, size_t bytes); /* cudaMemcpy and cudaMemset */
void observe_malloc(struct allocation *a);
void observe_free(struct allocation *a);

#endif
