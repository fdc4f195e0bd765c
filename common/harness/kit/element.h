/*
 * The element type of a step. A step that handles several is compiled once for each, with
 * -DELEMENT_TYPE=f32 or -DELEMENT_TYPE=i32, so that the kernels stay plain C, without templates. A
 * family that has a type of its own defines element_NAME, element4_NAME and type_NAME beside these.
 */
#ifndef ELEMENT_H
#define ELEMENT_H

#include "harness/family.h"

#ifdef __cplusplus
#include <cuda_runtime.h>

#ifndef ELEMENT_TYPE
#define ELEMENT_TYPE f32
#endif
#define ELEMENT_PASTE(prefix, type) prefix##type
#define ELEMENT_JOIN(prefix, type) ELEMENT_PASTE(prefix, type)
#define ELEMENT_NAME(prefix) ELEMENT_JOIN(prefix, ELEMENT_TYPE) /* step_ to step_f32 */

typedef float element_f32;
typedef float4 element4_f32;
typedef int element_i32;
typedef int4 element4_i32;
typedef unsigned element_u32;
typedef uint4 element4_u32;

/* Those of 16 bits: a step that has them includes <cuda_fp16.h> and <cuda_bf16.h>. */
struct __half;
struct __nv_bfloat16;
typedef struct __half element_f16;
typedef struct __nv_bfloat16 element_bf16;
typedef ushort4 element4_f16; /* as bits */
typedef ushort4 element4_bf16;

typedef ELEMENT_NAME(element_) element;
typedef ELEMENT_NAME(element4_) element4; /* four that lie together, read by one load */

/* The step that this file is, for the element type that it is compiled for. Its family is what
 * the family's C file defines. A table of struct launches of its own may follow the variants. */
#define STEP(step_name, its_family, its_variants, ...)                                             \
    extern "C" {                                                                                   \
    extern const struct family its_family;                                                         \
    extern const struct type ELEMENT_NAME(type_);                                                  \
    extern const struct step ELEMENT_NAME(step_);                                                  \
    }                                                                                              \
    const struct step ELEMENT_NAME(step_) = {                                                      \
        step_name,    &its_family,         &ELEMENT_NAME(type_),                                   \
        its_variants, COUNT(its_variants), __VA_ARGS__}
#else
typedef void element; /* the harness, in C, does not look inside */
#endif

#ifdef __cplusplus
extern "C" {
#endif
extern const struct type type_f32, type_i32, type_u32, type_f16, type_bf16;

/* Is it one of the two of 16 bits? kit/half.h has their conversions. */
bool type_is_half(const struct type *type);
#ifdef __cplusplus
}
#endif

#endif
