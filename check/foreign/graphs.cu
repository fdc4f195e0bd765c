// A graph of two streams, made by capture, launched several times; what cannot be captured.
#include <cstdio>

__global__ void add(int *x, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] += by;
}

static void report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

int main()
{
    const int N = 1000;
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph = NULL, none;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    int *x, *host;
    size_t nodes = 0;

    cudaMalloc(&x, N * sizeof(int));
    cudaMallocHost(&host, N * sizeof(int));
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    report("default stream", cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    report("begin", cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    cudaStreamIsCapturing(a, &status);
    printf("captures: %d\n", status == cudaStreamCaptureStatusActive);
    cudaMemsetAsync(x, 0, N * sizeof(int), a);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    add<<<2, 256, 0, a>>>(x, N / 2, 1);
    add<<<2, 256, 0, b>>>(x + N / 2, N / 2, 2);
    cudaEventRecord(join, b);
    cudaStreamWaitEvent(a, join, 0);
    add<<<4, 256, 0, a>>>(x, N, 10);
    cudaMemcpyAsync(host, x, N * sizeof(int), cudaMemcpyDeviceToHost, a);
    report("end", cudaStreamEndCapture(a, &graph));
    cudaGraphGetNodes(graph, NULL, &nodes);
    printf("%zu nodes\n", nodes);
    report("instantiate", cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphDestroy(graph);
    for (int i = 0; i < 3; i++) {
        host[0] = host[N - 1] = -1;
        report("launch", cudaGraphLaunch(exec, a));
        report("wait", cudaStreamSynchronize(a));
        printf("%d %d\n", host[0], host[N - 1]);
    }
    cudaGraphExecDestroy(exec);

    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    report("wait while it is captured", cudaStreamSynchronize(a));
    report("end", cudaStreamEndCapture(a, &none));
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    add<<<2, 256, 0, b>>>(x, N, 1);
    report("end without a join", cudaStreamEndCapture(a, &none));
    report("end without a begin", cudaStreamEndCapture(a, &none));
    report("a launch again", (add<<<2, 256, 0, b>>>(x, N, 1), cudaStreamSynchronize(b)));
}
