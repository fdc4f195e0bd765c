/*
 * The peers of the histogram family: CUB's DeviceHistogram::HistogramEven. It does not count what has no
 * bin. `cub` has counters of 32 bits, which CUB is faster with, and takes fewer than 2^31 elements;
 * `cub-64` has counters as wide as ours. The levels have the narrowest type that holds the range; u32
 * elements go through an iterator that gives x % bins. Compiled once per type, because that is what
 * a build would wait for.
 */
#include <cub/device/device_histogram.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "harness/kit/peer.h"
#include "families/histogram/histogram.h"

template <typename Samples, typename Counter, typename Level>
static void even(struct work *w, Samples x)
{
    static struct scratch scratch;
    Counter *counts = (Counter *)w->counts;
    int levels = (int)w->bins.count + 1;
    Level low = (Level)w->low, high = (Level)w->high;
    size_t bytes = 0;

    peer_check(cub::DeviceHistogram::HistogramEven(NULL, bytes, x, counts, levels, low, high,
                                                   (long long)w->n),
               "cub::DeviceHistogram::HistogramEven");
    void *memory = peer_scratch(&scratch, bytes);
    peer_check(cub::DeviceHistogram::HistogramEven(memory, bytes, x, counts, levels, low, high,
                                                   (long long)w->n),
               "cub::DeviceHistogram::HistogramEven");
}

template <typename Counter> static void even_f32(struct work *w)
{
    even<const float *, Counter, float>(w, (const float *)w->x);
}

/* 2^31, the default's upper end, is no int. */
template <typename Counter> static void even_i32(struct work *w)
{
    const int *x = (const int *)w->x;

    if (w->low >= 0)
        even<const int *, Counter, unsigned>(w, x);
    else
        even<const int *, Counter, long long>(w, x);
}

template <typename Counter> static void even_u8(struct work *w)
{
    even<const unsigned char *, Counter, int>(w, (const unsigned char *)w->x);
}

struct modulo {
    unsigned bins;
    __host__ __device__ unsigned operator()(unsigned x) const
    {
        return x % bins;
    }
};

template <typename Counter> static void even_u32(struct work *w)
{
    struct modulo modulo = {w->bins.count};
    auto x = thrust::make_transform_iterator((const unsigned *)w->x, modulo);

    even<decltype(x), Counter, unsigned>(w, x);
}

#define NARROW "cub", "CUB DeviceHistogram::HistogramEven, counters of 32 bits"
#define WIDE "cub-64", "CUB DeviceHistogram::HistogramEven, counters of 64 bits"
#define NARROW_RULES GRID_BY_SIZE | ONLY_BINS | COUNTS_32
#define WIDE_RULES GRID_BY_SIZE | ONLY_BINS

extern "C" {
extern const struct peer PEER_TABLE[];
}
const struct peer PEER_TABLE[] = {
#if defined(PEERS_f32)
    {&type_f32, {NARROW, even_f32<unsigned>, NARROW_RULES}},
    {&type_f32, {WIDE, even_f32<unsigned long long>, WIDE_RULES}},
#elif defined(PEERS_i32)
    {&type_i32, {NARROW, even_i32<unsigned>, NARROW_RULES}},
    {&type_i32, {WIDE, even_i32<unsigned long long>, WIDE_RULES}},
#elif defined(PEERS_u32)
    {&type_u32, {NARROW, even_u32<unsigned>, NARROW_RULES}},
    {&type_u32, {WIDE, even_u32<unsigned long long>, WIDE_RULES}},
#elif defined(PEERS_u8)
    {&type_u8, {NARROW, even_u8<unsigned>, NARROW_RULES}},
    {&type_u8, {WIDE, even_u8<unsigned long long>, WIDE_RULES}},
#endif
    {NULL},
};
