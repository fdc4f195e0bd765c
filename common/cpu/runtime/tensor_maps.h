/* Tensor maps as a copy takes them. See tensor_maps.c. */
#ifndef CPU_RUNTIME_TENSOR_MAPS_H
#define CPU_RUNTIME_TENSOR_MAPS_H

#include "cpu/engine/bulk_copies.h"

enum { TENSOR_RANK = 5, TENSOR_LINE = 128 }; /* bytes that a box's address is a multiple of */

/* Adds to the copy the pieces of the box at these coordinates that lies in shared memory from
 * there on; zeros: with those outside of the tensor, too. Returns what makes the launch fail, or
 * NULL. */
const char *tensor_map_add(struct bulk *c, const void *map, unsigned rank,
                           const int at[TENSOR_RANK], uint32_t shared, bool zeros);

#endif
