/*
 * The comparison on the CPU device: a loop of the host over the devices' memory, which is the
 * host's.
 */
#include <cuda_runtime_api.h>

#include "harness/kit/spread.h"

static void compare_elements(struct worst *own, const void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        compare_spread(own, (const struct spread_sum *)context, i, i == end - 1);
}

int spread_compare(const struct device_stream *place, const struct spread_sum *s,
                   struct worst *worst)
{
    int status = device_use(place->device);

    if (status == 0)
        status = device_check(cudaDeviceSynchronize());
    if (status == 0)
        worst_on_host(worst, s->n, compare_elements, s);
    return status;
}
