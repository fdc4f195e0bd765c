/* Copies of many bytes between global and shared memory, or to the shared memory of another block
 * of the cluster, which one thread begins. See bulk_copies.c. */
#ifndef CPU_ENGINE_BULK_COPIES_H
#define CPU_ENGINE_BULK_COPIES_H

#include "cpu/engine/state.h"

enum { BULK_PIECE = 16 }; /* bytes at most */

struct bulk_piece {
    uintptr_t global; /* 0: of shared memory so many bytes become 0. Or it is the shared memory that
                         is sent to another block */
    uint32_t shared;  /* bytes from the start of shared memory of `block` */
    uint32_t bytes;
};

struct bulk {
    struct bulk *next; /* of the same block, younger */
    struct thread *thread;
    struct block *block; /* whose shared memory it goes to or comes from, of the thread's cluster */
    uintptr_t site;
    uintptr_t object; /* the barrier object that waits for it; 0: it goes to global memory */
    uint64_t group;   /* to global memory: of its thread's commits, how many came before it */
    unsigned element; /* bytes of one */
    unsigned bytes;   /* that the object counts */
    bool is_read;     /* to global memory: shared memory may change now */
    unsigned pieces, room;
    struct bulk_piece *piece;
    uint8_t (*seen)[BULK_PIECE]; /* to global memory: what was in shared memory when it began; of
                                    a store: the value, which `global` then means */
};

struct bulk *bulk_new(struct worker *w); /* empty; for bulk_begin, or bulk_free */
void bulk_free(struct worker *w, struct bulk *c);
void bulk_add(struct bulk *c, uintptr_t global, uint32_t shared, uint32_t bytes);

/* The copy's thread begins it. The caller has told the tools of the accesses. */
void bulk_begin(struct bulk *c);

/* What the object waits for arrives: returns how many bytes it counts. */
int64_t bulk_arrive(struct block *b, uintptr_t object);
/* One that arrives at these bytes of shared memory, or else reads there, and is not done. */
const struct bulk *bulk_at(const struct block *b, uintptr_t address, unsigned bytes, bool arrives);
bool bulk_awaited(const struct block *b, uintptr_t object); /* there is something */

/* The running thread's copies to global memory: what it began since its last commit is a group; all
 * but the youngest `prior` groups have read, and unless read_only have written. */
void bulk_commit(struct thread *t);
void bulk_wait(struct thread *t, uint64_t prior, bool read_only);

void bulk_end(struct block *b); /* it ends: what has not been read is never written */

#endif
