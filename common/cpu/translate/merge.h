/* Code for the host and code for the device in one source. See merge.c. */
#ifndef CPU_TRANSLATE_MERGE_H
#define CPU_TRANSLATE_MERGE_H

#include <stdbool.h>

/* Does one of the files that the preprocessed text comes from speak of __CUDA_ARCH__, or of
 * __CUDA_ARCH_FEAT_SM90_ALL? */
bool asks_for_architecture(const char *text);

/* The two texts of a source, preprocessed for the host and for the device, as one. */
const char *merge(const char *host, const char *device);

#endif
