/*
 * bfloat16 for the CPU device: __nv_bfloat16 and __nv_bfloat162, with CUDA's names and rounding.
 * Arithmetic gives the exact result rounded once, to nearest even; NaN is 0x7fff.
 */
#ifndef __CUDA_BF16_H__ /* the toolkit's word: its header is left out behind this one */
#define __CUDA_BF16_H__

#include <cuda_fp16.h>

#ifndef __cplusplus

typedef struct {
    unsigned short x;
} __nv_bfloat16;

#else

/* What of half_types.h differs between half precision and bfloat16. */
#define CPU_16 __nv_bfloat16
#define CPU_16x2 __nv_bfloat162
#define CPU_16_RAW __nv_bfloat16_raw
#define CPU_16x2_RAW __nv_bfloat162_raw
#define CPU_16_OTHER __half
#define CPU_16_NAME bfloat16 /* in the names of functions */
#define CPU_16x2_NAME bfloat162
#define CPU_16_TWICE __bfloat162bfloat162
#define CPU_16_SUFFIX bf16 /* in those of abi.h */
#define CPU_16_INFINITY 0x7f80
#define CPU_16_ONE 0x3f80
#include "half_types.h"

CPU_INLINE __half::__half(__nv_bfloat16 v) : __half((float)v)
{
}
CPU_INLINE __nv_bfloat16::__nv_bfloat16(__half v) : __nv_bfloat16((float)v)
{
}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

#endif
#endif
