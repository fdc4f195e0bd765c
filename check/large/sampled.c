/*
 * See sampled.h. The program is linked with --wrap for the calls of translated code below, so that
 * the steps' objects and the CPU device are those of the build.
 */
#include "sampled.h"

#include <limits.h>
#include <stddef.h>

#include "cpu/abi.h"

#define WRAP(T, name, ...)                                                                         \
    T __real_##name(__VA_ARGS__);                                                                  \
    T __wrap_##name(__VA_ARGS__);                                                                  \
    T __wrap_##name(__VA_ARGS__)

void (*sampled_before)(void);

static struct cpu_dim whole; /* the grid of the launch, if it is sampled; else x is 0 */
static unsigned together;    /* blocks of a cluster; a cluster is sampled as a whole */
static bool only, left_out;
static void *ticket_words;
static uint64_t ticket_tiles, drawn_rows;

extern char __data_start[], _end[]; /* set by the linker: the program's own variables */

uint64_t sampled_number(uint64_t k, uint64_t of)
{
    uint64_t group = k / SAMPLED_EACH, at = k % SAMPLED_EACH;

    return group == 0 ? at : group == 1 ? of / 2 - SAMPLED_EACH / 2 + at : of - SAMPLED_EACH + at;
}

void sampled_tickets(void *words, uint64_t tiles)
{
    ticket_words = words;
    ticket_tiles = tiles;
}

void sampled_draws(uint64_t rows)
{
    drawn_rows = rows;
}

void sampled_only(bool wanted)
{
    only = wanted;
}

bool sampled_left_out(void)
{
    return left_out;
}

WRAP(int, cpu_launch, const void *kernel, const char *name, struct cpu_dim grid, struct cpu_dim dim,
     size_t shared, struct cpu_how how, const struct cpu_kernel_call *call, const void *stream)
{
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    int error;

    left_out = only && blocks <= SAMPLED_WHOLE;
    if (left_out)
        return 0;
    if (sampled_before)
        sampled_before();
    whole = (struct cpu_dim){0};
    if (blocks > SAMPLED_WHOLE) {
        whole = grid;
        together = how.cluster.x ? how.cluster.x : 1;
        grid = (struct cpu_dim){SAMPLED * together, 1, 1};
    }
    error = __real_cpu_launch(kernel, name, grid, dim, shared, how, call, stream);
    whole = (struct cpu_dim){0};
    return error;
}

WRAP(unsigned, cpu_grid_dim, enum cpu_axis axis)
{
    if (!whole.x)
        return __real_cpu_grid_dim(axis);
    return axis == CPU_X ? whole.x : axis == CPU_Y ? whole.y : whole.z;
}

WRAP(unsigned, cpu_block_index, enum cpu_axis axis)
{
    unsigned own = __real_cpu_block_index(CPU_X);
    uint64_t number;

    if (!whole.x)
        return __real_cpu_block_index(axis);
    number = sampled_number(own / together, (uint64_t)whole.x * whole.y * whole.z / together) *
                 together +
             own % together;
    if (axis != CPU_X)
        number /= whole.x;
    if (axis == CPU_Z)
        number /= whole.y;
    return (unsigned)(axis == CPU_Z ? number : number % (axis == CPU_X ? whole.x : whole.y));
}

/* A grid of as many clusters as the device holds would be run as a whole. */
WRAP(int, cpu_occupancy_clusters, int *clusters, const void *kernel,
     const struct cpu_cluster_question *q)
{
    int error = __real_cpu_occupancy_clusters(clusters, kernel, q);

    if (*clusters > 0)
        *clusters = INT_MAX;
    return error;
}

/* A ticket of the program's own, which the last block of the grid finds out by: the blocks that are
 * not run have taken theirs before. */
static bool counts_blocks(const void *p)
{
    return whole.x && (const char *)p >= __data_start && (const char *)p < _end;
}

WRAP(uint32_t, cpu_atomic_inc_u32, uint32_t *p, uint32_t most)
{
    uint32_t number;

    if (!counts_blocks(p))
        return __real_cpu_atomic_inc_u32(p, most);
    if (!drawn_rows)
        return __real_cpu_atomic_inc_u32(p, SAMPLED - 1) + most - (SAMPLED - 1);
    number = __real_cpu_atomic_inc_u32(p, 2 * SAMPLED - 1); /* each cluster's last is no row */
    return (uint32_t)(number < SAMPLED ? sampled_number(number, drawn_rows) : drawn_rows);
}

/* An addition, as cuda::atomic_ref makes it. */
WRAP(uint64_t, cpu_atomic_update, void *p, enum cpu_atomic_op op, uint64_t value, unsigned bytes)
{
    return __real_cpu_atomic_update(p, op, value, bytes) +
           (counts_blocks(p) ? whole.x - SAMPLED : 0);
}

WRAP(uint64_t, cpu_atomic_add_u64, uint64_t *p, uint64_t v)
{
    uint64_t ticket = __real_cpu_atomic_add_u64(p, v);

    if ((void *)p != ticket_words)
        return ticket + (counts_blocks(p) ? whole.x - SAMPLED : 0);
    return ticket < SAMPLED ? sampled_number(ticket, ticket_tiles) : ticket_tiles + ticket;
}

/* The device gives out no more memory than the machine has. Here most pages are never touched. */
#define MACHINE ((size_t)256 << 30)

WRAP(size_t, machine_memory, void)
{
    return MACHINE;
}

WRAP(size_t, machine_memory_available, void)
{
    return MACHINE;
}
