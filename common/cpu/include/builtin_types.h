/* For programs that include it: all of it is in cuda_runtime.h. */
#ifndef __BUILTIN_TYPES_H__
#define __BUILTIN_TYPES_H__

#include "cuda_runtime.h"

#endif
