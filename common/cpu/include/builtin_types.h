/* For programs that include it: all of it is in cuda_runtime.h. */
#ifndef BUILTIN_TYPES_H
#define BUILTIN_TYPES_H

#include "cuda_runtime.h"

#endif
