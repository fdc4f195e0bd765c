/* Products that four warps do by the tensor cores, and wait for later. See runtime/wgmma.c. */
#ifndef CPU_ENGINE_ASYNC_PRODUCTS_H
#define CPU_ENGINE_ASYNC_PRODUCTS_H

#include "cpu/engine/state.h"

enum {
    GROUP_WARPS = 4, /* of a warpgroup */
    PRODUCT_COLUMNS = 256,
    PRODUCT_DEPTH = 16,
    PRODUCT_SUMS = PRODUCT_COLUMNS / 2, /* of a lane */
    CHUNK_BYTES = 16,
    CHUNKS_OF_A = 32, /* of a warp's 16 rows */
    CHUNKS = CHUNKS_OF_A + 2 * PRODUCT_COLUMNS
};

/* A warp's part of one: 16 rows of D. */
struct product {
    struct product *next; /* of the same warp, younger */
    uint64_t group;       /* of the warp's commits: how many came before it */
    uint64_t number;      /* of the warp's products, from 1 */
    bool is_read;         /* `seen` is what it multiplies: shared memory may change now */
    uintptr_t site;
    enum cpu_tensor type;
    unsigned columns, how;   /* how: enum cpu_group_how */
    bool add;                /* to D; else D is set */
    unsigned of_a, chunks;   /* in shared memory, A's first; of A none where it is in registers */
    uint32_t offset[CHUNKS]; /* from the start of shared memory */
    uint8_t seen[CHUNKS][CHUNK_BYTES]; /* what was there when it began */
    uint32_t a[WARP][4];               /* A in registers */
    float *sum[WARP][PRODUCT_SUMS];    /* D; NULL: the lane did not come */
};

/* Where a lane's sums lie, and who touched them outside of products since the last fence. */
enum { SUM_RANGES = 8 };
struct sum_range {
    uintptr_t from, to;
    uintptr_t written; /* where in the code; 0: nowhere */
};

/* What is hung on a warp that multiplies so. */
struct warp_products {
    struct warp_products *next_free;
    struct product *first, *last; /* that nobody has waited for, oldest first */
    uint64_t groups;              /* committed so far */
    uint64_t begun;               /* products in all, */
    uint64_t hash;                /* and a number for what they were */
    uint32_t fenced;              /* lanes that have called wgmma.fence */
    unsigned ranges[WARP];
    struct sum_range range[WARP][SUM_RANGES];
};

struct warp_products *async_products_of(struct block *b, struct warp *w); /* made if need be */
struct product *async_product_new(struct worker *w);
void async_product_free(struct worker *w, struct product *p);
void async_products_forget(struct block *b); /* it ends: what nobody has waited for is never done */

/* The range that holds the address, of what this thread's products have summed so far. */
struct sum_range *async_sum_range(const struct thread *t, uintptr_t address);
/* A product that nobody has waited for, and that sums there. */
const struct product *async_product_at(const struct thread *t, uintptr_t address, unsigned bytes);

#endif
