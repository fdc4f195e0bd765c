/*
 * The memory that the threads of the running block may access with nobody looking: no tool is on,
 * and these accesses are allowed. The hooks ask it for each access, and so does what the
 * assembler's stand-in puts before them (cpu/assemble/hooks.c), which counts on this order.
 */
#ifndef CPU_ENGINE_NEAR_H
#define CPU_ENGINE_NEAR_H

#include <stddef.h>
#include <stdint.h>

struct near {
    uintptr_t open; /* global memory: a part without a gap of what the launch may access */
    size_t open_bytes;
    uintptr_t shared; /* the block's */
    size_t shared_bytes;
    size_t local_bytes;  /* from the stack pointer on */
    uintptr_t constants; /* the program's own */
    size_t constant_bytes;
};

/* Where a tool is on, all sizes are 0; outside of kernels, too, but that a program that no tool can
 * look at has as `open` what the host may touch (runtime/quiet_hooks.c). */
extern _Thread_local struct near cpu_near;

/* As cpu/assemble/hooks.c has it. */
_Static_assert(offsetof(struct near, open) == 0 && offsetof(struct near, shared) == 16 &&
                   offsetof(struct near, local_bytes) == 32 &&
                   offsetof(struct near, constants) == 40 && sizeof(size_t) == 8,
               "the assembler's stand-in reads these by their places");

#endif
