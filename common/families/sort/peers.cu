/*
 * The peers of the sort family: CUB's radix sort, by the bits that are compared; CUB's merge sort, with
 * a comparison of our fields; and Thrust's sort, which is the first one for whole keys and the second
 * one for a part of their bits. Thrust sorts in place, so its keys are copied first.
 */
#if defined(PEERS_u32_thrust)
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>
#elif defined(PEERS_u32_merge)
#include <cub/device/device_merge_sort.cuh>
#else
#include <cub/device/device_radix_sort.cuh>
#endif

#include "families/sort/sort.h"
#include "harness/kit/peer.h"

#if defined(PEERS_u32_thrust) || defined(PEERS_u32_merge)
/* The order of the fields, of keys u32. */
struct before {
    struct field field;
    __device__ bool operator()(unsigned a, unsigned b) const
    {
        unsigned flip = (unsigned)field.flip, mask = (unsigned)field.mask;

        return ((a ^ flip) >> field.first & mask) < ((b ^ flip) >> field.first & mask);
    }
};
#endif

#if defined(PEERS_u32_merge)
static cudaError_t merge_call(void *memory, size_t &bytes, struct work *w)
{
    const unsigned *x = (const unsigned *)w->x;
    unsigned *y = (unsigned *)w->y;

    return cub::DeviceMergeSort::SortKeysCopy(memory, bytes, x, y, w->n, before{w->field});
}

static void merge(struct work *w)
{
    static struct scratch scratch;
    size_t bytes = 0;

    if (w->n == 0)
        return;
    peer_check(merge_call(NULL, bytes, w), "cub::DeviceMergeSort::SortKeysCopy");
    void *memory = peer_scratch(&scratch, bytes);
    peer_check(merge_call(memory, bytes, w), "cub::DeviceMergeSort::SortKeysCopy");
}

#elif defined(PEERS_u32_thrust)
/* Memory that is kept from call to call, or Thrust would allocate and free it in each. */
struct kept {
    typedef char value_type;
    char *allocate(ptrdiff_t bytes)
    {
        static struct scratch scratch;

        return (char *)peer_scratch(&scratch, (size_t)bytes);
    }
    void deallocate(char *, size_t)
    {
    }
};

template <typename Order> static void by_order(struct work *w, Order order)
{
    unsigned *y = (unsigned *)w->y;
    struct kept kept;
    auto policy = thrust::cuda::par_nosync(kept).on(0);

    if (w->values)
        thrust::stable_sort_by_key(policy, y, y + w->n, w->y_values, order);
    else
        thrust::stable_sort(policy, y, y + w->n, order);
}

static void sort_copy(struct work *w)
{
    cudaMemcpyAsync(w->y, w->x, w->n * sizeof(unsigned), cudaMemcpyDeviceToDevice, 0);
    if (w->values)
        cudaMemcpyAsync(w->y_values, w->values, w->n * sizeof(unsigned), cudaMemcpyDeviceToDevice,
                        0);
    if (w->field.bits < 8 * sizeof(unsigned))
        by_order(w, before{w->field});
    else if (w->field.flip)
        by_order(w, thrust::greater<unsigned>());
    else
        by_order(w, thrust::less<unsigned>());
}

#else
template <typename K> static cudaError_t radix_call(void *memory, size_t &bytes, struct work *w)
{
    const K *x = (const K *)w->x;
    K *y = (K *)w->y;
    size_t n = w->n;
    int first = (int)w->field.first, last = first + (int)w->field.bits;

    if (w->values && w->field.flip)
        return cub::DeviceRadixSort::SortPairsDescending(memory, bytes, x, y, w->values,
                                                         w->y_values, n, first, last);
    if (w->values)
        return cub::DeviceRadixSort::SortPairs(memory, bytes, x, y, w->values, w->y_values, n,
                                               first, last);
    if (w->field.flip)
        return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, x, y, n, first, last);
    return cub::DeviceRadixSort::SortKeys(memory, bytes, x, y, n, first, last);
}

template <typename K> static void radix(struct work *w)
{
    static struct scratch scratch;
    size_t bytes = 0;

    if (w->n == 0)
        return;
    peer_check(radix_call<K>(NULL, bytes, w), "cub::DeviceRadixSort");
    void *memory = peer_scratch(&scratch, bytes);
    peer_check(radix_call<K>(memory, bytes, w), "cub::DeviceRadixSort");
}
#endif

#define RADIX "cub", "CUB DeviceRadixSort"
#define MERGE "cub-merge", "CUB DeviceMergeSort"
#define THRUST "thrust", "Thrust stable_sort, and a copy before it; memory kept"
#define ALONE NULL, NULL, NULL, NULL, 0, NULL, NULL, "0"

extern "C" {
extern const struct peer PEER_TABLE[];
}
const struct peer PEER_TABLE[] = {
#if defined(PEERS_u32)
    {&type_u32, {RADIX, radix<unsigned>, GRID_BY_SIZE}},
#elif defined(PEERS_i32)
    {&type_i32, {RADIX, radix<int>, GRID_BY_SIZE}},
#elif defined(PEERS_f32)
    {&type_f32, {RADIX, radix<float>, GRID_BY_SIZE}},
#elif defined(PEERS_u64)
    {&type_u64, {RADIX, radix<unsigned long long>, GRID_BY_SIZE}},
#elif defined(PEERS_u32_merge)
    {&type_u32, {MERGE, merge, GRID_BY_SIZE, ALONE}},
#elif defined(PEERS_u32_thrust)
    {&type_u32, {THRUST, sort_copy, GRID_BY_SIZE}},
#endif
    {NULL},
};
