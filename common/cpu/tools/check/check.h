/*
 * The inside of --check, shared by its own files:
 *
 *   dispatch.c       the state of each block in flight, and what happens when
 *   place.c          which memory an access is in, its bounds, and whether it was ever written
 *   race.c           who touched a word last, and was it in order: what is common to
 *   race_global.c    global memory, with its shadow in shadow_global.c, and
 *   shadow_shared.c  shared memory, with its shadow
 *   sites.c          code addresses as small numbers
 *   order.c          what happens before what: fences, flags and atomics between threads
 *   seen.c           what threads have seen of each other, and which fence is missing
 *   vector_clock.c   happens-before through memory: vector clocks
 *   sections.c       critical sections, and what another order of them would show
 *   async.c          asynchronous copies that have not arrived, and barrier objects
 *   bulk.c           copies in bulk that nobody has waited for
 *   clusters.c       barriers of clusters, and shared memory of other blocks
 *   products.c       products of warpgroups that nobody has waited for
 *   sync.c           barriers, warp operations, and threads that wait for ever
 *   orders.c         small launches in further orders
 *   past.c           what was done, and whether it is in order before something else
 *   findings.c       what was found: folded, and printed at the end of the launch
 *   describe.c       the text of a finding
 *
 * Epochs. Each thread has a clock, which ticks at its fences and warp operations; a block barrier
 * sets the clocks of all threads of the block to an epoch later than any of them, the block's
 * `base`. So an access of the same block in an epoch before base is in order, and within a warp a
 * vector of 32 clocks says which accesses of the other lanes are. Order between blocks, and
 * between warps without a barrier, comes through memory: see order.c. A fence brings a thread's
 * clock up to that of the thread that is furthest, so that clocks also say what came before what
 * in time: what was released before an access tells nothing of it.
 *
 * Who may touch what. struct check_block belongs to the worker of its block. The shadow of global
 * memory is shared: a line of it, 32 words, is read and written under its own lock. What
 * vector_clock.c keeps does not change once another thread can see it. Findings are under a lock of
 * their own.
 */
#ifndef CPU_TOOLS_CHECK_H
#define CPU_TOOLS_CHECK_H

#include "cpu/engine/observer.h"
#include "cpu/tools/check/sections.h"
#include "cpu/tools/check/shadow.h"

extern const struct observer check_observer;
void check_free_block(struct block *b); /* what the checks have hung on it */

struct party { /* a thread that took part, and how */
    uintptr_t site;
    uint64_t block;
    unsigned thread, flags; /* enum access_flag */
    unsigned line;          /* that the program gave, of a barrier; 0: unknown */
    const struct past *of;  /* the operation that did it; NULL: the launch that is told of */
};

/* Which fence would put the second access behind the first. */
enum missing { MISSING_UNKNOWN, MISSING_RELEASE, MISSING_ACQUIRE, MISSING_BOTH, MISSING_SCOPE };
struct hint {
    enum missing missing;
    uintptr_t written, read; /* where the flag is written, and where it is read */
    bool devices;            /* the two are on different devices */
    bool too_small;          /* there is a fence behind the read, but of block scope */
};

struct vector_clock; /* vector_clock.c */
struct flush;

/* What a thread's fence makes known to whoever sees a later atomic or volatile write of it. */
struct release {
    bool valid, lanes;    /* lanes: the clocks of the other lanes count too */
    uint32_t base;        /* of the block, at the fence */
    uint32_t clock[WARP]; /* of each lane of the warp; its own always counts */
    struct vector_clock *acquired;
};

/* An atomic or volatile write by another thread that a thread has seen. */
struct seen_write {
    uintptr_t word;
    unsigned bytes;
    uint32_t serial, epoch; /* of the writer */
    unsigned thread;
    uintptr_t written, read;        /* where: code addresses */
    uint64_t fences, device_fences; /* of the reader, until then */
};

struct sync_var;
struct release_record;
struct target;
enum { SEEN_WRITES = 2 };
struct check_thread {
    uint32_t epoch;       /* its clock; below the block's base means base */
    uint32_t sites_base;  /* sites counts while this is the block's base */
    uint64_t sites;       /* where it touched memory since the last barrier, see site_bit */
    uint32_t lanes_base;  /* lane[] counts while this is the block's base */
    bool polled;          /* it read poll_address, and has not yet looked up who wrote that */
    uint32_t poll_serial; /* of the block in whose shared memory that is; 0: in none's */
    uint8_t poll_scope;   /* of that access: enum cpu_scope */
    bool poll_swap;       /* by a compare-and-swap, or an exchange */
    uint8_t poll_from, poll_bytes; /* the words from there on */
    uintptr_t poll_address, poll_site;
    struct region *poll_region; /* NULL: nothing that another block could write there */
    size_t poll_offset;
    uint64_t poll_fences, poll_device_fences; /* as below, when it polled last */
    uint32_t lane[WARP];                      /* up to which clock of each lane it is in order */
    struct vector_clock *acquired;            /* in order before its next access */
    struct vector_clock *pending;             /* in order after its next fence of device scope */
    struct vector_clock *in_scope[2]; /* of that what fences of block and device scope looked at */
    struct sync_var *looked_up, *published; /* the last one that it looked up, or published to */
    uint64_t looked_up_version, published_stamp;
    struct release_record *published_record;
    uintptr_t warp_op;              /* where it took part in an operation of the whole warp last */
    uint32_t warp_op_serial;        /* warp_op counts while this is the block's serial */
    uint64_t stamp;                 /* grows with each fence */
    uint64_t fences, device_fences; /* of its own: how many, and of device scope */
    struct seen_write seen[SEEN_WRITES]; /* the latest first */
    struct release release[3];           /* by fences of each scope and up */
    bool releases;                       /* its next atomic write does by itself, and then */
    struct release kept[3];              /* these count again */
    struct holding holding;
    uint32_t proxy_clock;           /* its clock at its last fence of the proxies, */
    uint32_t proxy_base;            /* and the block's base then */
    uint32_t arrived, arrived_base; /* the same at its last arrival at a cluster's barrier; 0: tells
                                       nothing */
    uint32_t met_serial;            /* it has passed one while this is the block's serial */
};

struct counter { /* a word, and the last atomic of the block on it */
    uintptr_t word;
    uint32_t epoch;
    unsigned thread;
};

struct check_launch { /* what the checks have hung on a launch */
    uint32_t launch_serial, floor;
    _Atomic uint32_t first_serial;  /* since its last grid barrier */
    struct vector_clock *inherited; /* by being behind other launches: ended.c */
    struct vector_clock *acquired;  /* by the blocks that have ended */
};

struct check_block {
    uint32_t launch_serial; /* the first of the launch */
    uint32_t floor;         /* what is not in order before the launch has numbers from there on */
    int device;
    uint32_t serial;       /* different for each block, and for it after each grid barrier */
    uint32_t first_serial; /* of the launch, or of its part since the last grid barrier */
    uint32_t base, latest; /* epoch of the last barrier; the latest one */
    unsigned flights;      /* copies that have not arrived, see async.c */
    unsigned flight_hits;  /* accesses to the places that they go to */
    unsigned products;     /* of warps, and pieces of copies, that nobody has waited for */
    uint64_t era;          /* of the serial numbers */
    bool fenced;           /* some thread, since the last barrier */
    bool killed;           /* some thread was ended by a finding: what it left undone is no news */
    uint64_t passed;       /* code that an ended thread ran, and the others have not yet reached */
    struct party missed, waited; /* that thread, and one that waited at the barrier it missed */
    thread_set aware;            /* threads with something to forget when the block ends */
    struct counter counter[8];   /* global words that the block changed by atomics, the last few */
    unsigned counters;
    bool clustered;        /* the launch has clusters, and */
    struct region *region; /* this the shadow of shared memory */
    bool visited;          /* another block of the cluster has touched it */
    struct vector_clock *met,
        *known;                  /* by the cluster's last barrier; by threads that have ended */
    struct vector_clock *common; /* what all threads have acquired by the last barrier */
    struct flush *flush[3];      /* what fences of each scope before the last barrier make known */
    struct check_thread thread[MAX_THREADS];
    uint8_t flying[SHARED_BYTES / 4];        /* how many of them go to each word of shared memory */
    uint16_t multiplying[SHARED_BYTES / 16]; /* products, and copies to global memory, that read
                                                each 16 bytes: products.c */
    uint32_t written[SHARED_BYTES / 32];     /* a bit per byte of shared memory */
    struct shadow_word shadow[SHARED_BYTES / 4];
    struct shadow_word *bytes; /* of the words that are split; NULL: none was */
};

static inline struct check_block *check_of(const struct block *b)
{
    return b->check;
}

static inline uint32_t check_epoch(struct check_block *cb, struct check_thread *ct)
{
    if (ct->epoch < cb->base)
        ct->epoch = cb->base;
    return ct->epoch;
}

/* The block's own time: no epoch of its threads is later. */
static inline uint32_t check_now(const struct check_block *cb)
{
    return cb->latest > cb->base ? cb->latest : cb->base;
}

/* place.c */
struct region; /* shadow_global.h */

struct finding;

/* Where an access goes. */
struct place {
    struct block *owner;   /* whose shared memory it is; NULL: none's */
    struct region *region; /* NULL: shared memory of a launch without clusters */
    size_t offset;         /* bytes from the start of the region, or of shared memory */
    const void *shadow;    /* of the region or of shared memory; NULL: none, do not check */
};
bool place_find(const struct access *a, struct place *p); /* false: a mistake, and recorded */
struct region *place_recent(uintptr_t address); /* NULL: it is in none that was used of late */
void place_check_written(const struct access *a, const struct place *p);
/* Which variable of shared memory that offset is in. */
void place_tell_shared(const struct block *b, size_t offset, struct finding *f);
void place_forget_accesses(void); /* the serial numbers start again */
void place_allocated(struct allocation *a);
void place_guarded(struct allocation *a);
void place_freed(struct allocation *a);
bool place_of_host(const struct access *a, struct place *p); /* false: no shadow there */
void place_host_write(uintptr_t address, size_t bytes);

/* race_global.c */
void race_global_check(const struct access *a, const struct place *p);
/* A plain read of a word where there is nothing to find; false: nothing is done, look at it. */
bool race_global_read_quickly(struct thread *t, uintptr_t address, uintptr_t site);
/* Look up who wrote what the thread polled, if it did, before what it does next (NULL: a fence);
 * while no line of the shadow is locked. */
void race_global_settle(struct thread *t, const struct access *next);
/* The host touches memory: what a launch did there that the host has not waited for is a
 * finding. */
void race_global_by_host(const struct access *a, const struct place *p);

void race_global_by_stream(const struct stream_access *a, uint32_t serial);

/* orders.c */
void orders_run(struct launch *l);

/* shadow_shared.c: offset: bytes from the start of the block's shared memory */
void shadow_shared_check(const struct access *a, size_t offset);
/* A word of what is written already, where there is nothing to find; false: as above. */
bool shadow_shared_check_quickly(struct thread *t, size_t offset, unsigned flags, uintptr_t site);
bool shadow_shared_check_plain(
    const struct access *a); /* if it is plain, of what is written; else false */

/* The last store to these bytes; its id is 0: there was none in this block. */
struct shadow_cell shadow_shared_writer(const struct check_block *cb, size_t offset,
                                        unsigned bytes);

/* order.c */
void order_tick(struct check_block *cb, struct check_thread *ct); /* the thread's clock */
bool order_happens_before(const struct thread *t, const struct target *target);
void order_resolve(struct thread *t);        /* look up who wrote what it polled */
bool order_released(const struct thread *t); /* a fence stands before what it writes next */
void order_publish(const struct access *a, bool ticks);         /* and the clock ticks */
void order_poll(const struct access *a, const struct place *p); /* p NULL: no memory */
void order_fence(struct thread *t, enum cpu_scope scope);
void order_release(struct thread *t, enum cpu_scope scope); /* for its next atomic write alone */
void order_acquire(struct thread *t, enum cpu_scope scope); /* what its atomic reads saw */
void order_barrier(struct block *b);
void order_warp(struct block *b, struct warp *w, uint32_t mask);
uintptr_t order_object_word(uintptr_t object); /* by which the phase under way is told of */
/* A copy that this word waits for, in shared memory of the block of that serial. */
void order_copied(struct thread *t, uintptr_t word, uint32_t serial);
void order_forget(struct check_block *cb); /* a new block, or a grid barrier */
/* The block tells through that word what is in the flush; and its thread acquires what its
 * cluster's last barrier has. */
void order_release_block(struct check_block *cb, struct sync_var *s, struct flush *f);
void order_meet(struct check_block *cb, unsigned thread);

/* async.c */
bool async_in_flight(const struct access *a, const struct place *p); /* true: a mistake, recorded */
void async_copy(struct thread *t, const struct copy *c);
void async_copied(struct thread *t, const struct copy *c);
void async_arrive(struct thread *t, uintptr_t object);
void async_pass(struct thread *t, uintptr_t object);
void async_forget(struct check_block *cb);
/* One more, or less, is on its way to these bytes. */
void async_count(struct check_block *cb, size_t offset, unsigned bytes, int change);

/* clusters.c */
void clusters_block_begin(struct block *b);
void clusters_free(struct check_block *cb);
void clusters_thread_end(struct thread *t);
void clusters_arrive(struct thread *t, bool releases);
void clusters_barrier(struct block *last);
void clusters_pass(struct thread *t);
/* To the shared memory of another block of the cluster; false: a mistake, and recorded. */
bool clusters_check_access(const struct access *a, struct block *owner);
/* Who touched that place of the owner's shared memory last? */
void clusters_check_shared(const struct access *a, struct block *owner, size_t offset);
/* As shadow_shared_writer, of a block of a cluster: what other blocks stored is not looked at. */
struct shadow_cell clusters_shared_writer(const struct check_block *cb, size_t offset,
                                          unsigned bytes);

/* bulk.c */
void bulk_check_begin(struct thread *t, const struct bulk *c);
void bulk_check_done(struct thread *t, const struct bulk *c);
void bulk_check_end(struct block *b);

/* products.c */
void products_local(const struct access *a); /* to memory of the thread's own */
bool products_still_read(const struct access *a, const struct place *p); /* true: a mistake */
/* A copy to global memory reads there from now on, or, less by one, does not any more. */
void products_reading(struct check_block *cb, const struct access *a, int change);
void products_begin(struct thread *t, const struct product *p);
void products_done(struct thread *t, const struct product *p);
void products_waited(struct thread *t);
void products_proxy_fence(struct thread *t);
void products_end(struct block *b);
void products_forget(struct block *b);

/* seen.c */
void seen_add(const struct access *a, const struct target *writer, uintptr_t site);
void seen_hint(const struct access *a, const struct target *old, struct hint *hint);

/* sync.c */
void sync_barrier(struct block *b);
void sync_warp(struct thread *t, enum cpu_warp_op op, uint32_t mask);
void sync_lanes_apart(struct thread *t, struct thread *other);
void sync_lane_missing(struct thread *t, uint32_t mask, unsigned lane);
void sync_grid_missing(struct thread *t);
void sync_without_mask(struct thread *t);
void sync_passed(const struct access *a); /* code of cb->passed */
void sync_thread_end(struct thread *t);
void sync_stuck(struct block *b);

/* findings.c */
enum finding_kind {
    FOUND_OUTSIDE,
    FOUND_FREED,
    FOUND_OUTSIDE_SHARED,
    FOUND_NULL,
    FOUND_HOST,
    FOUND_PEER,        /* another device's memory, without peer access */
    FOUND_BLOCK_EARLY, /* shared memory of another block, which may not have begun, */
    FOUND_BLOCK_ENDED, /* or may have ended */
    FOUND_CONSTANT,    /* a kernel writes what is __constant__ */
    FOUND_MISALIGNED,
    FOUND_RACE,
    FOUND_RACE_SHARED,
    FOUND_SIZES, /* atomics of different sizes */
    FOUND_HANDED,
    FOUND_VOLATILE, /* one of them volatile, and nothing orders the two */
    FOUND_LUCK,     /* the order in which two threads took a lock alone kept them apart */
    FOUND_LEFT_OUT, /* volatile, and under a lock, but for this write */
    FOUND_READ_ONLY,
    FOUND_BY_HOST, /* by the host's code, before it waited: printed at once */
    FOUND_UNWRITTEN,
    FOUND_UNWRITTEN_SHARED,
    FOUND_TWO_BARRIERS,
    FOUND_BARRIER_MISSED,
    FOUND_CLUSTER_AROUND, /* the cluster's, and */
    FOUND_BARRIER_AROUND, /* by threads that have run to the kernel's end */
    FOUND_NOT_IN_MASK,
    FOUND_LANE_ENDED,
    FOUND_LANE_ABSENT,
    FOUND_LANE_READ,
    FOUND_NO_GRID,
    FOUND_OLD_WARP, /* an operation of before CUDA 9, without a mask */
    FOUND_APART,    /* lanes do from different places what they must do together */
    FOUND_STUCK,
    FOUND_IN_FLIGHT,
    FOUND_LEFT_BEHIND, /* a copy that nobody has waited for when its block ends */
    FOUND_STILL_READ,  /* a write to what a product, or a copy, may still read */
    FOUND_SUM,         /* an access to what a product may still write */
    FOUND_NOT_FENCED,  /* a product behind other accesses to its registers */
    FOUND_PROXY,       /* a product of what was stored, with no fence of the proxies between */
    FOUND_UNEVEN       /* warps of a warpgroup have not multiplied as often */
};

struct finding {
    enum finding_kind kind;
    unsigned parties;
    struct party party[2]; /* the one that did it now, and the other one */
    struct {
        unsigned number; /* of the allocation, 0: a variable of the program */
        size_t bytes, offset;
        uintptr_t base;
        size_t distance;     /* outside: from the nearest end */
        bool before, across; /* before its start; it begins inside */
        bool none;           /* there is no allocation at all */
        bool shared;         /* shared memory: base is its start, and offset counts from there */
        size_t start;        /* of shared memory the offset of the variable, where one is known */
        const struct cpu_shared_variable *variable;
        const struct variable *of_program; /* one of its variables, where it is known */
    } memory;
    uintptr_t address;
    unsigned bytes;
    bool has_value;
    unsigned char value[16];
    uint32_t mask, lanes; /* warp operations: as given, and those that are wrong */
    unsigned lane;        /* that a shuffle reads */
    struct hint hint;
    enum wait wait; /* stuck */
    unsigned other; /* the rank in the cluster of the block whose shared memory it is */
    /* set by findings.c */
    unsigned order; /* of --schedule=random, in which alone it was found; 0: the usual one */
    unsigned long count;
    bool printed;
};

bool finding_is_new(const struct finding *f); /* the first of its kind at these places */
/* Whether finding_add takes its places: it is new, or before the place of the same one so far. */
bool finding_is_earliest(const struct finding *f);
void finding_add(const struct finding *f);
void finding_add_host(const struct finding *f);      /* outside of launches; printed at once */
void finding_add_operation(const struct finding *f); /* the same, by an operation of a stream */
void findings_print(void);                           /* what this launch added */
void findings_launch(const struct launch *l);
/* Between a copy of the process, which runs the coming launch in that order, and the process. */
void findings_send(int to, unsigned order);
void findings_receive(int from);
/* Another tool that is told what is found, when it is, and when it is told: by the entry that both
 * times are about. NULL: none. */
struct finding_listener {
    void (*found)(const struct finding *f, unsigned entry);
    void (*told)(unsigned entry, const char *text);
};
extern const struct finding_listener *finding_listener;
void findings_forget(void);           /* between launches: the same would be news again */
extern atomic_bool finding_of_memory; /* some access was not done */

#endif
