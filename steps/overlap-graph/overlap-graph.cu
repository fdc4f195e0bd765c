/*
 * overlap-graph: many launches at once, as a graph
 *
 * Idea      A program that launches the same small kernels again and again says so once: it makes a graph of
 *           them, and one call launches all. The graph is captured from a stream, or built of nodes.
 * Since     limit-launch: the host of a fast GPU makes a launch in about 3 us, and a small kernel ends before
 *           the next one is there. overlap-copy kept the device busy with large chunks.
 * Expect    The host pays once per graph, and the device goes from kernel to kernel by itself. A graph that is
 *           made anew for each run costs more than the launches.
 * Source    CUDA guide, "CUDA Graphs"; Gray, "Getting Started with CUDA Graphs".
 */
#include "families/launchgraph/launchgraph.h"

/* stamp notes when the kernel begins and ends, where a timeline is wanted. */
static __global__ void change(element *x, size_t n, unsigned k, unsigned long long *stamps)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    stamp(stamps, 2 * (size_t)k);
    if (i < n)
        x[i] = 3 * (unsigned)x[i] + k;
    stamp(stamps, 2 * (size_t)k + 1);
}

static unsigned grid_of(const struct work *w)
{
    return (unsigned)((w->elements + w->threads - 1) / w->threads);
}

static void queue(struct work *w)
{
    for (unsigned k = 0; k < w->n && w->elements > 0; k++)
        change<<<grid_of(w), w->threads, 0, w->stream>>>(w->x, w->elements, k, w->stamps);
}

/* What the stream is given between the two calls becomes a graph, and is not run. */
static cudaGraph_t captured(struct work *w)
{
    cudaGraph_t graph;

    cudaStreamBeginCapture(w->stream, cudaStreamCaptureModeGlobal);
    queue(w);
    cudaStreamEndCapture(w->stream, &graph);
    return graph;
}

/* A node per kernel, each behind the one before. The arguments are read when a node is added. */
static cudaGraph_t built(struct work *w)
{
    cudaKernelNodeParams p = {};
    cudaGraphNode_t node = NULL;
    cudaGraph_t graph;
    unsigned k = 0;
    void *arguments[] = {&w->x, &w->elements, &k, &w->stamps};

    cudaGraphCreate(&graph, 0);
    p.func = (void *)change;
    p.gridDim = dim3(grid_of(w));
    p.blockDim = dim3(w->threads);
    p.kernelParams = arguments;
    for (; k < w->n && w->elements > 0; k++) {
        cudaGraphNode_t before = node;

        cudaGraphAddKernelNode(&node, graph, &before, k > 0 ? 1 : 0, &p);
    }
    return graph;
}

/* What can be launched is made of the graph once; the graph itself is not needed any more. */
static cudaGraphExec_t made_of(cudaGraph_t graph)
{
    cudaGraphExec_t exec;

    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
}

static void capture(struct work *w)
{
    if (!w->graph)
        w->graph = made_of(captured(w));
    cudaGraphLaunch(w->graph, w->stream);
}

static void nodes(struct work *w)
{
    if (!w->graph)
        w->graph = made_of(built(w));
    cudaGraphLaunch(w->graph, w->stream);
}

/* As if the kernels were others each time. */
static void anew(struct work *w)
{
    cudaGraphExec_t exec = made_of(captured(w));

    cudaGraphLaunch(exec, w->stream);
    cudaGraphExecDestroy(exec); /* it is kept until it has run */
}

static const struct variant variants[] = {
    {"queue", "n launches", queue, GRID_BY_SIZE | FROM_IDLE | DESTROYS_INPUT | IN_PLACE},
    {"anew", "a graph that is captured, launched and given back", anew,
     GRID_BY_SIZE | FROM_IDLE | DESTROYS_INPUT | IN_PLACE},
    {"capture", "one launch of a graph that was captured", capture,
     GRID_BY_SIZE | FROM_IDLE | DESTROYS_INPUT | IN_PLACE},
    {"nodes", "one launch of a graph that was built of nodes", nodes,
     GRID_BY_SIZE | FROM_IDLE | DESTROYS_INPUT | IN_PLACE},
};

static const struct launches launches[] = {
    {LADDER | RECORD | GPU_ONLY, {"-v queue -v capture -v nodes -n 16 --timeline -r 31"}},
    {0},
};

STEP("overlap-graph", launchgraph_family, variants, launches);
