/*
 * How the engine and the runtime tell what happens: a chain of tables of functions, one for each
 * tool that is on. The chain is set while no kernel runs, so it is read without a lock; NULL: no
 * tool is on, and nothing is told.
 *
 * Any function of a table but `access` may be NULL. It is called by the worker whose block it is
 * about, in the middle of what the engine does, so it must not let another GPU thread run; with
 * several workers at once. Those of a launch and of memory are called by the host's thread.
 */
#ifndef CPU_ENGINE_OBSERVER_H
#define CPU_ENGINE_OBSERVER_H

#include "cpu/engine/state.h"

/* What __tsan_*, an atomic or a copy reported. */
enum access_flag {
    ACCESS_WRITE = 1,
    ACCESS_ATOMIC = 2,
    ACCESS_VOLATILE = 4,
    ACCESS_UNALIGNED = 8,    /* the source promises no alignment to the access's size */
    ACCESS_ASYNC = 16,       /* of an asynchronous copy */
    ACCESS_BLOCK_SCOPE = 32, /* of an atomic one: orders nothing between blocks */
    ACCESS_READ_ONLY = 64,   /* a read of what nobody may write in this launch */
    ACCESS_OBJECT = 128,     /* of a barrier object, which no load or store instruction touches */
    ACCESS_SWAP = 256,       /* a compare-and-swap, which checks a value that was read before */
    ACCESS_COUNT = 512,      /* an atomic that adds 1, whose old value nobody takes */
    ACCESS_LOOP = 1024,      /* an atomic that the GPU does by a loop in shared memory */
    ACCESS_QUIET = 2048,     /* an atomic whose old value nobody takes */
    ACCESS_FLOAT = 4096,     /* an atomic that computes with floating point */
    ACCESS_SYSTEM_SCOPE = 8192, /* of an atomic one: orders between devices, too */
    ACCESS_COMPARE = 16384,     /* a compare-and-swap of cuda::atomic */
    ACCESS_EXCHANGE = 32768,    /* an atomic that computes nothing */
    ACCESS_BULK = 65536,        /* of a copy in bulk, which no load or store instruction does */
    ACCESS_LASTING = 131072,    /* a read that goes on: its end is told, too */
    ACCESS_EVEN = 262144,       /* of a barrier object: has a phase of this parity ended? */
    ACCESS_ODD = 524288,
    ACCESS_SUM = 1048576 /* an atomic that adds integers, and whose old value nobody takes */
};
/* CLUSTER: shared memory of another block of the cluster. */
enum space { SPACE_GLOBAL, SPACE_SHARED, SPACE_CLUSTER, SPACE_LOCAL, SPACE_OTHER };

enum object_use {
    OBJECT_BEGINS,
    OBJECT_ARRIVES, /* it is about to */
    OBJECT_PASSES,
    OBJECT_PASSES_PARITY,
    OBJECT_TESTS, /* it does not wait, and the phase has not ended */
    OBJECT_COUNTS /* bytes of copies */
};

/* One access of one thread, which is about to be done. */
struct access {
    struct thread *thread;
    uintptr_t address, site;
    unsigned bytes, flags; /* flags: enum access_flag */
    enum space space;
};

/* An operation of a stream, such as a copy, that touches so many bytes. */
struct stream_access {
    uintptr_t address, site; /* site: of the call */
    size_t bytes;
    bool write;
    const char *call; /* as cudaMemcpyAsync */
    int device;
    uint32_t stream; /* as in struct launch */
    uint64_t number;
    const uint64_t *after;
};

struct allocation; /* memory.h */

/* What a thread does that touches no memory. */
enum flow {
    FLOW_ROUND,  /* a round of a loop ends */
    FLOW_TAKEN,  /* the condition of an if is true, or */
    FLOW_PASSED, /* not */
};

typedef void access_notifier(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                             uintptr_t site);

struct observer {
    const struct observer *next; /* in the chain */

    /* May the access be done? false: the caller ends the thread instead. */
    bool (*access)(const struct access *a);
    /* The same of a load or store without further flags, for a tool that is alone: either it counts
     * the access and its turn, thread.slice, or it calls `other` with all that it was given. May be
     * NULL. */
    void (*quick)(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                  uintptr_t site, access_notifier *other);
    /* Before every so manieth access: is the thread so far ahead of other lanes of its warp that
     * these should run first? */
    bool (*is_ahead)(const struct thread *t);
    /* Where those are told; by a tool that has is_ahead. */
    void (*flow)(struct thread *t, uintptr_t site, enum flow what);
    void (*fence)(struct thread *t, enum cpu_scope scope);
    /* An exchange, or a compare-and-swap, has changed a word. */
    void (*swapped)(struct thread *t, uintptr_t address, uint64_t old, uint64_t now);
    void (*barrier)(struct block *b); /* of block or grid: all its threads have arrived */
    void (*grid_barrier)(struct launch *l);
    /* A thread arrives at its cluster's barrier, and tells what it has done or does not; all have
     * arrived, the last one in this block; and the thread has waited. */
    void (*cluster_arrive)(struct thread *t, bool releases);
    void (*cluster_barrier)(struct block *b);
    void (*cluster_pass)(struct thread *t);
    void (*warp)(struct thread *t, enum cpu_warp_op op, uint32_t mask);   /* a lane arrives */
    void (*warp_done)(struct block *b, struct warp *w, uint32_t mask);    /* all lanes have */
    void (*warp_synced)(struct block *b, struct warp *w, uint32_t mask);  /* by __syncwarp */
    void (*lane_missing)(struct thread *t, uint32_t mask, unsigned lane); /* a shuffle reads it */
    /* Two lanes that came together have called from different places what needs one. */
    void (*lanes_apart)(struct thread *t, struct thread *other);
    void (*grid_missing)(struct thread *t); /* a grid barrier in a launch that has none */
    void (*without_mask)(struct thread *t); /* a warp operation of before CUDA 9 comes */
    /* The thread tells, or learns, through a barrier object what was done before. */
    void (*arrive)(struct thread *t, uintptr_t object);
    void (*pass)(struct thread *t, uintptr_t object);
    /* What a thread does with a barrier object in memory. `phase`: that it has waited for, modulo
     * 4, where it did not name it by its parity. */
    void (*object)(struct thread *t, uintptr_t object, enum object_use use, uint64_t phase);
    /* An asynchronous copy of the thread's into shared memory begins, and has arrived. */
    void (*copy)(struct thread *t, const struct copy *c);
    void (*copied)(struct thread *t, const struct copy *c);
    /* A warp, of which this is a thread, begins its part of a product of four warps; a warp has
     * waited for it, of which this is a thread, and has read it for the other, too; and a thread
     * has waited. */
    void (*product)(struct thread *t, const struct product *p);
    void (*multiplied)(struct thread *t, const struct product *p);
    void (*products_waited)(struct thread *t);
    /* A copy in bulk begins. And it is done: it has arrived, or has read what it takes to global
     * memory. */
    void (*bulk)(struct thread *t, const struct bulk *c);
    void (*bulk_done)(struct thread *t, const struct bulk *c);
    void (*proxy_fence)(struct thread *t); /* of shared memory, between plain and other accesses */
    void (*thread_end)(struct thread *t);
    void (*block_begin)(struct block *b);
    void (*block_end)(struct block *b);
    void (*launch_coming)(struct launch *l); /* nothing of it has been done */
    void (*launch_begin)(struct launch *l);
    void (*launch_end)(struct launch *l);
    /* A launch that has begun goes on: what is observed from here on is about this one. */
    void (*launch_resume)(struct launch *l);
    void (*worker_begin)(struct worker *w); /* on its OS thread: goes on with a launch, */
    void (*worker_end)(struct worker *w);   /* and does not any more */
    void (*stuck)(struct block *b);         /* its threads wait for ever: says who */
    void (*host_write)(uintptr_t address, size_t bytes); /* cudaMemcpy and cudaMemset */
    /* The host's code is about to touch memory that kernels may touch too; thread is NULL. */
    void (*host_access)(const struct access *a);
    /* An operation of a stream that is no kernel is about to touch memory of kernels. */
    void (*stream_access)(const struct stream_access *a);
    void (*copied_between)(int from, int to, size_t bytes); /* devices; ALL_DEVICES: the host */
    void (*allocated)(struct allocation *a);
    void (*guarded)(struct allocation *a); /* its guard was set */
    void (*freed)(struct allocation *a);
};

extern const struct observer *cpu_observers;

/* The source file, without folders, and the line of a place in the code; NULL: unknown. Itself NULL
 * where nobody can tell. */
extern const char *(*cpu_source_line)(uintptr_t site, int *line);

/* Gives back what tools have hung on a block whose memory goes back, be they on or off by now.
 * NULL: none ever was on. */
extern void (*cpu_free_block)(struct block *b);

/* Call one function of every table that has it. */
#define OBSERVE(event, ...)                                                                        \
    do {                                                                                           \
        for (const struct observer *o_ = cpu_observers; o_; o_ = o_->next)                         \
            if (o_->event)                                                                         \
                o_->event(__VA_ARGS__);                                                            \
    } while (0)

#endif
