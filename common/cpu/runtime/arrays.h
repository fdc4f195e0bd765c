/* CUDA's arrays. See arrays.c. */
#ifndef CPU_RUNTIME_ARRAYS_H
#define CPU_RUNTIME_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

/* Elements stand in the device's memory row by row without gaps, layer behind layer. */
struct cudaArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent;    /* as it was asked for: 0 in a direction that it does not have */
    unsigned flags;              /* cudaArrayLayered and the like */
    unsigned element;            /* bytes */
    size_t width, height, depth; /* at least 1 each; depth: layers, too */
    char *at;
};

/* Channels of such elements, and bytes of one; 0: none that an array can have. */
unsigned format_channels(const struct cudaChannelFormatDesc *format);
unsigned format_bytes(const struct cudaChannelFormatDesc *format);

bool array_exists(cudaArray_const_t array);

#endif
