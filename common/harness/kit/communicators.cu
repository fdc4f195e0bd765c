#include "harness/kit/communicators.h"

#include <stdio.h>
#include <stdlib.h>

void nccl_check(ncclResult_t result, const char *call)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "%s failed: %s\n", call, ncclGetErrorString(result));
    exit(3);
}

ncclComm_t *communicators(const struct device_stream *places, int devices)
{
    static ncclComm_t made[MAX_SPREAD];
    static int count;
    int ordinals[MAX_SPREAD];

    if (count == devices)
        return made;
    for (int d = 0; d < count; d++)
        nccl_check(ncclCommDestroy(made[d]), "ncclCommDestroy");
    for (int d = 0; d < devices; d++)
        ordinals[d] = places[d].device->ordinal;
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    nccl_check(ncclCommInitAll(made, devices, ordinals), "ncclCommInitAll");
    count = devices;
    return made;
}
