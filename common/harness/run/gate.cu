/*
 * On a GPU: a kernel of one thread that reads a word of the host's memory until the host sets it.
 */
#include "harness/run/gate.h"

#include <cuda_runtime.h>
#include <math.h>

static __global__ void harness_gate(const volatile int *open, long long most_cycles)
{
    for (long long begun = clock64(); !*open && clock64() - begun < most_cycles;)
        ;
}

static int shut(struct gate *gate, const struct device_stream *place, double seconds)
{
    int status = device_use(place->device);
    const struct device *device = place->device ? place->device : device_in_use();
    double hz = device && !isnan(device->clock_hz) ? device->clock_hz : 1e9;

    if (status != 0)
        return status;
    harness_gate<<<1, 1, 0, place->stream>>>(gate->open, (long long)(seconds * hz));
    return device_check(cudaGetLastError());
}

int gate_shut(struct gate *gate, const struct device_stream *places, size_t count)
{
    int status = 0;

    if (!gate->open) /* pinned, so that kernels of all devices can read it */
        status = device_check(
            cudaHostAlloc((void **)&gate->open, sizeof(*gate->open), cudaHostAllocPortable));
    if (status != 0)
        return status;
    *gate->open = 0; /* the run before has ended, and with it the kernels that read this */
    for (size_t i = 0; i < count && status == 0; i++)
        status = shut(gate, &places[i], GATE_SECONDS * (double)count);
    return status;
}

void gate_open(struct gate *gate)
{
    if (gate->open)
        *gate->open = 1;
}

void gate_free(struct gate *gate)
{
    if (gate->open)
        cudaFreeHost((void *)gate->open);
    gate->open = NULL;
}
