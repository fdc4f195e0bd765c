#include "harness/kit/communicators.h"

#include <stdlib.h>
#include <string.h>

#include "harness/kit/message.h"

void nccl_check(ncclResult_t result, const char *call)
{
    if (result == ncclSuccess)
        return;
    exit(ranks_end(-complain(BAD_DEVICE, "%s failed: %s", call, ncclGetErrorString(result))));
}

/* The id goes from rank 0 to the others. */
static void make_own(ncclComm_t *comm)
{
    ncclUniqueId all[MAX_RANKS], own;

    static_assert(sizeof(own) <= RANKS_BYTES, "an id is handed over at once");
    memset(&own, 0, sizeof(own));
    if (ranks_own() == 0)
        nccl_check(ncclGetUniqueId(&own), "ncclGetUniqueId");
    ranks_gather(&own, all, sizeof(own));
    nccl_check(ncclCommInitRank(comm, ranks_count(), all[0], ranks_own()), "ncclCommInitRank");
}

ncclComm_t *communicators(const struct device_stream *places, int devices)
{
    static ncclComm_t made[MAX_SPREAD];
    static int count;
    int ordinals[MAX_SPREAD];

    if (count == devices)
        return made;
    for (int d = 0; d < count; d++)
        nccl_check(ncclCommDestroy(made[d]), "ncclCommDestroy"); /* of NULL: nothing */
    for (int d = 0; d < devices; d++)
        ordinals[d] = places[d].device->ordinal;
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    if (ranks_count() > 1)
        make_own(&made[ranks_own()]);
    else
        nccl_check(ncclCommInitAll(made, devices, ordinals), "ncclCommInitAll");
    count = devices;
    return made;
}
