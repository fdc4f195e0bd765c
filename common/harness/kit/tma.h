/*
 * The Tensor Memory Accelerator: the function that makes its maps, and why a device refuses a
 * kernel with them. Barriers count what it brings: byte_barrier.h.
 */
#ifndef TMA_H
#define TMA_H

#include <cudaTypedefs.h>

#include "harness/kit/byte_barrier.h"
#include "harness/kit/warpgroup.h"

/* The driver's function that makes a map, by its name, so that nothing is linked with the driver;
 * NULL: it has none. */
static PFN_cuTensorMapEncodeTiled_v12000 map_maker()
{
    static void *found;

    if (!found) {
#if CUDART_VERSION >= 12050
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                         NULL);
#else
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault);
#endif
    }
    return (PFN_cuTensorMapEncodeTiled_v12000)found;
}

#define MAP_f16 CU_TENSOR_MAP_DATA_TYPE_FLOAT16
#define MAP_bf16 CU_TENSOR_MAP_DATA_TYPE_BFLOAT16

/* True with one line in why if the device cannot run a kernel with such products and maps. */
static bool refuse_tma(const void *kernel, size_t shared_bytes, char *why, size_t room,
                       int fewest = FEWEST_REGISTERS)
{
    if (refuse_group(kernel, shared_bytes, why, room, fewest))
        return true;
    if (!map_maker())
        snprintf(why, room, "needs tensor maps, which this driver cannot make: update it");
    return !map_maker();
}

#endif
