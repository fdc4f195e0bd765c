/*
 * malloc, free, new, delete, memcpy and the like in .cu files: the same calls serve kernels and the
 * host, so they go to the CPU device, which knows who calls.
 *
 * malloc and its kin get another name for the linker here, which holds for std::malloc too; new and
 * delete are replaced as C++ lets a program do. memcpy and memset are macros, because the compiler
 * also makes calls of them by itself, for large structures, which are observed already.
 */
#ifndef HEAP_FUNCTIONS_H
#define HEAP_FUNCTIONS_H

#include <cstdlib>
#include <cstring>
#include <new>
#include "cpu/abi.h"

extern "C" {
extern void *malloc(size_t bytes) noexcept __asm__("cpu_heap_malloc");
extern void *calloc(size_t count, size_t bytes) noexcept __asm__("cpu_heap_calloc");
extern void free(void *pointer) noexcept __asm__("cpu_heap_free");
}

/* With the constant size of a word an access in place, else a call: of 12 bytes the compiler makes
 * accesses that nothing observes. */
static CPU_INLINE void *cpu_copy(void *to, const void *from, size_t bytes)
{
    return __builtin_constant_p(bytes) && bytes <= 16 && !(bytes & (bytes - 1))
               ? __builtin_memcpy(to, from, bytes)
               : cpu_memcpy(to, from, bytes);
}
static CPU_INLINE void *cpu_move(void *to, const void *from, size_t bytes)
{
    return cpu_memmove(to, from, bytes);
}
static CPU_INLINE void *cpu_fill(void *to, int value, size_t bytes)
{
    return cpu_memset(to, value, bytes);
}
namespace std
{
using ::cpu_copy;
using ::cpu_fill;
using ::cpu_move;
} // namespace std
#define memcpy cpu_copy
#define memmove cpu_move
#define memset cpu_fill

#endif
