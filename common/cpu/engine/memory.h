/*
 * Device memory, and memory that host and device share. Addresses of one reserved range, in three
 * parts; each allocation is known. See memory.c.
 */
#ifndef CPU_ENGINE_MEMORY_H
#define CPU_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

enum memory_kind {
    MEMORY_DEVICE,    /* cudaMalloc: the host must not touch it */
    MEMORY_HEAP,      /* malloc and new of kernels; the same */
    MEMORY_PINNED,    /* cudaMallocHost, cudaHostAlloc */
    MEMORY_MANAGED,   /* cudaMallocManaged */
    MEMORY_REGISTERED /* the host's own, by cudaHostRegister; outside of the range */
};

enum { MEMORY_HEAP_NUMBER = 0x7fffffff }; /* the number of the kernels' heap */

struct allocation {
    uintptr_t base;
    size_t bytes;
    bool freed;
    enum memory_kind kind;
    unsigned number; /* in order of allocation, from 1 */
    void *check;     /* of the tools */
};

cudaError_t memory_allocate(void **pointer, size_t bytes, enum memory_kind kind);
cudaError_t memory_free(void *pointer, bool device); /* device: cudaFree; else cudaFreeHost */
void memory_free_all(void);                          /* but what the host registered */
cudaError_t memory_register(void *pointer, size_t bytes);
cudaError_t memory_unregister(void *pointer);
struct allocation *memory_find(uintptr_t address); /* the nearest at or below; NULL: none */
uintptr_t memory_heap(void);                /* where the kernels' heap begins; 0: cannot be had */
bool memory_heap_use(size_t end);           /* so many bytes of it from its start may be touched */
bool memory_is_program(uintptr_t address);  /* a variable of the program that may be written */
bool memory_is_image(uintptr_t address);    /* the program's code and constants */
bool memory_is_variable(uintptr_t address); /* one of the device's, as far as that is known */
bool memory_is_constant(uintptr_t address); /* a variable that is __constant__ */
size_t memory_total(void);                  /* bytes that the device has */
size_t memory_used(void);

/* The range: the device's own, then the kernels' heap, then what the host may touch too. */
#define MEMORY_RANGE ((size_t)1 << 42)
#define MEMORY_HEAP_AT ((size_t)2 << 40)
#define MEMORY_SHARED_AT ((size_t)3 << 40)
#define MEMORY_HEAP_BYTES ((size_t)1 << 34)

extern uintptr_t memory_base;    /* of the range; before it is reserved an address that cannot be */
extern size_t memory_registered; /* how many ranges of the host's are */
bool memory_is_registered(uintptr_t address);

/* What a kernel may touch: in the range, allocated or not, or registered. */
static inline bool memory_is_device(uintptr_t address)
{
    return address - memory_base < MEMORY_RANGE ||
           (memory_registered && memory_is_registered(address));
}

/* Of it what the host must not touch. */
static inline bool memory_is_hidden(uintptr_t address)
{
    return address - memory_base < MEMORY_SHARED_AT;
}

#endif
