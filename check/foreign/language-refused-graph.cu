// A graph with a node of another kind.
// nvcc: no
// status: 2
// error: language-refused-graph.cu:14: error: the CPU device has no such nodes of graphs
// error: (cudaGraphAddEventRecordNode)
#include <cstdio>

int main()
{
    cudaGraph_t graph;
    cudaGraphNode_t node;

    cudaGraphCreate(&graph, 0);
    cudaGraphAddEventRecordNode(&node, graph, NULL, 0, NULL);
    return 0;
}
