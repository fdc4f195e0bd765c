/*
 * The peer of the peercopy family: NCCL's send and receive, two calls per device in a group.
 */
#include "harness/kit/communicators.h"
#include "families/peercopy/peercopy.h"

template <typename T> static void nccl(struct work *w)
{
    int p = w->devices;
    ncclComm_t *made = communicators(w->places, p);

    nccl_check(ncclGroupStart(), "ncclGroupStart");
    for (int d = 0; d < p; d++) {
        if (!made[d])
            continue;
        nccl_check(
            ncclSend(w->in[d], w->n, nccl_type<T>(), (d + 1) % p, made[d], w->places[d].stream),
            "ncclSend");
        nccl_check(ncclRecv(w->out[d], w->n, nccl_type<T>(), (d + p - 1) % p, made[d],
                            w->places[d].stream),
                   "ncclRecv");
    }
    nccl_check(ncclGroupEnd(), "ncclGroupEnd");
}

extern "C" {
extern const struct peer peercopy_peers[];
}
const struct peer peercopy_peers[] = {
    {&type_f32, {"nccl", "ncclSend and ncclRecv", nccl<float>, GRID_BY_SIZE | BY_RANKS}},
    {&type_i32, {"nccl", "ncclSend and ncclRecv", nccl<int>, GRID_BY_SIZE | BY_RANKS}},
    {NULL},
};
