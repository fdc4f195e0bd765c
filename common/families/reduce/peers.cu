/*
 * The peers of the reduce family: CUB's DeviceReduce::Sum, and thrust::reduce, of ints. Their order of
 * additions is their own; the bound beside an error is that of the family's default for one block.
 */
#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

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

/* It allocates, waits, and gives its result to the host, in each call: all of that is its time. */
static void thrust_sum(struct work *w)
{
    static int sum;
    const int *x = (const int *)w->x;

    sum = thrust::reduce(thrust::device, x, x + w->n);
    peer_check(cudaMemcpyAsync(w->sum, &sum, sizeof(sum), cudaMemcpyHostToDevice, 0),
               "cudaMemcpyAsync");
}

extern "C" {
extern const struct peer reduce_peers[];
}
const struct peer reduce_peers[] = {
    {&type_f32, {"cub", "CUB DeviceReduce::Sum", sum<float>, GRID_BY_SIZE}},
    {&type_i32, {"cub", "CUB DeviceReduce::Sum", sum<int>, GRID_BY_SIZE}},
    {&type_i32, {"thrust", "thrust::reduce", thrust_sum, GRID_BY_SIZE}},
    {NULL},
};
