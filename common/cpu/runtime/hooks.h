/* What a hook does where it is not clear that there is nothing to do. See hooks.c. */
#ifndef CPU_RUNTIME_HOOKS_H
#define CPU_RUNTIME_HOOKS_H

#include <stdint.h>

void hook_look(uintptr_t address, unsigned bytes, unsigned flags, uintptr_t site);

#endif
