/* The chain of tools that are on: empty until somebody sets it, while no kernel runs. */
#include "cpu/engine/observer.h"

#include "cpu/engine/order.h"

const struct observer *cpu_observers;
const char *(*cpu_source_line)(uintptr_t site, int *line);
void (*cpu_free_block)(struct block *b);
uint64_t cpu_host_after[MAX_ORDERED + 1];
