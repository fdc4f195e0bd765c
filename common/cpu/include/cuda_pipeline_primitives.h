/* In the toolkit a part of <cuda_pipeline.h>, and included by that name too. */
#include <cuda_pipeline.h>
