// Streams with flags, priorities and callbacks; events between them; work in each is in order.
#include <cstdio>
#include <vector>

__global__ void add(int *x, int n, int by)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] += by;
}

static void CUDART_CB note(cudaStream_t, cudaError_t status, void *data)
{
    ((std::vector<int> *)data)->push_back((int)status);
}

static void CUDART_CB count(void *data)
{
    ++*(int *)data;
}

int main()
{
    const int n = 4096, parts = 4;
    int *host, *device, called = 0, least = -1, greatest = 1;
    std::vector<int> notes;
    cudaStream_t streams[parts];
    cudaEvent_t done, plain;
    float ms = -1;

    cudaMallocHost(&host, n * sizeof(int));
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    printf("least %s greatest\n", least >= greatest ? ">=" : "<");
    cudaStreamCreate(&streams[0]);
    cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking);
    cudaStreamCreateWithPriority(&streams[2], cudaStreamDefault, greatest);
    cudaStreamCreate(&streams[3]);
    cudaMallocAsync(&device, n * sizeof(int), streams[0]);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventCreate(&plain);
    cudaEventRecord(plain, streams[0]);
    cudaEventRecord(done, streams[0]);
    for (int i = 0; i < n; i++)
        host[i] = i;
    for (int s = 0; s < parts; s++) {
        int offset = s * n / parts, bytes = n / parts * (int)sizeof(int);

        cudaStreamWaitEvent(streams[s], done, 0);
        cudaMemcpyAsync(device + offset, host + offset, bytes, cudaMemcpyHostToDevice, streams[s]);
        add<<<4, 64, 0, streams[s]>>>(device + offset, n / parts, s + 1);
        add<<<4, 64, 0, streams[s]>>>(device + offset, n / parts, 100);
        cudaMemcpyAsync(host + offset, device + offset, bytes, cudaMemcpyDeviceToHost, streams[s]);
        cudaStreamAddCallback(streams[s], note, &notes, 0);
        cudaLaunchHostFunc(streams[s], count, &called);
    }
    cudaEventRecord(done, streams[3]);
    cudaEventSynchronize(done);
    for (int s = 0; s < parts; s++)
        cudaStreamSynchronize(streams[s]);
    printf("query: %s\n", cudaGetErrorName(cudaStreamQuery(streams[1])));
    int right = 0;
    for (int i = 0; i < n; i++)
        right += host[i] == i + 101 + i / (n / parts);
    printf("%d of %d are right; %d notes, %d calls\n", right, n, (int)notes.size(), called);
    printf("untimed: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, plain, done)));
    for (int s = 0; s < parts; s++)
        cudaStreamDestroy(streams[s]);
    cudaGetLastError();
    add<<<1, 32, 0, cudaStreamPerThread>>>(device, n, 1);
    add<<<1, 32, 0, cudaStreamLegacy>>>(device, n, 1);
    printf("default streams: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFreeAsync(device, 0);
    cudaFreeHost(host);
    cudaEventDestroy(done);
    cudaEventDestroy(plain);
    return 0;
}
