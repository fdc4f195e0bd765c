/*
 * On a GPU: a kernel of one thread that reads a word of the host's memory until the host sets it.
 */
#include "harness/run/gate.h"

#include <cuda_runtime.h>
#include <math.h>

#include "harness/kit/device.h"

static volatile int *gate; /* the word: pinned, so that a kernel can read it; kept */

static __global__ void harness_gate(const volatile int *open, long long most_cycles)
{
    for (long long begun = clock64(); !*open && clock64() - begun < most_cycles;)
        ;
}

int gate_shut(void)
{
    const struct device *device = device_get();
    double hz = device && !isnan(device->clock_hz) ? device->clock_hz : 1e9;
    int status = 0;

    if (!gate)
        status = device_check(cudaHostAlloc((void **)&gate, sizeof(*gate), cudaHostAllocDefault));
    if (status != 0)
        return status;
    *gate = 0; /* the run before has ended, and with it the kernel that read this */
    harness_gate<<<1, 1>>>(gate, (long long)(GATE_SECONDS * hz));
    return device_check(cudaGetLastError());
}

void gate_open(void)
{
    if (gate)
        *gate = 1;
}
