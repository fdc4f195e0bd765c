/* The chain of tools that are on: empty until somebody sets it, before the first launch. */
#include "cpu/engine/observer.h"

const struct observer *cpu_observers;
