/* What a worker has counted in a launch: a sum for each place in the code. See tally.c. */
#ifndef CPU_TOOLS_TALLY_H
#define CPU_TOOLS_TALLY_H

#include "cpu/engine/operation_counts.h"
#include "cpu/tools/counters/groups.h"
#include "cpu/tools/counters/nvcc.h"
#include "cpu/tools/counters/as_nvcc.h"
#include "cpu/tools/trace/trace.h"

/* One place in the code, as one kind of access of one width. */
struct place_sum {
    access_key key; /* 0: an empty slot */
    uint64_t requests, units, ideal, lanes, same_address;
    uint64_t passes;         /* of atomics: sectors of global, wavefronts of shared memory */
    struct traffic *traffic; /* of the worker */
    struct nvcc_shape shape;
    bool as_nvcc; /* its accesses have that shape */
    /* Of the requests, while nvcc's code is not known: stores to where the place stored shortly
     * before; and accesses beside another one, weighted. */
    uint64_t again, adjacent;
    struct picture *picture; /* of the trace, if wanted */
};

/* The table has a power of two slots; its room is kept from launch to launch. */
struct tally {
    struct place_sum *table;
    size_t slots, used;
    uint64_t barriers, divergent_warps, local;
    uint64_t bulk_copies, bulk_bytes, cluster_barriers;
    bool begun; /* a block of the launch has begun: cpu_operations is the launch's */
    uint64_t operations[OPERATIONS], warp_instructions, tail_instructions;
    struct traffic traffic;
    struct spans spans;
    bool doubt; /* about what belongs to no place */
} __attribute__((aligned(64)));

/* For the launch that begins: what nvcc made of its kernel (NULL: not known), and whether to
 * trace. */
void tally_begin(const struct nvcc_kernel *nvcc, bool trace);

/* The sum of a place, a new one if there is none yet; it may move when another is asked for. */
struct place_sum *tally_place(struct tally *t, access_key key);

/* One access of a warp, at its place. */
void tally_add(struct place_sum *p, struct warp_accesses *accesses, uint32_t lanes,
               const uint64_t *address);

void tally_clear(struct tally *t);

#endif
