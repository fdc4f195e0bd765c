/*
 * The inside of --record-steps, shared by its own files:
 *
 *   record.c    what happens, as the engine tells it
 *   together.c  which lanes of a warp do an instruction together
 *   loops.c     the loops of a source
 *   steps.c     the steps, one after the other
 *   write.c     the file: its format is in docs/watch.md
 *
 * While it is on there is one worker, and the lanes of a warp go together, instruction by
 * instruction, as on a GPU; so the steps are in the order in which they were done, and each value
 * is the one that was read or written. All is static and touched by that worker, or between
 * launches by the host's thread.
 */
#ifndef CPU_TOOLS_RECORD_H
#define CPU_TOOLS_RECORD_H

#include "cpu/engine/observer.h"

enum {
    MOST_BLOCKS = 4,   /* of a launch */
    MOST_WARPS = 4,    /* of a block: 128 threads */
    MOST_STEPS = 4000, /* of all launches together */
    MOST_BYTES = 64,   /* of a lane's value; what is longer is cut */
    MOST_LAUNCHES = 256,
};

extern const struct observer record_observer;
bool record_waits_for_lanes(const struct thread *t, uintptr_t site); /* cpu_waits_for_lanes */
extern const struct finding_listener record_findings;                /* of the checks */

/* What a warp, or a block, did. */
enum step_kind {
    STEP_LOAD,
    STEP_STORE,
    STEP_ATOMIC,
    STEP_COPY,   /* an asynchronous copy begins: what is read */
    STEP_ARRIVE, /* it has arrived: what is written */
    STEP_WARP,   /* a warp operation: a shuffle, a vote, __syncwarp */
    STEP_FENCE,
    STEP_WAIT,     /* lanes come to a barrier of the block, */
    STEP_GRID,     /* of the grid, */
    STEP_CLUSTER,  /* of the cluster, */
    STEP_OBJECT,   /* or to a barrier object, and wait */
    STEP_PASS,     /* all threads of the block have come to the barrier, and go on */
    STEP_TOGETHER, /* all threads of the block's cluster have come to its barrier */
    STEP_END,      /* lanes have run to the kernel's end */
    STEP_REFUSED,  /* an access that must not be done: --check ended these lanes */
    STEP_KINDS
};

struct step {
    enum step_kind kind;
    unsigned launch, warp, issue; /* issue: see struct going */
    uint64_t block;
    uintptr_t site;      /* 0: none */
    uint32_t lanes;      /* of the warp; of a STEP_PASS or STEP_TOGETHER 0 */
    uint32_t known;      /* lanes whose values are known */
    unsigned bytes;      /* of a lane's access */
    unsigned flags;      /* of an access: enum access_flag */
    bool shared, writes; /* shared: addresses count from the start of shared memory, of `owner` */
    enum cpu_warp_op op; /* of a STEP_WARP */
    size_t values;       /* where they begin: WARP x bytes read or brought, then as many written */
    uint64_t address[WARP];
    uint64_t owner[WARP]; /* of shared memory: the number of the block whose it is */
};

/* A mistake that --check found, and the step at which it arose. */
struct found {
    unsigned entry; /* by which the checks know it */
    long step;      /* -1: not known yet */
    uint64_t block[2];
    unsigned thread[2], parties;
    char *text; /* as it is told; NULL: not told yet. From malloc */
};

/* An element that was verified and is wrong, and the step that wrote what stands there. */
struct wrong_element {
    long step; /* -1: none of the recording */
    unsigned lane, launch;
    uint64_t address; /* 0: no element is known */
    size_t bytes;
    char *text; /* from malloc */
};

/* A launch as the file tells it. The texts are copies. */
struct shared_part {
    const char *name;
    size_t offset, bytes, element;
    unsigned lengths;
    size_t length[CPU_MOST_LENGTHS];
};
enum { MOST_PARTS = MAX_STATICS + 1, MOST_ARRAYS = 32 };
struct told_array {
    char name[64];
    uint64_t address;
    size_t element;
};
struct told_launch {
    const struct launch *launch; /* while it runs; NULL after */
    char *kernel, *label;
    struct cpu_dim grid, dim;
    bool failed;
    unsigned parts, arrays;
    struct shared_part part[MOST_PARTS];
    struct told_array array[MOST_ARRAYS];
};

/* together.c */
struct going {          /* of a warp */
    uint32_t announced; /* lanes that are about to do an access */
    uint32_t chosen;    /* of these those that do one now, together */
    unsigned issue;     /* how often some were chosen */
    uintptr_t site[WARP], last[WARP];
    uint32_t turns[WARP]; /* how often the lane has gone back to an earlier line */
};
/* The lane is about to do an access there. Then: must other lanes of its warp go first? */
void going_announce(struct going *g, const struct thread *t, uintptr_t site);
bool going_waits(struct going *g, const struct thread *t);
void going_done(struct going *g, unsigned lane); /* it has done it, or has ended */
/* Between two accesses of the warp: each lane is about to do one, or waits, or has ended. */
bool going_rests(const struct going *g, const struct block *b, unsigned warp);
void going_met(struct going *g, uint32_t lanes); /* they have met at a barrier or warp operation */

/* loops.c */
bool loops_hold(const char *path, int line);           /* some loop has the line */
bool loops_left(const char *path, int in, int behind); /* one line is in a loop, the other one
                                                         behind it */

/* steps.c */
extern struct step *record_steps;
extern size_t record_count;
extern bool record_cut;               /* there were more than MOST_STEPS */
struct step *step_last(void);         /* NULL: none */
struct step *step_add(struct step s); /* its values are 0; NULL: there are MOST_STEPS already */
unsigned char *step_value(const struct step *s, unsigned lane, bool written);
/* Of the step's lane the bytes at the address, as they are now, where they can be read. */
void step_read(struct step *s, unsigned lane, const void *at, bool written);

/* The last step from this one on that wrote something there, and its lane; -1 if it is not what
 * stands there now. */
long step_wrote(size_t from, const void *at, size_t bytes, unsigned *lane);

/* write.c */
struct recording {
    const struct told_launch *launch;
    const struct found *found;
    const struct wrong_element *wrong;
    size_t launches, founds, wrongs;
};
int record_write(const char *path, const struct recording *); /* 0, or -1 with errno */

#endif
