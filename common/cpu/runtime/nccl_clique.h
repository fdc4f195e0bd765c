/*
 * A clique: the ranks of one communicator, and the calls that they have made. See nccl_clique.c.
 * All of it is called with the queue's lock held.
 */
#ifndef CPU_RUNTIME_NCCL_CLIQUE_H
#define CPU_RUNTIME_NCCL_CLIQUE_H

#include <nccl.h>
#include <stdbool.h>
#include "cpu/runtime/queue.h"

enum nccl_what {
    NCCL_ALL_REDUCE,
    NCCL_REDUCE,
    NCCL_REDUCE_SCATTER,
    NCCL_ALL_GATHER,
    NCCL_BROADCAST,
    NCCL_SEND,
    NCCL_RECEIVE
};
const char *nccl_what_name(enum nccl_what what); /* as ncclAllReduce */

/* One call of one rank. It belongs to whoever posts it, until it is done. */
struct nccl_call {
    enum nccl_what what;
    const void *send;
    void *receive;
    size_t count; /* of elements; of reduce-scatter and all-gather: of one rank's part */
    ncclDataType_t type;
    ncclRedOp_t op; /* where it has one */
    int root;       /* or the other rank of a send or receive; else 0 */
    int rank;       /* that calls */
    bool posted, arrived, done;
    ncclResult_t result; /* once it is done */
    struct work *work;   /* that it is a part of; NULL: it is another process's, and */
    void (*foreign_done)(struct nccl_call *); /* gets it back when it is done */
    struct nccl_set *set;   /* what it is carried out with; NULL: that is not complete */
    struct nccl_call *next; /* of the rank's, oldest first */
};

enum { NCCL_MAX_RANKS = 64 };

struct clique {
    struct clique *next; /* of all */
    ncclUniqueId id;
    int ranks, joined, left;
    bool present[NCCL_MAX_RANKS];
    int device[NCCL_MAX_RANKS];
    struct nccl_call *calls[NCCL_MAX_RANKS]; /* that are not done */
    ncclResult_t failed;                     /* for good; the line says why */
    char line[256];
    struct wire *wire; /* to the process that has all calls; NULL: this one has */
    bool shared;       /* with ranks of other processes, which come here */
};

/* A call is made: it is put together with those of other ranks. */
void clique_post(struct clique *c, struct nccl_call *call);

/* Its turn has come in its stream. When it has for all that it is put together with, it is done. */
void clique_arrive(struct clique *c, struct nccl_call *call);

/* Every call that is not done, and every later one, has this result. The first one stays. */
void clique_fail(struct clique *c, ncclResult_t result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

extern void (*clique_on_failure)(const struct clique *c); /* NULL, or told then */

/* What waits in streams for calls of the clique will be told this line. */
void clique_mark_streams(struct clique *c, const char *line);

/* Another process has carried the call out: what is received. */
void clique_take(struct clique *c, struct nccl_call *call, const void *data);

/* What the rank that calls waits for, as text: "rank 3 has not called it". */
const char *clique_missing(const struct clique *c, const struct nccl_call *call);

/* Bytes of data that a rank sends and receives in the call. */
size_t nccl_send_bytes(const struct nccl_call *call, int ranks);
size_t nccl_receive_bytes(const struct nccl_call *call, int ranks);

#endif
