// Graphs that are not captured.
// nvcc: no
// status: 2
// error: language-refused-graph.cu:11: error: the CPU device has no graphs but by capture (cudaGraphCreate)
#include <cstdio>

int main()
{
    cudaGraph_t graph;

    cudaGraphCreate(&graph, 0);
    return 0;
}
