// Streams and events belong to a device: what goes into those of another one, and what is refused.
// devices: 2
#include <cstdio>

__global__ void fill(int *x, int value)
{
    x[threadIdx.x] = value;
}

static void report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

int main()
{
    cudaStream_t of_0, of_1;
    cudaEvent_t event_0, event_1;
    float ms = -1;
    int *x, host[32] = {};
    void *arguments[2] = {&x, &host[0]};

    cudaMalloc(&x, sizeof(host));
    cudaStreamCreate(&of_0);
    cudaEventCreate(&event_0);
    cudaSetDevice(1);
    cudaStreamCreate(&of_1);
    cudaEventCreate(&event_1);
    cudaSetDevice(0);

    fill<<<1, 32, 0, of_0>>>(x, 3);
    report("a launch into a stream of 0", cudaGetLastError());
    fill<<<1, 32, 0, of_1>>>(x, 4);
    report("a launch into a stream of 1", cudaGetLastError());
    report("the same by a call",
           cudaLaunchKernel((void *)fill, dim3(1), dim3(32), arguments, 0, of_1));
    cudaStreamSynchronize(of_0);
    report("a copy into it", cudaMemcpyAsync(host, x, sizeof(host), cudaMemcpyDeviceToHost, of_1));
    report("wait for it", cudaStreamSynchronize(of_1));
    printf("%d\n", host[31]);

    report("event 0 in a stream of 0", cudaEventRecord(event_0, of_0));
    report("event 1 in a stream of 0", cudaEventRecord(event_1, of_0));
    report("event 1 in the default stream of 0", cudaEventRecord(event_1, 0));
    report("event 1 in a stream of 1", cudaEventRecord(event_1, of_1));
    report("wait in 0 for event 1", cudaStreamWaitEvent(of_0, event_1, 0));
    report("the host waits for event 1", cudaEventSynchronize(event_1));
    report("query it", cudaEventQuery(event_1));
    report("the time between 0 and 1", cudaEventElapsedTime(&ms, event_0, event_1));
    report("destroy the stream of 1", cudaStreamDestroy(of_1));
    report("and its event", cudaEventDestroy(event_1));
    return 0;
}
