/*
 * Operations of single precision that this worker's threads have executed: what the assembler's
 * stand-in (cpu/assemble) put into the kernels adds up here, whether or not anybody looks. An
 * operation is a GPU's: FFMA, FADD, FMUL; the last number counts operations that stand for a
 * sequence of these whose length depends on the argument.
 */
#ifndef CPU_ENGINE_OPERATION_COUNTS_H
#define CPU_ENGINE_OPERATION_COUNTS_H

#include <stdint.h>

enum operation {
    OPERATION_FMA,
    OPERATION_ADD,
    OPERATION_MUL,
    OPERATION_GUESSED,
    OPERATION_INSTRUCTIONS,
    OPERATION_TENSOR, /* instructions of warps, which the tensor cores do */
    OPERATIONS
};
extern _Thread_local uint64_t cpu_operations[OPERATIONS];

#endif
