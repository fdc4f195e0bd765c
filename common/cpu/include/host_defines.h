/* For programs that include it: all of it is in cuda_runtime.h. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#include "cuda_runtime.h"

#endif
