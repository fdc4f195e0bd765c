/*
 * CUDA graphs. A graph is what streams were given while they were captured, in that order: each
 * stream is a lane, and events between them are the graph's own. A launch puts all of it once more
 * into hidden streams, one per lane, behind what the stream of the launch holds; and the stream
 * goes on when all lanes have ended.
 *
 * A node that is added by a call is captured, too, from a stream that only stands for a lane: that
 * of a node that it depends on and that has no other behind it yet, else a new one. Behind each
 * such node its event is recorded, whose number is the node's.
 */
#include "cpu/runtime/graphs.h"

#include <stdlib.h>
#include <string.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/events.h"

enum { MAX_LANES = 64 };

struct node {
    struct work *work; /* NULL: an event of the graph's is recorded, or waited for */
    unsigned lane, event;
    bool records;
};

struct CUgraph_st {
    struct node *node;
    size_t nodes, room;
    unsigned lanes, events;
    int device[MAX_LANES];      /* of each lane */
    unsigned behind[MAX_LANES]; /* the event of the last node added to it, plus 1; 0: none */
    struct CUstream_st *entry;  /* through which nodes are added; NULL: none was */
};

/* A graph that is being made. */
struct making {
    struct capture capture; /* first */
    uint64_t number;
    struct making *next;
    struct CUgraph_st *graph;
    struct CUstream_st *stream[MAX_LANES];
    bool joined[MAX_LANES]; /* the first lane has waited for all that it holds */
    unsigned *lane_of;      /* of each event: where it was recorded */
};

struct CUgraphExec_st {
    struct CUgraph_st *graph; /* its own copy */
    struct CUstream_st *stream[MAX_LANES];
    cudaEvent_t *event; /* the graph's; then the launch, and the end of each lane */
};

static struct making *captures; /* under the queue's lock, as all here */
static uint64_t capture_numbers;

/* --- the nodes -------------------------------------------------------------------------------- */

static bool add_node(struct CUgraph_st *g, struct node node)
{
    if (g->nodes == g->room) {
        size_t room = g->room ? 2 * g->room : 32;
        struct node *more = realloc(g->node, room * sizeof(*more));

        if (!more)
            return false;
        g->node = more;
        g->room = room;
    }
    g->node[g->nodes++] = node;
    return true;
}

/* The same operation once more; NULL: no memory. */
static struct work *copy_work(const struct work *w)
{
    struct work *copy = queue_new(w->bytes, w->call, w->site);

    if (!copy)
        return NULL;
    memcpy(copy, w, w->bytes);
    copy->needs = NULL;
    copy->need_count = 0;
    if (w->copy && !w->copy(copy, w)) {
        free(copy);
        return NULL;
    }
    return copy;
}

static void free_graph(struct CUgraph_st *g)
{
    if (g->entry)
        g->entry->destroyed = true;
    for (size_t i = 0; i < g->nodes; i++)
        if (g->node[i].work)
            queue_free(g->node[i].work);
    free(g->node);
    free(g);
}

static struct CUgraph_st *copy_graph(const struct CUgraph_st *g)
{
    struct CUgraph_st *copy = calloc(1, sizeof(*copy));

    if (!copy)
        return NULL;
    copy->lanes = g->lanes;
    copy->events = g->events;
    memcpy(copy->device, g->device, sizeof(g->device));
    memcpy(copy->behind, g->behind, sizeof(g->behind));
    for (size_t i = 0; i < g->nodes; i++) {
        struct node node = g->node[i];

        if ((node.work && !(node.work = copy_work(node.work))) || !add_node(copy, node)) {
            free_graph(copy);
            return NULL;
        }
    }
    return copy;
}

/* --- capture ---------------------------------------------------------------------------------- */

static unsigned lane_of(const struct making *c, const struct CUstream_st *s)
{
    unsigned lane = 0;

    while (c->stream[lane] != s)
        lane++;
    return lane;
}

static cudaError_t add(struct making *c, struct node node)
{
    c->joined[node.lane] = node.lane == 0;
    if (add_node(c->graph, node))
        return cudaSuccess;
    if (node.work)
        queue_free(node.work);
    return error_keep(cudaErrorMemoryAllocation);
}

static cudaError_t capture(struct work *w, struct CUstream_st *s)
{
    w->stream = s;
    return add((struct making *)s->capture,
               (struct node){.work = w, .lane = lane_of((struct making *)s->capture, s)});
}

cudaError_t graph_record(struct captured_event *e, struct CUstream_st *s)
{
    struct making *c = (struct making *)s->capture;
    unsigned *more = realloc(c->lane_of, (c->graph->events + 1) * sizeof(*more));
    unsigned lane = lane_of(c, s);
    bool joined = c->joined[lane];
    cudaError_t error;

    if (!more)
        return error_keep(cudaErrorMemoryAllocation);
    c->lane_of = more;
    *e = (struct captured_event){c->number, c->graph->events};
    more[c->graph->events++] = lane;
    error = add(c, (struct node){.lane = lane, .event = e->index, .records = true});
    c->joined[lane] = joined; /* nothing was done */
    return error;
}

/* A further stream is captured. */
static cudaError_t join(struct making *c, struct CUstream_st *s)
{
    if (c->graph->lanes == MAX_LANES)
        return error_say(cudaErrorInvalidValue, "a graph of more than %d streams", MAX_LANES);
    c->stream[c->graph->lanes] = s;
    c->graph->device[c->graph->lanes] = s->device;
    c->joined[c->graph->lanes++] = false;
    s->capture = &c->capture;
    return cudaSuccess;
}

cudaError_t graph_wait(const struct captured_event *e, struct CUstream_st *s)
{
    struct making *c = captures;
    cudaError_t error = cudaSuccess;

    while (c && c->number != e->capture)
        c = c->next;
    if (!c)
        return s->capture ? capture_spoilt(s, "cudaStreamWaitEvent for another graph's event")
                          : error_say(cudaErrorInvalidValue,
                                      "the event was recorded for a graph that is complete");
    if (s->capture && s->capture != &c->capture)
        return error_say(cudaErrorStreamCaptureMerge, "the event is of another graph");
    if (!s->capture)
        error = join(c, s);
    if (!error)
        error = add(c, (struct node){.lane = lane_of(c, s), .event = e->index});
    if (!error && s == c->stream[0])
        c->joined[c->lane_of[e->index]] = true;
    return error;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t error = stream_good(stream);
    struct CUstream_st *s = stream_of(stream);
    struct making *c;

    if (error)
        return error;
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
        return error_keep(cudaErrorInvalidValue);
    if (stream_is_legacy(s))
        return error_say(cudaErrorStreamCaptureUnsupported,
                         "the default stream cannot be captured");
    if (s->capture)
        return error_say(cudaErrorIllegalState, "the stream is captured already");
    c = calloc(1, sizeof(*c));
    if (!c || !(c->graph = calloc(1, sizeof(*c->graph)))) {
        free(c);
        return error_keep(cudaErrorMemoryAllocation);
    }
    queue_lock();
    queue_capture = capture;
    c->number = ++capture_numbers;
    c->next = captures;
    captures = c;
    join(c, s);
    c->joined[0] = true;
    queue_unlock();
    return cudaSuccess;
}

/* The streams are as they were. */
static void end_capture(struct making *c)
{
    struct making **p = &captures;

    for (unsigned i = 0; i < c->graph->lanes; i++)
        c->stream[i]->capture = NULL;
    while (*p != c)
        p = &(*p)->next;
    *p = c->next;
    free(c->lane_of);
    free(c);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    cudaError_t error = stream_good(stream);
    struct making *c;

    if (error)
        return error;
    if (!graph)
        return error_keep(cudaErrorInvalidValue);
    *graph = NULL;
    queue_lock();
    c = (struct making *)stream_of(stream)->capture;
    if (!c) {
        error = error_say(cudaErrorIllegalState, "the stream is not captured");
    } else if (c->stream[0] != stream_of(stream)) {
        error = error_say(cudaErrorStreamCaptureUnmatched, "the capture began in another stream");
    } else {
        for (unsigned i = 0; i < c->graph->lanes && !error; i++)
            if (!c->joined[i])
                error = error_say(cudaErrorStreamCaptureUnjoined,
                                  "a stream that joined the capture was not waited for");
        if (c->capture.spoilt)
            error = error_say(cudaErrorStreamCaptureInvalidated, "%s was called meanwhile",
                              c->capture.spoilt);
        *graph = c->graph;
        end_capture(c);
        if (error) {
            free_graph(*graph);
            *graph = NULL;
        }
    }
    queue_unlock();
    return error;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    cudaError_t error = stream_good(stream);
    struct making *c;

    if (error)
        return error;
    if (!status)
        return error_keep(cudaErrorInvalidValue);
    c = (struct making *)stream_of(stream)->capture;
    *status = !c                  ? cudaStreamCaptureStatusNone
              : c->capture.spoilt ? cudaStreamCaptureStatusInvalidated
                                  : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

/* --- nodes that are added --------------------------------------------------------------------- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!graph || flags)
        return error_keep(cudaErrorInvalidValue);
    *graph = calloc(1, sizeof(**graph));
    return *graph ? cudaSuccess : error_keep(cudaErrorMemoryAllocation);
}

static struct making adding; /* the one graph that gets a node */

/* The lane of the node with this event; -1: the graph has none. */
static int home_of(const struct CUgraph_st *g, uintptr_t event)
{
    for (size_t i = 0; i < g->nodes; i++)
        if (g->node[i].records && g->node[i].event == event)
            return (int)g->node[i].lane;
    return -1;
}

/* Where a node with these dependencies goes; MAX_LANES: nowhere. */
static unsigned lane_behind(struct CUgraph_st *g, const cudaGraphNode_t *needed, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned lane = 0; lane < g->lanes; lane++)
            if (g->behind[lane] == (uintptr_t)needed[i] && g->device[lane] == cpu_current_device)
                return lane;
    if (g->lanes == MAX_LANES)
        return MAX_LANES;
    g->device[g->lanes] = cpu_current_device;
    return g->lanes++;
}

/* The lane that is added to; after it the queue's lock is held, whatever it returns. */
static cudaError_t begin_node(struct CUgraph_st *g, const cudaGraphNode_t *needed, size_t count)
{
    unsigned lane;
    bool good = true;

    if (!g || (count && !needed))
        return error_keep(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        if (!needed[i] || home_of(g, (uintptr_t)needed[i] - 1) < 0)
            return error_say(cudaErrorInvalidValue, "a node that is not of this graph");
    if (!g->entry)
        g->entry = stream_make(cpu_current_device, cudaStreamNonBlocking, 0);
    if (!g->entry)
        return error_keep(cudaErrorMemoryAllocation);
    lane = lane_behind(g, needed, count);
    if (lane == MAX_LANES)
        return error_say(cudaErrorInvalidValue, "a graph with more than %d nodes side by side",
                         MAX_LANES);
    for (size_t i = 0; i < count; i++)
        if (home_of(g, (uintptr_t)needed[i] - 1) != (int)lane)
            good &= add_node(
                g, (struct node){.lane = lane, .event = (unsigned)(uintptr_t)needed[i] - 1});
    adding.graph = g;
    adding.stream[lane] = g->entry;
    g->entry->capture = &adding.capture;
    return good ? cudaSuccess : error_keep(cudaErrorMemoryAllocation);
}

cudaError_t graph_node_begin(cudaGraph_t graph, const cudaGraphNode_t *needed, size_t count,
                             cudaStream_t *entry)
{
    cudaError_t error = cpu_failure() ? error_keep(cpu_failure()) : cudaSuccess;

    queue_lock();
    queue_capture = capture;
    memset(&adding, 0, sizeof(adding));
    if (!error)
        error = begin_node(graph, needed, count);
    *entry = error ? NULL : graph->entry;
    return error;
}

cudaError_t graph_node_end(cudaGraphNode_t *node, cudaError_t error)
{
    struct CUgraph_st *g = adding.graph;

    if (g) {
        unsigned lane = lane_of(&adding, g->entry);

        g->entry->capture = NULL;
        if (!error && !node)
            error = error_keep(cudaErrorInvalidValue);
        if (!error &&
            !add_node(g, (struct node){.lane = lane, .event = g->events, .records = true}))
            error = error_keep(cudaErrorMemoryAllocation);
        if (!error) {
            g->behind[lane] = ++g->events;
            *node = (cudaGraphNode_t)(uintptr_t)g->events;
        }
    }
    queue_unlock();
    return error;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *needed, size_t count)
{
    cudaStream_t entry;

    return graph_node_end(node, graph_node_begin(graph, needed, count, &entry));
}

/* What the child holds is done in its order, one after the other. */
static cudaError_t add_child(struct CUgraph_st *g, const struct CUgraph_st *child)
{
    unsigned lane = lane_of(&adding, g->entry);

    if (!child)
        return error_keep(cudaErrorInvalidValue);
    for (size_t i = 0; i < child->nodes; i++) {
        struct node node = {.work = child->node[i].work, .lane = lane};

        if (child->device[child->node[i].lane] != g->device[lane])
            return error_say(cudaErrorNotSupported, "a child graph of another device");
        if (node.work && (!(node.work = copy_work(node.work)) || !add_node(g, node)))
            return error_keep(cudaErrorMemoryAllocation);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *needed, size_t count,
                                       cudaGraph_t child)
{
    cudaStream_t entry;
    cudaError_t error = graph_node_begin(graph, needed, count, &entry);

    return graph_node_end(node, error ? error : add_child(graph, child));
}

/* The node whose operation is replaced; behind all that there were before stands the new one. */
static size_t changing, nodes_before;

/* The operation of the node with this event: what was added just before it. false: it has none. */
static bool find_operation(const struct CUgraph_st *g, uintptr_t event, size_t *at)
{
    for (*at = 0; *at + 1 < g->nodes; ++*at)
        if (g->node[*at + 1].records && g->node[*at + 1].event == event)
            return g->node[*at].work != NULL;
    return false;
}

static cudaError_t begin_change(struct CUgraph_st *g, cudaGraphNode_t node)
{
    if (!g || !node || !find_operation(g, (uintptr_t)node - 1, &changing))
        return error_say(cudaErrorInvalidValue, "a node without an operation, or of another graph");
    if (!g->entry)
        g->entry = stream_make(cpu_current_device, cudaStreamNonBlocking, 0);
    if (!g->entry)
        return error_keep(cudaErrorMemoryAllocation);
    adding.graph = g;
    adding.stream[g->node[changing].lane] = g->entry;
    nodes_before = g->nodes;
    g->entry->capture = &adding.capture;
    return cudaSuccess;
}

cudaError_t graph_change_begin(cudaGraphExec_t exec, cudaGraphNode_t node, cudaStream_t *entry)
{
    cudaError_t error = cpu_failure() ? error_keep(cpu_failure()) : cudaSuccess;

    queue_lock();
    queue_capture = capture;
    memset(&adding, 0, sizeof(adding));
    if (!error)
        error = begin_change(exec ? exec->graph : NULL, node);
    *entry = error ? NULL : exec->graph->entry;
    return error;
}

cudaError_t graph_change_end(cudaError_t error)
{
    struct CUgraph_st *g = adding.graph;

    if (g) {
        g->entry->capture = NULL;
        if (!error && g->nodes != nodes_before + 1)
            error = error_say(cudaErrorInvalidValue, "an operation that does nothing");
        if (!error) {
            queue_free(g->node[changing].work);
            g->node[changing].work = g->node[--g->nodes].work;
        }
    }
    queue_unlock();
    return error;
}

/* --- graphs ----------------------------------------------------------------------------------- */

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    size_t works = 0;

    if (!graph || !count || nodes)
        return error_say(cudaErrorInvalidValue, "of a graph only the number of nodes is told");
    for (size_t i = 0; i < graph->nodes; i++)
        works += graph->node[i].work != NULL;
    *count = works;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (!graph)
        return error_keep(cudaErrorInvalidValue);
    free_graph(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    if (!clone || !graph)
        return error_keep(cudaErrorInvalidValue);
    *clone = copy_graph(graph);
    return *clone ? cudaSuccess : error_keep(cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t of, cudaGraph_t clone)
{
    if (!node || !of || !clone || home_of(clone, (uintptr_t)of - 1) < 0)
        return error_keep(cudaErrorInvalidValue);
    *node = of;
    return cudaSuccess;
}

/* Those that a launch needs. */
static unsigned events_of(const struct CUgraph_st *g)
{
    return g->events + 1 + g->lanes;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    struct CUgraphExec_st *e = calloc(1, sizeof(*e));
    bool good = e != NULL;

    if (!exec || !graph || flags) {
        free(e);
        return error_keep(cudaErrorInvalidValue);
    }
    *exec = NULL;
    if (e) {
        e->graph = copy_graph(graph);
        e->event = calloc(events_of(graph), sizeof(cudaEvent_t));
        good = e->graph && e->event;
    }
    for (unsigned i = 0; good && i < graph->lanes; i++)
        good = (e->stream[i] = stream_make(graph->device[i], cudaStreamNonBlocking, 0)) != NULL;
    for (unsigned i = 0; good && i < events_of(graph); i++)
        good = (e->event[i] = event_make(0, cudaEventDisableTiming)) != NULL;
    if (!good)
        return error_keep(cudaErrorMemoryAllocation);
    *exec = e;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

static bool put_node(const struct CUgraphExec_st *e, const struct node *node)
{
    struct CUstream_st *s = e->stream[node->lane];
    struct work *w;

    if (!node->work)
        return node->records ? event_put_record(e->event[node->event], s, 0)
                             : event_put_wait(e->event[node->event], s, 0);
    w = copy_work(node->work);
    if (w)
        queue_put(w, s);
    return w != NULL;
}

/* All of it, and what stands before and behind. Under the lock. */
static bool put_all(const struct CUgraphExec_st *e, struct CUstream_st *s, uintptr_t site)
{
    const struct CUgraph_st *g = e->graph;
    bool good = event_put_record(e->event[g->events], s, site);

    for (unsigned i = 0; good && i < g->lanes; i++)
        good = event_put_wait(e->event[g->events], e->stream[i], site);
    for (size_t i = 0; good && i < g->nodes; i++)
        good = put_node(e, &g->node[i]);
    for (unsigned i = 0; good && i < g->lanes; i++)
        good = event_put_record(e->event[g->events + 1 + i], e->stream[i], site) &&
               event_put_wait(e->event[g->events + 1 + i], s, site);
    return good;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t error = stream_good(stream);
    struct CUstream_st *s;
    bool good;

    if (!exec)
        return error_keep(cudaErrorInvalidValue);
    if (error)
        return error;
    queue_lock();
    s = stream_of(stream);
    if (s->capture) {
        queue_unlock();
        return capture_spoilt(s, "cudaGraphLaunch");
    }
    good = put_all(exec, s, HERE);
    queue_unlock();
    return good ? cudaSuccess : error_keep(cudaErrorMemoryAllocation);
}

/* Have both the same nodes, in the same order, but for what their operations work on? */
static bool same_shape(const struct CUgraph_st *a, const struct CUgraph_st *b)
{
    bool same = a->nodes == b->nodes && a->lanes == b->lanes && a->events == b->events &&
                !memcmp(a->device, b->device, sizeof(a->device));

    for (size_t i = 0; same && i < a->nodes; i++) {
        const struct node *x = &a->node[i], *y = &b->node[i];

        same =
            x->lane == y->lane && x->event == y->event && x->records == y->records &&
            !x->work == !y->work &&
            (!x->work || x->work->begin == y->work->begin || (x->work->copies && y->work->copies));
    }
    return same;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    struct CUgraph_st *copy;

    if (!exec || !graph || !info)
        return error_keep(cudaErrorInvalidValue);
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateErrorTopologyChanged};
    if (!same_shape(exec->graph, graph))
        return error_keep(cudaErrorGraphExecUpdateFailure);
    copy = copy_graph(graph);
    if (!copy)
        return error_keep(cudaErrorMemoryAllocation);
    queue_lock();
    free_graph(exec->graph);
    exec->graph = copy;
    queue_unlock();
    info->result = cudaGraphExecUpdateSuccess;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    return exec ? stream_good(stream) : error_keep(cudaErrorInvalidValue);
}

/* Its streams stay, because what they hold is still done. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (!exec)
        return error_keep(cudaErrorInvalidValue);
    queue_lock();
    for (unsigned i = 0; i < events_of(exec->graph); i++)
        event_release(exec->event[i]);
    queue_unlock();
    free_graph(exec->graph);
    free(exec->event);
    free(exec);
    return cudaSuccess;
}
