/* For programs that include it: all of it is in cuda_runtime.h. */
#ifndef DRIVER_FUNCTIONS_H
#define DRIVER_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
