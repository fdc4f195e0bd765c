/* Thrust's own header, and the names of its CUDA system, as with nvcc. */
#pragma once

#include_next <thrust/system/cpp/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>
