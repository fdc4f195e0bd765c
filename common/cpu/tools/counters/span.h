/* The longest chain of waits, one after the other. See span.c. */
#ifndef CPU_TOOLS_SPAN_H
#define CPU_TOOLS_SPAN_H

#include "cpu/engine/state.h"
#include "cpu/tools/counters/nvcc_shape.h"
#include "cpu/tools/counters/traffic.h"
#include "cpu_device.h"

struct chain {
    uint64_t waits[CPU_WAIT_KINDS];
};

/* Of a warp. */
enum { TOGETHER = 16 };
struct span {
    struct chain chain, loaded; /* loaded: when it last had a load of global memory */
    bool loads;                 /* has it one since its lanes last synchronised? */
    struct {
        uint64_t place;
        unsigned count;
    } batch[TOGETHER]; /* the loads in flight, by their places */
    unsigned in_batch;
    enum cpu_wait_kind batch_kind;
    bool copying;        /* asynchronous copies are on their way */
    unsigned fence_lane; /* the last one that fenced */
};

/* Of a worker's blocks, over a launch; all 0 before it. */
struct spans {
    struct chain sum, longest, tail; /* tail: the sum of what comes behind the last load */
    uint64_t blocks, shared;         /* shared: bytes of a block, the most */
};

/* One access of a warp, in order; shape: what nvcc makes of its place. */
void span_access(struct span *s, struct cache *c, struct traffic *t, uint64_t key,
                 struct nvcc_shape shape, uint32_t lanes, const uint64_t *address);
void span_warp_operation(struct span *s);
void span_fence(struct span *s, unsigned lane); /* of one thread */
void span_arrived(struct span *s);              /* its asynchronous copies have */
void span_barrier(struct span **warps, unsigned count);
void span_block_end(struct spans *t, struct span **warps, unsigned count, size_t shared);
bool span_longer(const struct chain *a, const struct chain *b);

#endif
