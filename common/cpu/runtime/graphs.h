/* Graphs, and streams that are captured for one. See graphs.c. */
#ifndef CPU_RUNTIME_GRAPHS_H
#define CPU_RUNTIME_GRAPHS_H

#include "cpu/runtime/streams.h"

/* Where an event was recorded, if in a stream that was captured. */
struct captured_event {
    uint64_t capture; /* which, from 1; 0: in none */
    unsigned index;   /* of the graph's own events */
};

/* It is recorded in a stream that is captured. Under the queue's lock. */
cudaError_t graph_record(struct captured_event *e, struct CUstream_st *s);

/* A stream waits for such an event: it is captured then, too, if the capture goes on. */
cudaError_t graph_wait(const struct captured_event *e, struct CUstream_st *s);

/* A node is being added: what is put into the entry is it, and graph_node_end completes it. Both
 * are called, in any case; error: what went wrong so far. The queue's lock is held in between. */
cudaError_t graph_node_begin(cudaGraph_t graph, const cudaGraphNode_t *needed, size_t count,
                             cudaStream_t *entry);
cudaError_t graph_node_end(cudaGraphNode_t *node, cudaError_t error);

/* The same of a node that there is, whose operation becomes the one that is put into the entry. */
cudaError_t graph_change_begin(cudaGraphExec_t exec, cudaGraphNode_t node, cudaStream_t *entry);
cudaError_t graph_change_end(cudaError_t error);

#endif
