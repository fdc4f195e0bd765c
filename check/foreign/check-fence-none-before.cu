// flags: --check
// status: 1
// error: nothing orders the two blocks
// error: missing   last-block.cuh:15
// error: __threadfence() before this, behind what it tells of
// The last block to finish adds up, but no fence comes before the ticket.
#define BEFORE (void)0
#define AFTER __threadfence()
#include "parts/last-block.cuh"
