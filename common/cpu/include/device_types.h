/* For programs that include it: all of it is in cuda_runtime.h. */
#ifndef DEVICE_TYPES_H
#define DEVICE_TYPES_H

#include "cuda_runtime.h"

#endif
