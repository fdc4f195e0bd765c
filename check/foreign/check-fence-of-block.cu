// flags: --check
// status: 1
// error: nothing orders the two blocks
// error: ; the fence there has block scope
// The fence after the ticket orders for its block alone.
#define BEFORE __threadfence()
#define AFTER __threadfence_block()
#include "parts/last-block.cuh"
