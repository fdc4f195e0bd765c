/*
 * The peer of the allreduce family: NCCL's all-reduce, one call per device in a group.
 */
#include "harness/kit/communicators.h"
#include "families/allreduce/allreduce.h"

template <typename T> static void nccl(struct work *w)
{
    ncclComm_t *made = communicators(w->places, w->devices);

    nccl_check(ncclGroupStart(), "ncclGroupStart");
    for (int d = 0; d < w->devices; d++) {
        if (!made[d])
            continue;
        nccl_check(ncclAllReduce(w->in[d], w->out[d], w->n, nccl_type<T>(), ncclSum, made[d],
                                 w->places[d].stream),
                   "ncclAllReduce");
    }
    nccl_check(ncclGroupEnd(), "ncclGroupEnd");
}

extern "C" {
extern const struct peer allreduce_peers[];
}
const struct peer allreduce_peers[] = {
    {&type_f32, {"nccl", "ncclAllReduce", nccl<float>, GRID_BY_SIZE | BY_RANKS}},
    {&type_i32, {"nccl", "ncclAllReduce", nccl<int>, GRID_BY_SIZE | BY_RANKS}},
    {NULL},
};
