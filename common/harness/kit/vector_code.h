/*
 * Long loops of the host over plain numbers, compiled once more for processors with wider vectors,
 * of which the program takes what it finds. The results are the same: nothing is contracted or
 * reordered.
 */
#ifndef VECTOR_CODE_H
#define VECTOR_CODE_H

#include <stdint.h> /* says which C library this is */

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && __GNUC__ >= 12 &&           \
    !defined(__clang__) && !defined(__cplusplus)
#define VECTOR_CODE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VECTOR_CODE
#endif

#endif
