/* Elements of the types of products, as cublas.c and cublaslt.c take them: as doubles. */
#ifndef CPU_LIBRARY_ELEMENT_H
#define CPU_LIBRARY_ELEMENT_H

#include <library_types.h>
#include <math.h>
#include "cpu/libraries/library.h"

/* Bytes; 0: it is none of these types. */
static inline size_t element_bytes(uint32_t type)
{
    switch (type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_R_64F:
        return 8;
    default:
        return 0;
    }
}

/* Element i of an array. */
static inline double element_value(const void *at, uint32_t type, size_t i)
{
    switch (type) {
    case CUDA_R_8I:
        return ((const signed char *)at)[i];
    case CUDA_R_16F:
        return cpu_f32_of_f16(((const uint16_t *)at)[i]);
    case CUDA_R_16BF:
        return cpu_f32_of_bf16(((const uint16_t *)at)[i]);
    case CUDA_R_32F:
        return ((const float *)at)[i];
    case CUDA_R_32I:
        return ((const int32_t *)at)[i];
    default:
        return ((const double *)at)[i];
    }
}

static inline int32_t element_whole(double v, int32_t least, int32_t most)
{
    return v <= least ? least : v >= most ? most : (int32_t)rint(v);
}

/* The number, rounded once to the nearest of the type. */
static inline void element_put(void *at, uint32_t type, size_t i, double v)
{
    switch (type) {
    case CUDA_R_8I:
        ((signed char *)at)[i] = (signed char)element_whole(v, INT8_MIN, INT8_MAX);
        break;
    case CUDA_R_16F:
        ((uint16_t *)at)[i] = cpu_f16_of_f64(v, CPU_TO_NEAREST);
        break;
    case CUDA_R_16BF:
        ((uint16_t *)at)[i] = cpu_bf16_of_f64(v, CPU_TO_NEAREST);
        break;
    case CUDA_R_32F:
        ((float *)at)[i] = (float)v;
        break;
    case CUDA_R_32I:
        ((int32_t *)at)[i] = element_whole(v, INT32_MIN, INT32_MAX);
        break;
    default:
        ((double *)at)[i] = v;
    }
}

#endif
