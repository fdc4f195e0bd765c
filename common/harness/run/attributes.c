#include "harness/run/attributes.h"

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/machine.h"
#include "harness/run/json.h"

/* In the order of enum machine_attribute. What the runtime does not know is 0. */
static int attribute(enum machine_attribute which, int device)
{
    static const enum cudaDeviceAttr attributes[MACHINE_ATTRIBUTES] = {
        [MACHINE_MULTIPROCESSORS] = cudaDevAttrMultiProcessorCount,
        [MACHINE_THREADS] = cudaDevAttrMaxThreadsPerMultiProcessor,
        [MACHINE_BLOCKS] = cudaDevAttrMaxBlocksPerMultiprocessor,
        [MACHINE_REGISTERS] = cudaDevAttrMaxRegistersPerMultiprocessor,
        [MACHINE_SHARED_BYTES] = cudaDevAttrMaxSharedMemoryPerMultiprocessor,
        [MACHINE_RESERVED_BYTES] = cudaDevAttrReservedSharedMemoryPerBlock,
        [MACHINE_L2_BYTES] = cudaDevAttrL2CacheSize,
        [MACHINE_CLOCK_MHZ] = cudaDevAttrClockRate, /* in kHz */
    };
    int value = 0;

    if (cudaDeviceGetAttribute(&value, attributes[which], device) != cudaSuccess)
        cudaGetLastError(); /* not an error of the caller's */
    return which == MACHINE_CLOCK_MHZ ? value / 1000 : value;
}

int attributes_print(FILE *out)
{
    const struct device *device = device_in_use();
    int current = 0, major = 0, minor = 0, status;

    if (!device)
        return BAD_DEVICE;
    status = device_check(cudaGetDevice(&current));
    if (status == 0)
        status = device_check(
            cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, current));
    if (status == 0)
        status = device_check(
            cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, current));
    if (status != 0)
        return status;
    fputs("{\"name\": ", out);
    json_text(out, device->name);
    fprintf(out, ", \"compute_capability\": \"%d.%d\"", major, minor);
    for (int i = 0; i < MACHINE_ATTRIBUTES; i++)
        fprintf(out, ", \"%s\": %d", machine_attribute_name(i), attribute(i, current));
    fprintf(out, ", \"f32_lanes_per_multiprocessor\": %d", device->f32_lanes);
    fputs("}\n", out);
    return 0;
}
