#include "harness/kit/ranks_environment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/message.h"
#include "harness/kit/number.h"
#include "harness/kit/ranks.h"

/* The variables by which launchers tell a process its rank. */
static const struct launcher {
    const char *rank, *size, *local;
    const char *only_with; /* what must be set, too; NULL: nothing */
} launchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", NULL}, /* torchrun, and by hand */
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", NULL},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", NULL},
    /* A batch script has the first two as well, and is no rank. */
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_STEP_ID"},
};

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* A number from least to most; 0, or BAD_USAGE after one line. */
static int read_number(const char *name, int least, int most, int *to)
{
    const char *value = variable(name);
    uint64_t number;

    if (!number_parse(value, &number) || number < (uint64_t)least || number > (uint64_t)most)
        return complain(BAD_USAGE, "%s=%s: not accepted; accepted: %d to %d", name, value, least,
                        most);
    *to = (int)number;
    return 0;
}

/* What one launcher says; nothing is said: the size stays 0. */
static int read_launcher(const struct launcher *l, struct ranks_environment *e)
{
    bool rank = variable(l->rank), size = variable(l->size);
    int status;

    if ((!rank && !size) || (l->only_with && !variable(l->only_with)))
        return 0;
    if (rank != size)
        return complain(BAD_USAGE, "%s is set and %s is not: a rank is told of both",
                        rank ? l->rank : l->size, rank ? l->size : l->rank);
    status = read_number(l->size, 1, MAX_RANKS, &e->size);
    if (status == 0)
        status = read_number(l->rank, 0, e->size - 1, &e->rank);
    if (status == 0 && variable(l->local))
        status = read_number(l->local, 0, e->rank, &e->local);
    return status;
}

/* The first launcher that says something; the others must not say something else. SLURM's
 * variables may be those of a step whose tasks are launchers themselves. */
static int read_launchers(struct ranks_environment *e)
{
    const struct launcher *told = NULL;

    for (size_t i = 0; i < COUNT(launchers); i++) {
        const struct launcher *l = &launchers[i];
        struct ranks_environment other = {.local = -1};
        int status = told && l->only_with ? 0 : read_launcher(l, &other);

        if (status != 0)
            return status;
        if (other.size == 0)
            continue;
        if (told && (other.rank != e->rank || other.size != e->size))
            return complain(BAD_USAGE,
                            "%s and %s contradict each other: rank %d of %d, and rank %d of %d",
                            told->rank, l->rank, e->rank, e->size, other.rank, other.size);
        if (!told)
            *e = other;
        told = told ? told : l;
    }
    return e->local < 0 && variable("SLURM_LOCALID")
               ? read_number("SLURM_LOCALID", 0, e->rank, &e->local)
               : 0;
}

/* Where rank 0 is. Without a word it is on this host, which then has all ranks. */
static int read_address(struct ranks_environment *e)
{
    bool told = variable("MASTER_ADDR");

    e->address = told ? variable("MASTER_ADDR") : "127.0.0.1";
    e->port = 29500;
    if (e->local < 0 && told && strcmp(e->address, "127.0.0.1") && strcmp(e->address, "localhost"))
        return complain(BAD_USAGE, "LOCAL_RANK is missing: which device of this host is rank %d's",
                        e->rank);
    if (e->local < 0)
        e->local = e->rank;
    if (!told && e->local != e->rank)
        return complain(BAD_USAGE,
                        "MASTER_ADDR is missing: rank %d is number %d of its host, so there are "
                        "several hosts, and it is the name or address of rank 0's",
                        e->rank, e->local);
    return variable("MASTER_PORT") ? read_number("MASTER_PORT", 1, 65535, &e->port) : 0;
}

int ranks_environment(struct ranks_environment *e)
{
    int status;

    *e = (struct ranks_environment){.size = 0};
    status = read_launchers(e);
    if (status != 0)
        return status;
    if (e->size <= 1) {
        *e = (struct ranks_environment){.size = 1};
        return 0;
    }
    return read_address(e);
}
