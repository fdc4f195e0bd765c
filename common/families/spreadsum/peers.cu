/*
 * The peer of the spreadsum family: CUB's sum of each part, then NCCL's all-reduce of the one word.
 */
#include <cub/device/device_reduce.cuh>

#include "harness/kit/communicators.h"
#include "families/spreadsum/spreadsum.h"

template <typename T> static void nccl(struct work *w)
{
    static struct scratch scratch; /* of each device */
    ncclComm_t *made = communicators(w->places, w->devices);

    for (int d = 0; d < w->devices; d++) {
        const T *x = (const T *)w->x[d];
        T *total = (T *)w->total[d];
        size_t bytes = 0;

        if (!made[d])
            continue;
        cudaSetDevice(w->places[d].device->ordinal);
        peer_check(cub::DeviceReduce::Sum(NULL, bytes, x, total, w->length[d], w->places[d].stream),
                   "cub::DeviceReduce::Sum");
        void *memory = peer_scratch(&scratch, bytes);
        peer_check(
            cub::DeviceReduce::Sum(memory, bytes, x, total, w->length[d], w->places[d].stream),
            "cub::DeviceReduce::Sum");
    }
    nccl_check(ncclGroupStart(), "ncclGroupStart");
    for (int d = 0; d < w->devices; d++) {
        if (!made[d])
            continue;
        nccl_check(ncclAllReduce(w->total[d], w->sum[d], 1, nccl_type<T>(), ncclSum, made[d],
                                 w->places[d].stream),
                   "ncclAllReduce");
    }
    nccl_check(ncclGroupEnd(), "ncclGroupEnd");
}

extern "C" {
extern const struct peer PEER_TABLE[];
}
const struct peer PEER_TABLE[] = {
#if defined(PEERS_f32)
    {&type_f32,
     {"nccl", "CUB DeviceReduce::Sum, then ncclAllReduce", nccl<float>, GRID_BY_SIZE | BY_RANKS}},
#elif defined(PEERS_i32)
    {&type_i32,
     {"nccl", "CUB DeviceReduce::Sum, then ncclAllReduce", nccl<int>, GRID_BY_SIZE | BY_RANKS}},
#endif
    {NULL},
};
