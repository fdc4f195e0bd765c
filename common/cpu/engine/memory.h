/* Device memory. Addresses of one reserved range; each allocation is known. See memory.c. */
#ifndef CPU_ENGINE_MEMORY_H
#define CPU_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

struct allocation {
    uintptr_t base;
    size_t bytes;
    bool freed;
    unsigned number; /* in order of allocation, from 1 */
    void *check;     /* of the tools */
};

cudaError_t memory_allocate(void **pointer, size_t bytes); /* cudaMalloc */
cudaError_t memory_free(void *pointer);                    /* cudaFree */
struct allocation *memory_find(uintptr_t address);         /* the nearest at or below; NULL: none */
bool memory_is_device(uintptr_t address);                  /* in the range, allocated or not */
bool memory_is_program(uintptr_t address);                 /* a global variable of the program */
bool memory_is_constant(uintptr_t address);                /* one that is __constant__ */
size_t memory_total(void);                                 /* bytes that the device has */
size_t memory_used(void);

#endif
