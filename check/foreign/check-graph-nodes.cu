// A node of a graph reads what another one writes: with a dependency, and then without.
// flags: --check
// status: 1
// error: nothing orders the two: no event, fence or flag
#include <cstdio>

__global__ void fill(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = value + i;
}

__global__ void twice(int *to, const int *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = 2 * from[i];
}

static void launch(int *x, int *y, int n, bool ordered)
{
    int value = 1;
    void *of_fill[] = {&x, &n, &value}, *of_twice[] = {&y, &x, &n};
    cudaKernelNodeParams p = {};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t filled, doubled;

    p.gridDim = dim3(4);
    p.blockDim = dim3(256);
    cudaGraphCreate(&graph, 0);
    p.func = (void *)fill;
    p.kernelParams = of_fill;
    cudaGraphAddKernelNode(&filled, graph, NULL, 0, &p);
    p.func = (void *)twice;
    p.kernelParams = of_twice;
    cudaGraphAddKernelNode(&doubled, graph, &filled, ordered ? 1 : 0, &p);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
}

int main()
{
    const int N = 1000;
    int *x, *y, host[N];

    cudaMalloc(&x, N * sizeof(int));
    cudaMalloc(&y, N * sizeof(int));
    launch(x, y, N, true);
    printf("so far right\n");
    fflush(stdout);
    launch(x, y, N, false);
    cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[N - 1]);
}
