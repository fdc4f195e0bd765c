/* Fibers: stacks, and switching between them. See fiber.c. */
#ifndef CPU_ENGINE_FIBER_H
#define CPU_ENGINE_FIBER_H

#include <stdbool.h>
#include <stdint.h>

struct fiber;

struct fiber *fiber_of_caller(void);                      /* wraps the stack that calls it */
struct fiber *fiber_create(void (*entry)(void));          /* NULL when memory is exhausted */
void fiber_restart(struct fiber *f, void (*entry)(void)); /* forget what it was doing */
void fiber_switch(struct fiber *from, struct fiber *to);
void fiber_expect(const struct fiber *f);                   /* it will soon be switched to */
bool fiber_holds(const struct fiber *f, uintptr_t address); /* on its stack? */
bool fiber_intact(const struct fiber *f);                   /* false: the stack overflowed */

/* A number for what a fiber that does not run holds, its registers and its stack; 0: not known. */
uint64_t fiber_state(const struct fiber *f);

#endif
