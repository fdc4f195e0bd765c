/*
 * The peer of the alltoall family: NCCL's sends and receives of all devices in one group. They take what lies
 * together, which the blocks do if each device has a single row.
 */
#include <stdio.h>

#include "harness/kit/communicators.h"
#include "families/alltoall/alltoall.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t begin_of(const struct work *w, int d)
{
    return least(w->cols, (size_t)d * w->col_share);
}

static void nccl(struct work *w)
{
    int p = w->devices;
    ncclComm_t *made = communicators(w->places, p);

    nccl_check(ncclGroupStart(), "ncclGroupStart");
    for (int d = 0; d < p; d++) {
        size_t own = begin_of(w, d + 1) - begin_of(w, d);

        if (!made[d])
            continue;
        for (int k = 0; k < p; k++) {
            if ((size_t)d < w->rows)
                nccl_check(ncclSend(w->in[d] + begin_of(w, k), begin_of(w, k + 1) - begin_of(w, k),
                                    ncclFloat, k, made[d], w->places[d].stream),
                           "ncclSend");
            if ((size_t)k < w->rows)
                nccl_check(ncclRecv(w->out[d] + (size_t)k * own, own, ncclFloat, k, made[d],
                                    w->places[d].stream),
                           "ncclRecv");
        }
    }
    nccl_check(ncclGroupEnd(), "ncclGroupEnd");
}

static bool too_many_rows(const struct shape *s, char *why, size_t room)
{
    if (s->axis[0] <= s->axis[2])
        return false;
    snprintf(
        why, room,
        "NCCL sends what lies together: at most a row per device; got %zu rows for %zu devices",
        s->axis[0], s->axis[2]);
    return true;
}

extern "C" {
extern const struct peer alltoall_peers[];
}
const struct peer alltoall_peers[] = {
    {&type_f32,
     {"nccl", "ncclSend and ncclRecv, grouped", nccl, GRID_BY_SIZE | BY_RANKS, NULL, NULL, NULL,
      NULL, 0, NULL, NULL, NULL, too_many_rows}},
    {NULL},
};
