/*
 * Cooperative groups for the CPU device: the grid, the block, its tiles, and the threads that are
 * together. Names and meanings are those of the CUDA C++ Programming Guide, "Cooperative Groups".
 * Several devices are not there.
 */
#ifndef COOPERATIVE_GROUPS_H
#define COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>
#include "cuda/scopes.h"
#include "cooperative_groups/lanes.h"
#include "cooperative_groups/blocks.h"
#include "cooperative_groups/coalesced.h"
#include "cooperative_groups/tiles.h"
#include "cooperative_groups/partitions.h"

#endif
