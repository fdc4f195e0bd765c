// Four devices: each host thread chooses its own; settings are those of the current device.
// devices: 4
#include <cstdio>
#include <thread>

__global__ void nothing()
{
}

static void report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

static int current()
{
    int device = -1;

    cudaGetDevice(&device);
    return device;
}

static void settings()
{
    cudaFuncAttributes kernel;
    size_t stack = 0, heap = 0;

    cudaDeviceGetLimit(&stack, cudaLimitStackSize);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    cudaFuncGetAttributes(&kernel, nothing);
    printf("device %d: stack %zu, heap %zu, dynamic shared memory %d\n", current(), stack, heap,
           kernel.maxDynamicSharedSizeBytes);
}

int main()
{
    int count = 0, elsewhere = -1, bus = -1;
    cudaDeviceProp first, last;
    char id[16];

    cudaGetDeviceCount(&count);
    printf("%d devices, at first %d\n", count, current());
    report("3", cudaSetDevice(3));
    report("4", cudaSetDevice(4));
    report("-1", cudaSetDevice(-1));
    printf("still %d\n", current());
    std::thread([&] { elsewhere = current(); }).join();
    printf("in another thread %d\n", elsewhere);

    cudaGetDeviceProperties(&first, 0);
    cudaGetDeviceProperties(&last, 3);
    cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, 3);
    cudaDeviceGetPCIBusId(id, sizeof(id), 3);
    printf("alike: %d, own bus: %d %d %d\n", first.totalGlobalMem == last.totalGlobalMem,
           first.pciBusID != last.pciBusID, last.pciBusID == bus, id[0] == '0');
    report("properties of 4", cudaGetDeviceProperties(&first, 4));
    report("attribute of 4", cudaDeviceGetAttribute(&bus, cudaDevAttrWarpSize, 4));

    cudaSetDevice(2);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20);
    cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    settings();
    nothing<<<1, 32, 100000>>>();
    report("100000 bytes on 2", cudaGetLastError());
    cudaSetDevice(1);
    settings();
    nothing<<<1, 32, 100000>>>();
    report("100000 bytes on 1", cudaGetLastError());
    return 0;
}
