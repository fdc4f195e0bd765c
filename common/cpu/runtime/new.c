/*
 * new and delete, in the place of the C++ library's: in a kernel they serve from the device's heap
 * (heap.c). By the names that the C++ ABI of x86-64 and arm64 gives them, since this library is C.
 * Only a program that calls one has this file in it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include "cpu/abi.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"

void _ZSt17__throw_bad_allocv(void); /* std::__throw_bad_alloc() */

void *_Znwm(size_t bytes);
void *_Znam(size_t bytes);
void _ZdlPv(void *pointer);
void _ZdaPv(void *pointer);
void _ZdlPvm(void *pointer, size_t bytes);
void _ZdaPvm(void *pointer, size_t bytes);
void *_ZnwmSt11align_val_t(size_t bytes, size_t alignment);
void *_ZnamSt11align_val_t(size_t bytes, size_t alignment);
void _ZdlPvSt11align_val_t(void *pointer, size_t alignment);
void _ZdaPvSt11align_val_t(void *pointer, size_t alignment);
void _ZdlPvmSt11align_val_t(void *pointer, size_t bytes, size_t alignment);
void _ZdaPvmSt11align_val_t(void *pointer, size_t bytes, size_t alignment);

/* Without memory: of the host an exception, of a kernel, which has none, the end of the launch. */
static void *checked(void *p)
{
    struct thread *t = cpu_thread();

    if (p)
        return p;
    if (t) {
        cpu_fail(cudaErrorLaunchFailure,
                 "%s: new finds the device's heap full (cudaDeviceSetLimit of "
                 "cudaLimitMallocHeapSize before the first launch makes it larger)",
                 t->block->launch->name);
        cpu_kill(t);
    }
    _ZSt17__throw_bad_allocv();
    return NULL;
}

void *_Znwm(size_t bytes)
{
    return checked(cpu_heap_malloc(bytes ? bytes : 1));
}

void *_Znam(size_t bytes)
{
    return _Znwm(bytes);
}

/* The heap's blocks are aligned to 16 bytes; more is not to be had in a kernel. */
void *_ZnwmSt11align_val_t(size_t bytes, size_t alignment)
{
    if (!cpu_thread())
        return checked(aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
    return checked(alignment <= 16 ? cpu_heap_malloc(bytes ? bytes : 1) : NULL);
}

void *_ZnamSt11align_val_t(size_t bytes, size_t alignment)
{
    return _ZnwmSt11align_val_t(bytes, alignment);
}

void _ZdlPv(void *pointer)
{
    cpu_heap_free(pointer);
}

void _ZdaPv(void *pointer)
{
    cpu_heap_free(pointer);
}

void _ZdlPvm(void *pointer, size_t bytes)
{
    (void)bytes;
    cpu_heap_free(pointer);
}

void _ZdaPvm(void *pointer, size_t bytes)
{
    (void)bytes;
    cpu_heap_free(pointer);
}

void _ZdlPvSt11align_val_t(void *pointer, size_t alignment)
{
    (void)alignment;
    cpu_heap_free(pointer);
}

void _ZdaPvSt11align_val_t(void *pointer, size_t alignment)
{
    (void)alignment;
    cpu_heap_free(pointer);
}

void _ZdlPvmSt11align_val_t(void *pointer, size_t bytes, size_t alignment)
{
    (void)bytes, (void)alignment;
    cpu_heap_free(pointer);
}

void _ZdaPvmSt11align_val_t(void *pointer, size_t bytes, size_t alignment)
{
    (void)bytes, (void)alignment;
    cpu_heap_free(pointer);
}
