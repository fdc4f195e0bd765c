/* CUB's segmented reductions for the CPU device stand beside the others. */
#pragma once

#include "cub/device/device_reduce.cuh"
