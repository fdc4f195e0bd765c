/*
 * Device memory, and memory that host and devices share. Addresses of one reserved range, in three
 * parts, of which each device has its share; each allocation is known. See memory.c.
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
    MEMORY_VARIABLES, /* a device's copy of the program's variables; the same */
    MEMORY_PINNED,    /* cudaMallocHost, cudaHostAlloc */
    MEMORY_MANAGED,   /* cudaMallocManaged */
    MEMORY_REGISTERED /* the host's own, by cudaHostRegister; outside of the range */
};

enum { MEMORY_HEAP_NUMBER = 0x7fffffff }; /* the number of the kernels' heaps */

struct allocation {
    uintptr_t base;
    size_t bytes;
    size_t guard; /* of these the last, which no kernel may touch */
    bool freed;
    enum memory_kind kind;
    int device;      /* whose it is; of what the host may touch: the current one when it was made */
    unsigned number; /* in order of allocation, from 1 */
    void *check;     /* of the tools */
};

/* On that device; of memory that the host may touch it is the one that pays for it. */
cudaError_t memory_allocate(void **pointer, size_t bytes, enum memory_kind kind, int device);
cudaError_t memory_free(void *pointer, bool device);   /* device: cudaFree; else cudaFreeHost */
void memory_set_guard(void *allocation, size_t bytes); /* its last bytes: observers are told */
void memory_free_all(int device); /* but variables, and what the host registered */
cudaError_t memory_register(void *pointer, size_t bytes);
cudaError_t memory_unregister(void *pointer);
struct allocation *memory_find(uintptr_t address); /* the nearest at or below; NULL: none */
uintptr_t memory_heap(int device); /* where its kernels' heap begins; 0: cannot be had */

/* So many bytes of that heap, from its start, may be touched from now on; false: there are no
 * more. */
bool memory_heap_use(int device, size_t end);

bool memory_is_program(uintptr_t address);  /* a variable of the program that may be written */
bool memory_is_image(uintptr_t address);    /* the program's code and constants */
bool memory_is_placed(uintptr_t address);   /* in the sections of the device's variables */
bool memory_is_variable(uintptr_t address); /* one of the device's, as far as that is known */
bool memory_is_constant(uintptr_t address); /* a variable that is __constant__ */
uintptr_t memory_of_host(size_t *bytes);    /* all that it may touch: from there on, and around */
uintptr_t memory_constants(size_t *bytes);  /* where the program's own __constant__ variables lie */
size_t memory_total(void);                  /* bytes that each device has */
size_t memory_used(int device);

/* The range: the devices' own, then their kernels' heaps, then what the host may touch too. A
 * stripe of it belongs to one device or to all. */
#define MEMORY_RANGE ((size_t)1 << 46)
/* Where it is in each run, if that is free: programs, libraries and sanitizers lie elsewhere. */
#define MEMORY_PLACE ((uintptr_t)0x11 << 40)
#define MEMORY_HEAP_AT ((size_t)2 << 44)
#define MEMORY_SHARED_AT ((size_t)3 << 44)
#define MEMORY_STRIPE ((size_t)1 << 40)
#define MEMORY_HEAP_BYTES ((size_t)1 << 34) /* of a device */

extern uintptr_t memory_base;    /* of the range; before it is reserved an address that cannot be */
extern size_t memory_registered; /* how many ranges of the host's are */
bool memory_is_registered(uintptr_t address);

/* Which device's memory it is in, allocated or not; ALL_DEVICES: in none's, or not in the range. */
int memory_device(uintptr_t address);

/* The stripes of the range that belong to these devices, to all or to none that there is: a bit
 * each. */
uint64_t memory_stripes(uint32_t devices);

/* The longest of these stripes side by side that hold the device's own memory. */
void memory_open_part(int device, uint64_t stripes, uintptr_t *from, size_t *bytes);

/* Is it in one of these stripes? */
static inline bool memory_is_open(uint64_t stripes, uintptr_t address)
{
    uintptr_t at = address - memory_base;

    return at < MEMORY_RANGE && stripes >> at / MEMORY_STRIPE & 1;
}

/* What kernels of some device may touch: in the range, allocated or not, or registered. */
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
