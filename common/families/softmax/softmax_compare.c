/*
 * The comparison on the CPU device: a loop of the host over device memory, which is the host's.
 */
#include "families/softmax/softmax_compare.h"

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"

static void compare_rows(struct worst *own, const void *context, size_t begin, size_t end)
{
    const struct comparison *c = (const struct comparison *)context;

    for (size_t row = begin; row < end; row++) {
        size_t first = row * c->cols, behind = first + c->cols;
        struct row r = {.max = -INFINITY};

        for (size_t i = first; i < behind; i++)
            row_max(&r, float_at(c->in, c->type, i));
        for (size_t i = first; i < behind; i++)
            row_sum(&r, float_at(c->in, c->type, i));
        for (size_t i = first; i < behind; i++)
            compare_softmax(own, c, &r, i);
    }
}

int softmax_compare(const struct comparison *c, struct worst *worst)
{
    int status = device_check(cudaDeviceSynchronize());

    if (status == 0)
        worst_on_host(worst, c->rows, compare_rows, c);
    return status;
}
