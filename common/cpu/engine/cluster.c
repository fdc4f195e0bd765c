/*
 * Clusters of blocks. All blocks of a cluster begin together, with one worker, and stay in its list
 * until the last of them has ended: so each can reach the shared memory of the others, and only one
 * of their threads runs at a time. Where none of them can go on the cluster is stuck.
 *
 * The barrier of a cluster is in two parts, for each thread: it arrives, and waits later. Threads
 * that have ended count as arrived. The last one that arrives, or ends, releases the others.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cpu/engine/cluster.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

unsigned cluster_blocks(const struct launch *l)
{
    return l->cluster.x ? l->cluster.x * l->cluster.y * l->cluster.z : 1;
}

static struct cluster *new_cluster(unsigned blocks, unsigned threads)
{
    struct cluster *c = calloc(1, sizeof(*c) + blocks * sizeof(c->member[0]));

    if (!c) {
        fprintf(stderr, "CPU device: out of memory for a cluster of %u blocks\n", blocks);
        exit(3);
    }
    c->blocks = c->left = blocks;
    c->alive = c->pending = threads;
    return c;
}

uint64_t cluster_block_at(const struct launch *l, uint64_t cluster, unsigned rank)
{
    const struct cpu_dim *g = &l->grid, *c = &l->cluster;
    uint64_t x = cluster % (g->x / c->x) * c->x + rank % c->x;
    uint64_t y = cluster / (g->x / c->x) % (g->y / c->y) * c->y + rank / c->x % c->y;
    uint64_t z = cluster / (g->x / c->x) / (g->y / c->y) * c->z + rank / c->x / c->y;

    return (z * g->y + y) * g->x + x;
}

struct cluster *cluster_new(const struct launch *l)
{
    unsigned blocks = cluster_blocks(l);

    return new_cluster(blocks, blocks * l->threads);
}

void cluster_add(struct cluster *c, struct block *b, unsigned rank)
{
    b->cluster = c;
    b->rank = rank;
    c->member[rank].block = b;
}

struct cluster *cluster_of(struct block *b)
{
    if (!b->cluster) {
        b->cluster = new_cluster(1, b->alive);
        b->cluster->member[0].block = b;
    }
    return b->cluster;
}

void cluster_forget(struct block *b)
{
    if (b->cluster && !--b->cluster->left)
        free(b->cluster);
    b->cluster = NULL;
}

struct block *cluster_owner(const struct block *b, uintptr_t address)
{
    const struct cluster *c = b->cluster;

    for (unsigned i = 0; c && i < c->blocks; i++)
        if (address - (uintptr_t)c->member[i].block->shared < SHARED_BYTES)
            return c->member[i].block;
    return NULL;
}

/* A block at a barrier of the grid waits for all blocks, and so for those of its cluster. */
bool cluster_is_stuck(const struct block *b)
{
    const struct cluster *c = b->cluster;
    bool waits = false;

    for (unsigned i = 0; i < c->blocks; i++) {
        const struct block *other = c->member[i].block;

        if (!set_empty(other->ready) || !set_empty(other->spinning))
            return false;
        waits |= other->alive && !other->grid_announced;
    }
    return waits;
}

struct block *cluster_tell_stuck(struct block *b)
{
    const struct cluster *c = b->cluster;
    struct block *first = NULL;

    for (unsigned i = 0; i < c->blocks; i++) {
        struct block *other = c->member[i].block;

        OBSERVE(stuck, other);
        if (!first && other->alive && !other->grid_announced)
            first = other;
    }
    return first;
}

/* --- the barrier ------------------------------------------------------------------------------ */

static void release_if_all(struct block *b, struct cluster *c)
{
    if (c->pending || !c->alive)
        return;
    OBSERVE(cluster_barrier, b);
    c->barriers++;
    c->pending = c->alive;
    for (unsigned i = 0; i < c->blocks; i++) {
        struct cluster_member *m = &c->member[i];

        set_move(m->passed, m->arrived);
        set_move(m->block->ready, m->waiting);
    }
    cpu_progress();
}

const char *cluster_arrive(struct thread *t, bool releases, uintptr_t site)
{
    struct cluster *c = cluster_of(t->block);
    struct cluster_member *m = &c->member[t->block->rank];

    t->site = site;
    if (set_has(m->arrived, t->id) || set_has(m->passed, t->id))
        return "a thread arrives at the cluster's barrier again before it has waited for it";
    OBSERVE(cluster_arrive, t, releases);
    set_add(m->arrived, t->id);
    c->pending--;
    release_if_all(t->block, c);
    return NULL;
}

const char *cluster_wait(struct thread *t, uintptr_t site)
{
    struct cluster *c = cluster_of(t->block);
    struct cluster_member *m = &c->member[t->block->rank];

    t->site = site;
    if (set_has(m->arrived, t->id)) {
        set_remove(m->arrived, t->id);
        set_add(m->waiting, t->id);
        cpu_wait(t, AT_CLUSTER);
    } else if (set_has(m->passed, t->id)) {
        set_remove(m->passed, t->id);
    } else {
        return "a thread waits for the cluster's barrier and has not arrived at it";
    }
    OBSERVE(cluster_pass, t);
    t->line = 0; /* was of this barrier */
    return NULL;
}

void cluster_thread_ended(struct thread *t)
{
    struct block *b = t->block;
    struct cluster *c = b->cluster;
    struct cluster_member *m = &c->member[b->rank];

    c->alive--;
    if (!set_has(m->arrived, t->id))
        c->pending--;
    set_remove(m->arrived, t->id);
    set_remove(m->passed, t->id);
    release_if_all(b, c);
}
