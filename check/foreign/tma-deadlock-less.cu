// status: 3
// error: whose phase lacks arrivals: 0, and has bytes too many: 64
// The barrier expects 64 bytes less than are copied: its phase does not end, or, on a GPU, before all bytes are there.
#define EXPECTED 64
#include "tma-deadlock.cu"
