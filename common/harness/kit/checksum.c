/*
 * The checksum on the CPU device, whose memory the host can read; on a GPU it is that of
 * checksum.cu.
 */
#include "harness/kit/checksum.h"

#include <string.h>

int checksum(const struct device_stream *place, const void *device, const void *host, size_t bytes,
             uint64_t *sum)
{
    (void)place;
    *sum = bytes == 0 || memcmp(device, host, bytes) == 0;
    return 0;
}
