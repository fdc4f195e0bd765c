/*
 * The peers of the scan family: CUB's DeviceScan, inclusive and exclusive. Its order of additions is
 * its own and, for floats, not the same in every run; the bound beside its error is that of a chain
 * of tiles of 256 elements, longer than its own.
 */
#include <cub/device/device_scan.cuh>

#include "peer.h"
#include "scan.h"

template <typename T> static void inclusive(struct work *w)
{
    static struct scratch scratch;
    const T *x = (const T *)w->x;
    T *y = (T *)w->y;
    size_t bytes = 0;

    peer_check(cub::DeviceScan::InclusiveSum(NULL, bytes, x, y, w->n),
               "cub::DeviceScan::InclusiveSum");
    void *memory = peer_scratch(&scratch, bytes);
    peer_check(cub::DeviceScan::InclusiveSum(memory, bytes, x, y, w->n),
               "cub::DeviceScan::InclusiveSum");
}

template <typename T> static void exclusive(struct work *w)
{
    static struct scratch scratch;
    const T *x = (const T *)w->x;
    T *y = (T *)w->y;
    size_t bytes = 0;

    peer_check(cub::DeviceScan::ExclusiveSum(NULL, bytes, x, y, w->n),
               "cub::DeviceScan::ExclusiveSum");
    void *memory = peer_scratch(&scratch, bytes);
    peer_check(cub::DeviceScan::ExclusiveSum(memory, bytes, x, y, w->n),
               "cub::DeviceScan::ExclusiveSum");
}

static double depth(const struct shape *s)
{
    return (double)s->n / 256 + 256;
}

const struct variant peers_f32[] = {
    {"cub", "CUB DeviceScan::InclusiveSum", inclusive<float>, GRID_BY_SIZE, depth},
    {"cub-exclusive", "CUB DeviceScan::ExclusiveSum", exclusive<float>, GRID_BY_SIZE | EXCLUSIVE,
     depth},
    {NULL},
};
const struct variant peers_i32[] = {
    {"cub", "CUB DeviceScan::InclusiveSum", inclusive<int>, GRID_BY_SIZE, depth},
    {"cub-exclusive", "CUB DeviceScan::ExclusiveSum", exclusive<int>, GRID_BY_SIZE | EXCLUSIVE,
     depth},
    {NULL},
};
