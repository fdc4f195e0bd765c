/*
 * The peers of the scan family: CUB's DeviceScan, inclusive and exclusive. Its order of additions is
 * its own; the bound beside its error is that of a chain of tiles of 256 elements.
 */
#include <cub/device/device_scan.cuh>

#include "harness/kit/peer.h"
#include "families/scan/scan.h"

template <typename T, bool EXCLUSIVE_SUM>
static cudaError_t call(void *memory, size_t &bytes, struct work *w)
{
    const T *x = (const T *)w->x;
    T *y = (T *)w->y;

    return EXCLUSIVE_SUM ? cub::DeviceScan::ExclusiveSum(memory, bytes, x, y, w->n)
                         : cub::DeviceScan::InclusiveSum(memory, bytes, x, y, w->n);
}

template <typename T, bool EXCLUSIVE_SUM> static void sum(struct work *w)
{
    static struct scratch scratch;
    size_t bytes = 0;

    peer_check(call<T, EXCLUSIVE_SUM>(NULL, bytes, w), "cub::DeviceScan");
    void *memory = peer_scratch(&scratch, bytes);
    peer_check(call<T, EXCLUSIVE_SUM>(memory, bytes, w), "cub::DeviceScan");
}

static double depth(const struct shape *s)
{
    return (double)s->n / 256 + 256;
}

#define INCLUSIVE "cub", "CUB DeviceScan::InclusiveSum"
#define EXCLUSIVELY "cub-exclusive", "CUB DeviceScan::ExclusiveSum"

extern "C" {
extern const struct peer PEER_TABLE[];
}
const struct peer PEER_TABLE[] = {
#if defined(PEERS_f32)
    {&type_f32, {INCLUSIVE, sum<float, false>, GRID_BY_SIZE, depth}},
    {&type_f32, {EXCLUSIVELY, sum<float, true>, GRID_BY_SIZE | EXCLUSIVE, depth}},
#elif defined(PEERS_i32)
    {&type_i32, {INCLUSIVE, sum<int, false>, GRID_BY_SIZE, depth}},
    {&type_i32, {EXCLUSIVELY, sum<int, true>, GRID_BY_SIZE | EXCLUSIVE, depth}},
#endif
    {NULL},
};
