/*
 * CUDA for the CPU device: the runtime API, and for a step (C++) the qualifiers, built-in
 * variables, vector types and intrinsics. As with nvcc, a .cu file has it without including it.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "vector_types.h"

#ifdef __cplusplus
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "heap_functions.h"
#include "runtime_functions.h"
#include "launch_calls.h"
#include "device_functions.h"
#include "texture_functions.h"
#endif
#include "toolkit_guards.h" /* behind all of ours, some of which have the same guards */

#endif
