// Graphs.
// nvcc: no
// status: 2
// error: language-refused-graph.cu:9: error: the CPU device has no graphs (cudaGraph_t)
#include <cstdio>

int main()
{
    cudaGraph_t graph;

    cudaGraphCreate(&graph, 0);
    return 0;
}
