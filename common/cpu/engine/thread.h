/* The life of a GPU thread. See thread.c. */
#ifndef CPU_ENGINE_THREAD_H
#define CPU_ENGINE_THREAD_H

#include "cpu/engine/state.h"

void thread_main(void); /* where each fiber begins; never returns */

/* End the running thread on the spot. */
void cpu_kill(struct thread *t) __attribute__((noreturn));

#endif
