/*
 * CUDA for the CPU device: the runtime API, and for a step (C++) the qualifiers, built-in
 * variables, vector types and intrinsics. As with nvcc, a .cu file has it without including it.
 */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "vector_types.h"
#include "device_functions.h"
#include "launch_functions.h"
#endif
#include "toolkit_guards.h" /* behind all of ours, some of which have the same guards */

#endif
