/* Accesses of a warp as nvcc's code does them, where that is known. See as_nvcc.c. */
#ifndef CPU_TOOLS_AS_NVCC_H
#define CPU_TOOLS_AS_NVCC_H

#include "cpu/tools/counters/groups.h"
#include "cpu/tools/counters/nvcc_shape.h"

struct as_nvcc;

/* Called with each warp-level access that is to be counted, like groups_complete. */
typedef void as_nvcc_count(struct warp_accesses *accesses, access_key key, uint32_t lanes,
                           const uint64_t *address);

struct as_nvcc *as_nvcc_create(void); /* NULL: out of memory; freed by free() */
void as_nvcc_reset(struct as_nvcc *r);
void as_nvcc_add(struct as_nvcc *r, struct warp_accesses *accesses, struct nvcc_shape shape,
                 access_key key, uint32_t lanes, const uint64_t *address, as_nvcc_count *count);
void as_nvcc_flush(struct as_nvcc *r, struct warp_accesses *accesses,
                   as_nvcc_count *count); /* all that waits */

#endif
