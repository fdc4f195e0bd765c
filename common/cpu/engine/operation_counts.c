/* The operations that a worker has executed; kernels add to them by the name of the variable. */
#include "cpu/engine/operation_counts.h"

_Thread_local uint64_t cpu_operations[OPERATIONS];
