/*
 * What the stand-ins of spread problems launch is in no place's stream, but in the default one of
 * the first device, which waits for none of them, and for which none waits.
 */
#ifndef PLACES_H
#define PLACES_H

#include "harness/kit/device.h"

/* The host waits for all that was queued so far; then the first device is the current one. */
static void wait_for_places(const struct device_stream *places, int devices)
{
    for (int d = devices - 1; d >= 0; d--) {
        cudaSetDevice(places[d].device->ordinal);
        cudaDeviceSynchronize();
    }
}

#endif
