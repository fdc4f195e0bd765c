/*
 * The comparison on the CPU device: a loop of the host over device memory, which is the host's.
 */
#include "families/stencil/stencil_compare.h"

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"

static void compare_elements(struct worst *own, const void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        compare_element(own, (const struct comparison *)context, i, i == end - 1);
}

int stencil_compare(const struct comparison *c, struct worst *worst)
{
    int status = device_check(cudaDeviceSynchronize());

    if (status == 0)
        worst_on_host(worst, c->rows * c->cols, compare_elements, c);
    return status;
}
