/*
 * The peers of the segmented family. CUB's scan by key takes the segments' numbers in place of flags:
 * 4 bytes an element more to read, not 1. `cub-pairs` is CUB's own scan on (flag, value) pairs, made
 * of the byte flags as they are read: the same bytes as ours. The order of additions is CUB's own; the
 * bound beside the error is that of a chain of tiles of 256 elements.
 */
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "harness/kit/peer.h"
#include "families/segmented/segmented.h"

template <typename T> static cudaError_t by_key(void *memory, size_t &bytes, struct work *w)
{
    return cub::DeviceScan::InclusiveSumByKey(memory, bytes, w->keys, (const T *)w->x, (T *)w->y,
                                              w->n);
}

template <typename T> struct pair {
    T value;
    int head;
};

template <typename T> struct load_pair {
    const T *x;
    const unsigned char *flags;
    __host__ __device__ pair<T> operator()(size_t i) const
    {
        return {x[i], flags[i]};
    }
};

template <typename T> struct join_pairs {
    __host__ __device__ pair<T> operator()(const pair<T> &a, const pair<T> &b) const
    {
        return {b.head ? b.value : a.value + b.value, a.head | b.head};
    }
};

template <typename T> struct value_of {
    __host__ __device__ T operator()(const pair<T> &p) const
    {
        return p.value;
    }
};

template <typename T> static cudaError_t pairs(void *memory, size_t &bytes, struct work *w)
{
    auto in = thrust::make_transform_iterator(thrust::counting_iterator<size_t>(0),
                                              load_pair<T>{(const T *)w->x, w->flags});
    auto out = thrust::make_transform_output_iterator((T *)w->y, value_of<T>());

    return cub::DeviceScan::InclusiveScan(memory, bytes, in, out, join_pairs<T>(), w->n);
}

typedef cudaError_t scan(void *, size_t &, struct work *);

template <scan *call> static void run(struct work *w)
{
    static struct scratch scratch;
    size_t bytes = 0;

    peer_check(call(NULL, bytes, w), "cub::DeviceScan");
    void *memory = peer_scratch(&scratch, bytes);
    peer_check(call(memory, bytes, w), "cub::DeviceScan");
}

static double depth(const struct shape *s)
{
    return (double)s->n / 256 + 256;
}

#define BY_KEY "cub", "CUB DeviceScan::InclusiveSumByKey, 4-byte keys"
#define PAIRS "cub-pairs", "CUB DeviceScan::InclusiveScan on (flag, value) pairs"

extern "C" {
extern const struct peer PEER_TABLE[];
}
const struct peer PEER_TABLE[] = {
#if defined(PEERS_f32)
    {&type_f32, {BY_KEY, run<by_key<float>>, GRID_BY_SIZE | KEYS, depth}},
    {&type_f32, {PAIRS, run<pairs<float>>, GRID_BY_SIZE, depth}},
#elif defined(PEERS_i32)
    {&type_i32, {BY_KEY, run<by_key<int>>, GRID_BY_SIZE | KEYS, depth}},
    {&type_i32, {PAIRS, run<pairs<int>>, GRID_BY_SIZE, depth}},
#endif
    {NULL},
};
