// flags: --check
// status: 1
// error: nothing orders the two blocks
// error: missing   last-block.cuh:15
// error: __threadfence() after this, before what it waits for
// The last block to finish adds up, but no fence comes after its ticket.
#define BEFORE __threadfence()
#define AFTER (void)0
#include "parts/last-block.cuh"
