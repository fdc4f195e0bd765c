/*
 * Clusters: blocks that are resident together, with a barrier of their own and each other's shared
 * memory. See cluster.c.
 */
#ifndef CPU_ENGINE_CLUSTER_H
#define CPU_ENGINE_CLUSTER_H

#include "cpu/engine/state.h"

enum {
    MAX_CLUSTER = 16,     /* blocks, where the kernel allows a size that not every device has */
    PORTABLE_CLUSTER = 8, /* and else */
};

/* A block of a cluster. Of its threads each is in one of the sets at most. */
struct cluster_member {
    struct block *block;
    thread_set arrived; /* at the barrier that is under way, and have not waited for it */
    thread_set waiting; /* for it, having arrived */
    thread_set passed;  /* arrived at the last one, and have not waited for it */
};

struct cluster {
    unsigned blocks;
    unsigned alive;    /* threads that have not ended */
    unsigned pending;  /* of these, that have not arrived at the barrier that is under way */
    unsigned left;     /* blocks that have not ended */
    uint64_t barriers; /* passed */
    struct cluster_member member[];
};

/* A cluster of the launch without its blocks, which then come into it, each by its rank; and the
 * number in the grid of the block of that rank in the cluster of that number. */
struct cluster *cluster_new(const struct launch *l);
void cluster_add(struct cluster *c, struct block *b, unsigned rank);
uint64_t cluster_block_at(const struct launch *l, uint64_t cluster, unsigned rank);

/* The cluster of a block; of one that is launched without, a cluster of this block alone. */
struct cluster *cluster_of(struct block *b);
void cluster_forget(struct block *b); /* it ends; the cluster goes back with its last block */

unsigned cluster_blocks(const struct launch *l); /* 1: without clusters */

/* The block of the cluster whose shared memory the address is in, with what lies behind that is
 * nobody's; NULL: none. */
struct block *cluster_owner(const struct block *b, uintptr_t address);

/* Tells the tools of all blocks of a stuck cluster; returns the first that waits. */
struct block *cluster_tell_stuck(struct block *b);

/* Can no thread of the cluster go on, whatever other clusters do? */
bool cluster_is_stuck(const struct block *b);

/* The running thread arrives at the cluster's barrier, once for each wait; and waits until all
 * threads of the cluster that have not ended have arrived. Returns NULL, or what is wrong. */
const char *cluster_arrive(struct thread *t, bool releases, uintptr_t site);
const char *cluster_wait(struct thread *t, uintptr_t site);
void cluster_thread_ended(struct thread *t);

#endif
