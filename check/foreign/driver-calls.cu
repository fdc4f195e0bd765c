// flags: --check -lcuda
// error: --check: nothing found
// The driver API's calls about devices, contexts, memory, streams and events.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if CUDA_VERSION < 13000
#define CREATE(CONTEXT, FLAGS, DEVICE) cuCtxCreate(CONTEXT, FLAGS, DEVICE)
#else
#define CREATE(CONTEXT, FLAGS, DEVICE) cuCtxCreate(CONTEXT, NULL, FLAGS, DEVICE)
#endif

#define OK(CALL)                                                                                                       \
    if (int error = (int)(CALL)) {                                                                                     \
        printf("%s: error %d\n", #CALL, error);                                                                        \
        exit(1);                                                                                                       \
    }

static void devices(CUdevice device)
{
    int count, threads, warp, major, minor, version;
    size_t bytes;
    char name[100];

    OK(cuDeviceGetCount(&count));
    OK(cuDeviceGetName(name, sizeof(name), device));
    OK(cuDeviceTotalMem(&bytes, device));
    OK(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
    OK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    OK(cuDriverGetVersion(&version));
    printf("devices: %d, a name: %d, memory: %d, %d threads, warps of %d, %d.%d, version %d\n", count >= 1,
           strlen(name) > 0, bytes > 1 << 20, threads, warp, major, minor, version / 1000 >= 12);
}

static void contexts(CUdevice device)
{
    CUcontext first, second, now;
    CUdevice of;

    OK(CREATE(&first, CU_CTX_SCHED_AUTO, device));
    OK(CREATE(&second, 0, device));
    OK(cuCtxGetCurrent(&now));
    printf("the second: %d", now == second);
    OK(cuCtxPopCurrent(&now));
    printf(" %d", now == second);
    OK(cuCtxGetCurrent(&now));
    printf(", the first: %d", now == first);
    OK(cuCtxPushCurrent(second));
    OK(cuCtxGetDevice(&of));
    printf(", device %d\n", of);
    OK(cuCtxDestroy(second));
    OK(cuCtxSetCurrent(first));
}

static void sets_and_copies()
{
    enum { W = 5, H = 3 };
    unsigned short host[H][W], part[2][2];
    CUdeviceptr at, base, managed;
    size_t pitch, bytes;
    CUmemorytype type;

    OK(cuMemAllocPitch(&at, &pitch, W * sizeof(short), H, 4));
    OK(cuMemsetD8(at, 0, pitch * H));
    for (int row = 0; row < H; row++)
        OK(cuMemsetD16(at + row * pitch, (unsigned short)(0x0101 * row + 1), W));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = at;
    copy.srcPitch = pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = host;
    copy.dstPitch = sizeof(host[0]);
    copy.WidthInBytes = sizeof(host[0]);
    copy.Height = H;
    OK(cuMemcpy2D(&copy));
    copy.srcXInBytes = 2 * sizeof(short);
    copy.srcY = 1;
    copy.dstHost = part;
    copy.dstPitch = copy.WidthInBytes = sizeof(part[0]);
    copy.Height = 2;
    OK(cuMemcpy2D(&copy));
    printf("rows: %x %x %x, a part: %x %x\n", host[0][0], host[1][4], host[2][2], part[0][0], part[1][1]);
    OK(cuMemGetAddressRange(&base, &bytes, at + 7));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    printf("the allocation: %d, of the device: %d\n", base == at, type == CU_MEMORYTYPE_DEVICE);
    OK(cuMemFree(at));

    OK(cuMemAllocManaged(&managed, 4 * sizeof(int), CU_MEM_ATTACH_GLOBAL));
    OK(cuMemsetD32(managed, 7, 4));
    OK(cuCtxSynchronize());
    printf("managed: %d\n", ((int *)managed)[3]);
    OK(cuMemFree(managed));
}

static void streams_and_events()
{
    CUstream stream;
    CUevent start, end;
    CUdeviceptr a, b;
    float time;
    int *host;

    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    OK(cuMemHostAlloc((void **)&host, 256 * sizeof(int), CU_MEMHOSTALLOC_PORTABLE));
    OK(cuMemAlloc(&a, 256 * sizeof(int)));
    OK(cuMemAlloc(&b, 256 * sizeof(int)));
    OK(cuEventRecord(start, stream));
    OK(cuMemsetD32Async(a, 11, 256, stream));
    OK(cuMemcpyDtoDAsync(b, a, 256 * sizeof(int), stream));
    OK(cuMemcpyDtoHAsync(host, b, 256 * sizeof(int), stream));
    OK(cuEventRecord(end, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuEventQuery(end));
    OK(cuEventElapsedTime(&time, start, end));
    printf("copied: %d, a time: %d\n", host[255], time >= 0);
    OK(cuMemFree(a));
    OK(cuMemFree(b));
    OK(cuMemFreeHost(host));
    OK(cuEventDestroy(start));
    OK(cuEventDestroy(end));
    OK(cuStreamDestroy(stream));
}

int main()
{
    CUdevice device;

    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    devices(device);
    contexts(device);
    sets_and_copies();
    streams_and_events();
    return 0;
}
