// Nodes that set, copy, call the host and hold another graph; a clone; nodes that are changed after the
// graph was made ready, one by one and all by another graph; what cannot be changed.
#include <cstdio>

const int n = 8;

__global__ void add(int *x, int by)
{
    x[threadIdx.x] += by;
}

static int calls;

static void count(void *by)
{
    calls += *(int *)by;
}

static void report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

static void tell(const char *what, const int *words)
{
    printf("%s: %d %d %d, %d calls\n", what, words[0], words[1], words[n - 1], calls);
}

static cudaMemcpy3DParms copy_of(int *to, int *from)
{
    cudaMemcpy3DParms p = {};

    p.srcPtr = make_cudaPitchedPtr(from, n * sizeof(int), n, 1);
    p.dstPtr = make_cudaPitchedPtr(to, n * sizeof(int), n, 1);
    p.extent = make_cudaExtent(n * sizeof(int), 1, 1);
    p.kind = cudaMemcpyDefault;
    return p;
}

/* x is set to value, `by` is added, and the host gets it. */
static cudaGraph_t make(int *x, int *host, unsigned value, int by, int *once,
                        cudaGraphNode_t nodes[4])
{
    cudaGraph_t graph;
    cudaMemsetParams set = {};
    cudaKernelNodeParams kernel = {};
    cudaHostNodeParams call = {count, once};
    cudaMemcpy3DParms copy = copy_of(host, x);
    void *arguments[] = {&x, &by};

    set.dst = x;
    set.value = value;
    set.elementSize = 4;
    set.width = n;
    set.height = 1;
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(n);
    kernel.kernelParams = arguments;
    cudaGraphCreate(&graph, 0);
    report("set", cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &set));
    report("add", cudaGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &kernel));
    report("copy", cudaGraphAddMemcpyNode(&nodes[2], graph, &nodes[1], 1, &copy));
    report("call", cudaGraphAddHostNode(&nodes[3], graph, &nodes[2], 1, &call));
    return graph;
}

int main()
{
    int *x, *host, *other, by = 5, once = 1, ten = 10;
    cudaGraphNode_t nodes[4], rest[4], child, found;
    cudaGraph_t graph, clone, outer, second;
    cudaGraphExec_t exec, exec_clone, exec_outer;
    cudaGraphExecUpdateResultInfo info;
    cudaKernelNodeParams kernel = {};
    cudaMemsetParams set = {};
    cudaHostNodeParams call = {count, &ten};
    void *arguments[] = {&x, &by};

    cudaMalloc(&x, n * sizeof(int));
    cudaMallocHost(&host, n * sizeof(int));
    cudaMallocHost(&other, n * sizeof(int));
    graph = make(x, host, 0x01020304, 1, &once, nodes);
    report("clone", cudaGraphClone(&clone, graph));
    report("find", cudaGraphNodeFindInClone(&found, nodes[1], clone));
    report("ready", cudaGraphInstantiate(&exec, graph, 0));
    report("the clone, too", cudaGraphInstantiate(&exec_clone, clone, 0));
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    tell("launched", host);

    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(n);
    kernel.kernelParams = arguments;
    report("change add", cudaGraphExecKernelNodeSetParams(exec, nodes[1], &kernel));
    set.dst = x;
    set.value = 7;
    set.elementSize = 1;
    set.width = 4;
    set.height = 1;
    report("change set", cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &set));
    report("change call", cudaGraphExecHostNodeSetParams(exec, nodes[3], &call));
    report("change copy", cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[2], other, x,
                                                             n * sizeof(int), cudaMemcpyDefault));
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    tell("changed", other);
    tell("not here", host);
    cudaGraphLaunch(exec_clone, 0);
    cudaDeviceSynchronize();
    tell("the clone is as before", host);

    cudaGraphCreate(&outer, 0);
    report("child", cudaGraphAddChildGraphNode(&child, outer, NULL, 0, graph));
    report("add behind", cudaGraphAddKernelNode(&found, outer, &child, 1, &kernel));
    report("ready", cudaGraphInstantiate(&exec_outer, outer, 0));
    cudaGraphLaunch(exec_outer, 0);
    cudaMemcpy(host, x, n * sizeof(int), cudaMemcpyDefault);
    tell("outer", host);

    second = make(x, host, 40, 2, &once, rest);
    report("update", cudaGraphExecUpdate(exec, second, &info));
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    tell("updated", host);
    report("update by another shape", cudaGraphExecUpdate(exec, outer, &info));
    printf("%s\n", info.result == cudaGraphExecUpdateErrorTopologyChanged ? "told" : "not told");
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    tell("is as it was", host);
    set.elementSize = 3;
    report("elements of 3 bytes", cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &set));
    return 0;
}
