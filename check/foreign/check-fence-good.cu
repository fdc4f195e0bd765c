// flags: --check
// error: --check: nothing found
// The last block to finish adds up: a fence before its ticket, and one after it.
#define BEFORE __threadfence()
#define AFTER __threadfence()
#include "parts/last-block.cuh"
