// A graph whose nodes are added one by one: a diamond, launched several times; what is refused.
#include <cstdio>

__global__ void set(int *x, int n, int to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = to;
}

template <typename T> __global__ void add(T *sum, const T *a, const T *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        sum[i] = a[i] + b[i];
}

static void report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

static cudaKernelNodeParams node_of(void *kernel, int n, void **arguments)
{
    cudaKernelNodeParams p = {};

    p.func = kernel;
    p.gridDim = dim3((n + 255) / 256);
    p.blockDim = dim3(256);
    p.kernelParams = arguments;
    return p;
}

int main()
{
    int n = 1000, one = 1, two = 2, three = 3;
    int *a, *b, *c, *host;
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t set_a, set_b, sum, copy, from_other, none;
    size_t nodes = 0;

    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMalloc(&c, n * sizeof(int));
    cudaMallocHost(&host, n * sizeof(int));
    report("create", cudaGraphCreate(&graph, 0));
    report("another", cudaGraphCreate(&other, 0));

    void *to_a[] = {&a, &n, &one}, *to_b[] = {&b, &n, &two}, *to_c[] = {&c, &a, &b, &n};
    cudaKernelNodeParams p = node_of((void *)set, n, to_a);
    report("set a", cudaGraphAddKernelNode(&set_a, graph, NULL, 0, &p));
    p = node_of((void *)set, n, to_b);
    report("set b", cudaGraphAddKernelNode(&set_b, graph, NULL, 0, &p));
    cudaGraphNode_t both[] = {set_a, set_b};
    p = node_of((void *)add<int>, n, to_c);
    report("sum", cudaGraphAddKernelNode(&sum, graph, both, 2, &p));
    report("empty", cudaGraphAddEmptyNode(&sum, graph, &sum, 1));
    report("copy", cudaGraphAddMemcpyNode1D(&copy, graph, &sum, 1, host, c, n * sizeof(int), cudaMemcpyDeviceToHost));
    two = three; // the arguments were read when the node was added
    cudaGraphGetNodes(graph, NULL, &nodes);
    printf("%zu nodes\n", nodes);

    report("of another graph", cudaGraphAddKernelNode(&from_other, other, &copy, 1, &p));
    p.blockDim = dim3(2000);
    report("too many threads", cudaGraphAddKernelNode(&none, other, NULL, 0, &p));
    p = node_of((void *)report, n, to_c);
    report("no kernel", cudaGraphAddKernelNode(&none, other, NULL, 0, &p));
    report("no parameters", cudaGraphAddKernelNode(&none, other, NULL, 0, NULL));
    cudaGraphGetNodes(other, NULL, &nodes);
    printf("%zu nodes\n", nodes);

    report("instantiate", cudaGraphInstantiate(&exec, graph, 0));
    report("destroy", cudaGraphDestroy(graph));
    for (int i = 0; i < 3; i++) {
        host[0] = host[n - 1] = -1;
        report("launch", cudaGraphLaunch(exec, 0));
        report("wait", cudaDeviceSynchronize());
        printf("%d %d\n", host[0], host[n - 1]);
    }
    report("nothing", cudaGraphInstantiate(&exec, other, 0));
    report("launch", cudaGraphLaunch(exec, 0));
    report("wait", cudaDeviceSynchronize());
}
