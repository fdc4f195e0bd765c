/*
 * The same where queries, keys and values are of f16 or bf16: what is rounded to these is seen from a few hundredths
 * on. Their outputs may be of the inputs' type, too.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define FAMILY hattention_family
#define LITTLE 0.03f
#define OTHER_HEAD " elements, first out[0][0][0]" /* some are right by chance */
#define KEPT "wrong in 1 of 3 runs; "
#define OF_TYPE
#include "attention.cu"
