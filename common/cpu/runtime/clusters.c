/*
 * Clusters of blocks, as kernels and the host ask for them. The engine runs them: engine/cluster.c.
 *
 * An address of shared memory as PTX has it is the rank of its block in the cluster above bit 24,
 * and below the place from the start of that block's: so each has its own in the window
 * shared::cluster, and in a launch without clusters it is the place alone.
 */
#include "cpu/abi.h"
#include "cpu/engine/cluster.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/grid_launch.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/kernels.h"

enum { RANK_SHIFT = 24 };
#define SHARED_WINDOW ((size_t)MAX_CLUSTER << RANK_SHIFT)

/* --- where a block is ------------------------------------------------------------------------- */

bool cpu_cluster_explicit(void)
{
    return cpu_thread()->block->launch->cluster.x;
}

struct cpu_dim cpu_cluster_dim(void)
{
    struct cpu_dim c = cpu_thread()->block->launch->cluster;

    return c.x ? c : (struct cpu_dim){1, 1, 1};
}

struct cpu_dim cpu_cluster_index(void)
{
    struct cpu_dim c = cpu_cluster_dim(), i = cpu_thread()->block->index;

    return (struct cpu_dim){i.x % c.x, i.y % c.y, i.z % c.z};
}

struct cpu_dim cpu_cluster_in_grid(void)
{
    struct cpu_dim c = cpu_cluster_dim(), i = cpu_thread()->block->index;

    return (struct cpu_dim){i.x / c.x, i.y / c.y, i.z / c.z};
}

unsigned cpu_cluster_rank(void)
{
    return cpu_thread()->block->rank;
}

/* --- shared memory of the cluster ------------------------------------------------------------- */

/* The block whose shared memory it is, the running one or another of its cluster; NULL: none. */
static struct block *owner_of(struct block *b, const void *p)
{
    return (uintptr_t)p - (uintptr_t)b->shared < SHARED_BYTES ? b : cluster_owner(b, (uintptr_t)p);
}

static void fail(struct thread *t, const char *what, unsigned rank)
{
    cpu_fail(cudaErrorLaunchFailure, "%s: %s %u of a cluster of %u (thread %u of block %llu)",
             t->block->launch->name, what, rank, cluster_blocks(t->block->launch), t->id,
             (unsigned long long)t->block->number);
    cpu_kill(t);
}

static struct block *block_of_rank(struct block *b, size_t rank)
{
    return rank == b->rank                           ? b
           : b->cluster && rank < b->cluster->blocks ? b->cluster->member[rank].block
                                                     : NULL;
}

void *cpu_cluster_map(const void *p, unsigned rank)
{
    struct thread *t = cpu_thread();
    const struct block *of = owner_of(t->block, p), *to = block_of_rank(t->block, rank);

    if (!of)
        fail(t, "an address that is not in shared memory is mapped to that of block", rank);
    if (!to)
        fail(t, "an address is mapped to shared memory of block", rank);
    return to->shared + ((const char *)p - of->shared);
}

int cpu_cluster_owner(const void *p)
{
    const struct block *of = owner_of(cpu_thread()->block, p);

    return of ? (int)of->rank : -1;
}

void *cpu_shared_at(size_t address)
{
    struct block *b = cpu_thread()->block, *of = NULL;

    if (address < SHARED_WINDOW)
        of = block_of_rank(b, address >> RANK_SHIFT);
    return of ? of->shared + (address & (((size_t)1 << RANK_SHIFT) - 1)) : b->shared + address;
}

size_t cpu_shared_address(const void *p)
{
    struct block *b = cpu_thread()->block;
    const struct block *of = owner_of(b, p);

    return of ? ((size_t)of->rank << RANK_SHIFT) + (size_t)((const char *)p - of->shared)
              : (size_t)((const char *)p - b->shared);
}

/* --- the barrier ------------------------------------------------------------------------------ */

static void mistaken(struct thread *t, const char *mistake)
{
    if (!mistake)
        return;
    cpu_fail(cudaErrorLaunchFailure, "%s: %s (thread %u of block %llu)", t->block->launch->name,
             mistake, t->id, (unsigned long long)t->block->number);
    cpu_kill(t);
}

void cpu_cluster_arrive(bool releases)
{
    mistaken(cpu_thread(), cluster_arrive(cpu_thread(), releases, HERE));
}

void cpu_cluster_wait(void)
{
    mistaken(cpu_thread(), cluster_wait(cpu_thread(), HERE));
}

/* --- by the host ------------------------------------------------------------------------------ */

/* The blocks of a cluster of such a launch; 0: it asks for none. */
static cudaError_t ask(const void *kernel, const struct cpu_cluster_question *q, unsigned *blocks,
                       unsigned *limit)
{
    struct cpu_dim c = q->cluster;
    const struct cpu_dim *g = &q->grid;

    if (!kernel)
        return error_keep(cudaErrorInvalidDeviceFunction);
    if (q->threads < 1)
        return error_keep(cudaErrorInvalidValue);
    if (!kernel_clusters(kernel, cpu_current_device, &c, limit))
        return error_keep(cudaErrorInvalidClusterSize);
    *blocks = c.x * c.y * c.z;
    if ((c.x || c.y || c.z) &&
        (!*blocks || *blocks > *limit || g->x % c.x || g->y % c.y || g->z % c.z))
        return error_keep(cudaErrorInvalidClusterSize);
    return cudaSuccess;
}

int cpu_occupancy_clusters(int *clusters, const void *kernel, const struct cpu_cluster_question *q)
{
    unsigned blocks, limit;
    cudaError_t error;

    if (!clusters)
        return error_keep(cudaErrorInvalidValue);
    *clusters = 0;
    error = ask(kernel, q, &blocks, &limit);
    if (error || !blocks)
        return error;
    *clusters =
        (int)(launch_sms() * kernel_resident(kernel, q->threads, q->dynamic_shared) / blocks);
    return cudaSuccess;
}

int cpu_occupancy_cluster_size(int *size, const void *kernel, const struct cpu_cluster_question *q)
{
    unsigned blocks, limit;
    cudaError_t error;

    if (!size)
        return error_keep(cudaErrorInvalidValue);
    error = ask(kernel, q, &blocks, &limit); /* a size that is given must be right, too */
    if (error)
        return error;
    *size = (int)limit;
    while (*size > 1 &&
           launch_sms() * kernel_resident(kernel, q->threads, q->dynamic_shared) < (unsigned)*size)
        *size /= 2;
    return cudaSuccess;
}
