/*
 * What every .cu file has before its first line, compiled beforehand where that can be. The name is
 * no header of CUDA's: else GCC would look for the text of what a program includes beside the
 * compiled one, where none is.
 */
#include "cuda_runtime.h"
