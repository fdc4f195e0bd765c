/*
 * Half precision for the CPU device: __half and __half2, with CUDA's names and rounding. Arithmetic
 * gives the exact result rounded once, to nearest even; NaN is 0x7fff.
 */
#ifndef __CUDA_FP16_H__ /* the toolkit's word: its header is left out behind this one */
#define __CUDA_FP16_H__

#include <cuda_runtime.h>

#ifndef __cplusplus

typedef struct {
    unsigned short x;
} __half;

#else

/* What of half_types.h differs between half precision and bfloat16. */
#define CPU_16 __half
#define CPU_16x2 __half2
#define CPU_16_RAW __half_raw
#define CPU_16x2_RAW __half2_raw
#define CPU_16_OTHER __nv_bfloat16
#define CPU_16_NAME half /* in the names of functions */
#define CPU_16x2_NAME half2
#define CPU_16_TWICE __half2half2
#define CPU_16_SUFFIX f16 /* in those of abi.h */
#define CPU_16_INFINITY 0x7c00
#define CPU_16_ONE 0x3c00
#include "half_types.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)

#endif
#endif
