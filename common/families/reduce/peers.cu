/*
 * The peer of the reduce family: CUB's DeviceReduce::Sum. Its order of additions is its own; the
 * bound beside its error is that of the family's default for one block.
 */
#include <cub/device/device_reduce.cuh>

#include "harness/kit/peer.h"
#include "families/reduce/reduce.h"

template <typename T> static void sum(struct work *w)
{
    static struct scratch scratch;
    const T *x = (const T *)w->x;
    T *out = (T *)w->sum;
    size_t bytes = 0;

    peer_check(cub::DeviceReduce::Sum(NULL, bytes, x, out, w->n), "cub::DeviceReduce::Sum");
    void *memory = peer_scratch(&scratch, bytes);
    peer_check(cub::DeviceReduce::Sum(memory, bytes, x, out, w->n), "cub::DeviceReduce::Sum");
}

extern "C" {
extern const struct peer reduce_peers[];
}
const struct peer reduce_peers[] = {
    {&type_f32, {"cub", "CUB DeviceReduce::Sum", sum<float>, GRID_BY_SIZE}},
    {&type_i32, {"cub", "CUB DeviceReduce::Sum", sum<int>, GRID_BY_SIZE}},
    {NULL},
};
