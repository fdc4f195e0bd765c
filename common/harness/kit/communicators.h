/*
 * NCCL's communicators, for the peers of families that work on several devices: one per device,
 * made at the first call, which is a warm-up run: all by one process, or by each rank its own.
 */
#ifndef COMMUNICATORS_H
#define COMMUNICATORS_H

#include <nccl.h>

#include "harness/kit/element.h"
#include "harness/kit/peer.h"
#include "harness/kit/spread.h"

/* The communicators of the first devices, for as many; NULL where another process has it. They are
 * kept until others are wanted.
 * NVLink multicast (NVLS) is left out. Ends the program with status 3 if there are none. */
ncclComm_t *communicators(const struct device_stream *places, int devices);

/* As peer_check, with NCCL's words. */
void nccl_check(ncclResult_t, const char *call);

template <typename T> static inline ncclDataType_t nccl_type();
template <> inline ncclDataType_t nccl_type<float>()
{
    return ncclFloat;
}
template <> inline ncclDataType_t nccl_type<int>()
{
    return ncclInt;
}

#endif
