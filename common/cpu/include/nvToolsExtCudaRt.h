/* Names of streams and devices for a timeline: there is none here. */
#include "nvtx3/nvToolsExt.h"
