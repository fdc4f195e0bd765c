/*
 * On the CPU device, where a kernel of ours would stand in the counters.
 */
#include "harness/kit/opposite.h"

#include "harness/kit/device.h"

#define PIECE 16384 /* elements */

int opposite(const struct device_stream *place, void *device, size_t elements, bool real)
{
    uint32_t piece[PIECE], *x = (uint32_t *)device;
    int status = 0;

    for (size_t at = 0; at < elements && status == 0; at += PIECE) {
        size_t length = elements - at < PIECE ? elements - at : PIECE;

        status = device_copy(place, piece, x + at, length * sizeof(*x));
        for (size_t i = 0; i < length; i++)
            piece[i] = opposite_of(piece[i], real);
        if (status == 0)
            status = device_copy(place, x + at, piece, length * sizeof(*x));
    }
    return status;
}

int opposite_halves(const struct device_stream *place, void *device, size_t elements)
{
    uint16_t piece[PIECE], *x = (uint16_t *)device;
    int status = 0;

    for (size_t at = 0; at < elements && status == 0; at += PIECE) {
        size_t length = elements - at < PIECE ? elements - at : PIECE;

        status = device_copy(place, piece, x + at, length * sizeof(*x));
        for (size_t i = 0; i < length; i++)
            piece[i] = opposite_of_half(piece[i]);
        if (status == 0)
            status = device_copy(place, x + at, piece, length * sizeof(*x));
    }
    return status;
}
