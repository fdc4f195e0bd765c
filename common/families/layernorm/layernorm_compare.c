/*
 * The comparison on the CPU device: a loop of the host over device memory, which is the host's.
 */
#include "families/layernorm/layernorm_compare.h"

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"

static void compare_rows(struct worst *own, const void *context, size_t begin, size_t end)
{
    const struct comparison *c = (const struct comparison *)context;

    for (size_t row = begin; row < end; row++) {
        size_t first = row * c->cols, behind = first + c->cols;
        struct row r = {0};
        struct normal normal;

        for (size_t i = first; i < behind; i++)
            row_mean(&r, float_at(c->in, c->type, i));
        for (size_t i = first; i < behind; i++)
            row_variance(&r, float_at(c->in, c->type, i), r.sum / (double)c->cols);
        normal = row_normal(&r, c);
        for (size_t i = first; i < behind; i++)
            compare_layernorm(own, c, &normal, i);
    }
}

int layernorm_compare(const struct comparison *c, struct worst *worst)
{
    int status = device_check(cudaDeviceSynchronize());

    if (status == 0)
        worst_on_host(worst, c->rows, compare_rows, c);
    return status;
}
