/*
 * The Tensor Memory Accelerator: barriers in shared memory that count the bytes which it brings,
 * and the function that makes its maps. Device code of hgemm and of attention.
 */
#ifndef TMA_H
#define TMA_H

#include <cudaTypedefs.h>

#include "harness/kit/warpgroup.h"

/* --- barriers that count bytes ---------------------------------------------------------------- */

/* A phase ends when so many threads have arrived, and all bytes that they expect have come. */
static __device__ __forceinline__ void begin_barrier(uint64_t *barrier, int arrivals)
{
    GROUP_ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
              "r"(arrivals)
              : "memory");
}

static __device__ __forceinline__ void arrive(uint64_t *barrier)
{
    GROUP_ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Arrive, and let the phase wait for so many bytes, too. */
static __device__ __forceinline__ void arrive_expecting(uint64_t *barrier, int bytes)
{
    GROUP_ASM(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

/* Has the phase of this parity ended? Of a new barrier the phase before, of parity 1, has. */
static __device__ __forceinline__ bool has_ended(uint64_t *barrier, int parity)
{
    int ended = 1;

    GROUP_ASM("{\n"
              ".reg .pred ended;\n"
              "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
              "selp.b32 %0, 1, 0, ended;\n"
              "}"
              : "=r"(ended)
              : "r"(shared_address(barrier)), "r"(parity)
              : "memory");
    return ended;
}

static __device__ __forceinline__ void wait(uint64_t *barrier, int parity)
{
    while (!has_ended(barrier, parity))
        ;
}

/* --- maps ------------------------------------------------------------------------------------- */

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
static bool refuse_tma(const void *kernel, size_t shared_bytes, char *why, size_t room)
{
    if (refuse_group(kernel, shared_bytes, why, room))
        return true;
    if (!map_maker())
        snprintf(why, room, "needs tensor maps, which this driver cannot make: update it");
    return !map_maker();
}

#endif
