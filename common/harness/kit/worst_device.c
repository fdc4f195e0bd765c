/* The comparison on a GPU: its blocks' worst elements, joined on the host. */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"
#include "harness/kit/worst.h"

static int join(struct worst *worst, const struct worst *device, size_t blocks)
{
    struct worst *parts = (struct worst *)malloc(blocks * sizeof(*parts));
    int status;

    if (!parts)
        return complain(BAD_DEVICE, "no memory left on the host for the comparison");
    status =
        device_check(cudaMemcpy(parts, device, blocks * sizeof(*parts), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < blocks && status == 0; i++)
        worst_of(worst, &parts[i]);
    free(parts);
    return status;
}

int worst_on_device(struct worst *worst, size_t blocks, worst_of_blocks *launch,
                    const void *context)
{
    void *parts = NULL;
    int status = device_alloc(&parts, blocks * sizeof(*worst), "the comparison");

    *worst = (struct worst)WORST_NONE;
    if (status == 0) {
        launch((struct worst *)parts, blocks, context);
        status = device_check(cudaGetLastError());
    }
    if (status == 0)
        status = join(worst, (const struct worst *)parts, blocks);
    device_free(parts);
    return status;
}

int spans_to_device(void **device, const struct spans *s)
{
    const void *host = s->f32 ? (const void *)s->f32 : s->i32;
    size_t bytes = s->count * (s->f32 ? sizeof(*s->f32) : sizeof(*s->i32));
    int status = device_alloc(device, bytes, "the reference");

    return status == 0 ? device_check(cudaMemcpy(*device, host, bytes, cudaMemcpyHostToDevice))
                       : status;
}
