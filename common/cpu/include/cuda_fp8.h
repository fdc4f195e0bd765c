/* The toolkit's numbers of 8 bits, with the CPU device's own half precision and bfloat16. */
#ifndef CUDA_FP8_H
#define CUDA_FP8_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include_next <cuda_fp8.h>

#endif
