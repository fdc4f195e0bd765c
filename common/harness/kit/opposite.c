/*
 * On the CPU device, where a kernel of ours would stand in the counters.
 */
#include "harness/kit/opposite.h"

#include "harness/kit/device.h"

#define PIECE 16384 /* elements */

int opposite(const struct device_stream *place, void *device, size_t elements, size_t bytes,
             bool real)
{
    uint32_t piece[PIECE];
    int status = 0;

    for (size_t at = 0; at < elements && status == 0; at += PIECE) {
        size_t length = elements - at < PIECE ? elements - at : PIECE;
        char *x = (char *)device + at * bytes;

        status = device_copy(place, piece, x, length * bytes);
        for (size_t i = 0; i < length; i++)
            turn_element(piece, i, bytes, real);
        if (status == 0)
            status = device_copy(place, x, piece, length * bytes);
    }
    return status;
}
