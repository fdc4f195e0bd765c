/* CUB's run lengths for the CPU device stand beside the selections. */
#pragma once

#include "cub/device/device_select.cuh"
