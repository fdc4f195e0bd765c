/*
 * The checksum on the CPU device, whose memory the host can read; on a GPU it is that of
 * checksum.cu.
 */
#include "harness/kit/checksum.h"

#include <cuda_runtime.h>
#include <string.h>

#include "harness/kit/device.h"

int checksum(const struct device_stream *place, const void *device, const void *host, size_t bytes,
             uint64_t *sum)
{
    int status = device_use(place->device);

    if (status == 0)
        status = device_check(cudaStreamSynchronize(place->stream));
    *sum = status == 0 && (bytes == 0 || memcmp(device, host, bytes) == 0);
    return status;
}

size_t first_changed(const void *device, const void *host, size_t bytes)
{
    const char *is = (const char *)device, *was = (const char *)host;
    size_t i = 0;

    while (i < bytes && is[i] == was[i])
        i++;
    return i;
}
