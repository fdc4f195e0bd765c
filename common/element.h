/*
 * The element type of a step. A step that handles floats and ints is compiled once for each: the
 * second time with -DELEMENT_I32, and with its main renamed to main_i32, which the first calls for
 * --type i32. So the kernels stay plain C, without templates.
 */
#ifndef ELEMENT_H
#define ELEMENT_H

#ifdef __cplusplus
#include <cuda_runtime.h>
#endif
#include "harness.h"

#ifdef ELEMENT_I32
typedef int element;
#ifdef __cplusplus
typedef int4 element4;
#endif
#define ELEMENT_TYPE TYPE_I32
#else
#ifdef __cplusplus
typedef float element;
typedef float4 element4; /* four that lie together, read by one load */
#else
typedef void element; /* the harness, in C, does not look inside */
#endif
#define ELEMENT_TYPE TYPE_F32
#endif

#ifdef __cplusplus
extern "C" int main_i32(int argc, char **argv);
#endif

#endif
