// Memory belongs to a device: who owns it, how much is left, copies between devices, and a reset.
// devices: 3
#include <cstdio>

__global__ void add(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] += value;
}

static void report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

static int owner(const void *pointer)
{
    cudaPointerAttributes p;

    cudaPointerGetAttributes(&p, pointer);
    return p.device;
}

static size_t used()
{
    size_t left = 0, total = 0;

    cudaMemGetInfo(&left, &total);
    return total - left;
}

static int first_of(const int *x)
{
    int value = -1;

    cudaMemcpy(&value, x, sizeof(value), cudaMemcpyDefault);
    return value;
}

int main()
{
    const int N = 1000, BYTES = N * sizeof(int);
    int *x[3], *managed, *pinned, *from_stream, host[N];
    cudaStream_t stream;
    size_t before[3];
    cudaMemLocation place = {cudaMemLocationTypeDevice, 0};

    for (int d = 0; d < 3; d++) {
        cudaSetDevice(d);
        before[d] = used();
        cudaMalloc(&x[d], BYTES);
        cudaMemset(x[d], 0, BYTES);
        add<<<4, 256>>>(x[d], N, 10 * (d + 1));
    }
    cudaStreamCreate(&stream);
    cudaMallocManaged(&managed, BYTES);
    cudaMallocHost(&pinned, BYTES);
    cudaSetDevice(1);
    cudaMallocAsync(&from_stream, BYTES, stream);
    printf("owners: %d %d %d, managed %d, pinned %d, of a stream of device 2 %d\n", owner(x[0]),
           owner(x[1]), owner(x[2]), owner(managed), owner(pinned), owner(from_stream));
    printf("the current device has less: %d\n", used() - before[1] >= (size_t)BYTES);

    report("peer", cudaMemcpyPeer(x[0], 0, x[2], 2, BYTES));
    printf("30 of device 2: %d\n", first_of(x[0]));
    report("peer, later", cudaMemcpyPeerAsync(x[2], 2, x[1], 1, BYTES, stream));
    cudaStreamSynchronize(stream);
    printf("20 of device 1: %d\n", first_of(x[2]));
    report("by address", cudaMemcpy(x[1], x[0], BYTES, cudaMemcpyDefault));
    printf("30: %d\n", first_of(x[1]));
    report("device to device",
           cudaMemcpy2D(x[0], 400, x[2], 400, 400, 10, cudaMemcpyDeviceToDevice));
    printf("20: %d\n", first_of(x[0]));
    report("no device 3", cudaMemcpyPeer(x[0], 3, x[1], 1, BYTES));
    report("too much", cudaMemcpyPeer(x[0], 0, x[1], 1, BYTES + 4));

    for (int i = 0; i < N; i++)
        managed[i] = pinned[i] = i;
    for (int d = 0; d < 3; d++) {
        cudaSetDevice(d);
        add<<<4, 256>>>(managed, N, 100);
        add<<<4, 256>>>(pinned, N, 1000);
        cudaDeviceSynchronize();
    }
    printf("of all: %d %d\n", managed[7], pinned[7]);
    place.id = 1;
    report("prefetch to 1", cudaMemPrefetchAsync(managed, BYTES, place, 0, 0));
    place.id = 3;
    report("prefetch to 3", cudaMemPrefetchAsync(managed, BYTES, place, 0, 0));

    cudaSetDevice(0);
    report("reset of device 0", cudaDeviceReset());
    report("its memory", cudaMemcpy(host, x[0], BYTES, cudaMemcpyDeviceToHost));
    report("that of device 1", cudaMemcpy(host, x[1], BYTES, cudaMemcpyDeviceToHost));
    report("free it from here", cudaFree(x[1]));
    cudaSetDevice(2);
    report("device 2 works", cudaDeviceSynchronize());
    return 0;
}
