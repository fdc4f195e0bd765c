/*
 * Ranks in other processes. See nccl_wire.c. But where it says so, all is called with the queue's
 * lock held.
 */
#ifndef CPU_RUNTIME_NCCL_WIRE_H
#define CPU_RUNTIME_NCCL_WIRE_H

#include "cpu/runtime/nccl_clique.h"

struct wire;

/* Ranks of other processes may come from now on. Its port; -1: it cannot be had. `of` gives the
 * clique of an id, `joins` says that a rank has come to it: NULL, or what is wrong. */
int wire_serve(struct clique *(*of)(const ncclUniqueId *id, int ranks),
               const char *(*joins)(struct clique *c, int rank));

void wire_joined(const struct clique *c); /* a rank has: when all have, the others are told */

/* To the process that made the id; NULL: it does not answer. Its rank is told of
 * the clique, which is this rank's own. */
struct wire *wire_connect(int port, struct clique *c, const ncclUniqueId *id, int rank);
bool wire_ready(const struct wire *w); /* all ranks have come */

void wire_call(struct wire *w, struct nccl_call *call); /* its turn has come in its stream */
void wire_end(struct wire *w, bool aborts);             /* the rank goes */

#endif
