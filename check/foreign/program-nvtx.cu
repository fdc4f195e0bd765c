// flags: -lnvToolsExt
// nvcc: no
// A program with ranges for a profiler's timeline, which there is none of here.
#include <cstdio>
#include <nvToolsExt.h>
#include <nvToolsExtCuda.h>
#include <nvToolsExtCudaRt.h>

__global__ void add(int *y)
{
    atomicAdd(y, 1);
}

int main()
{
    nvtxEventAttributes_t range = {};
    nvtxRangeId_t whole = nvtxRangeStartA("whole");
    int *y;

    range.version = NVTX_VERSION;
    range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    range.colorType = NVTX_COLOR_ARGB;
    range.color = 0xff00ff00;
    range.messageType = NVTX_MESSAGE_TYPE_ASCII;
    range.message.ascii = "launch";
    cudaMallocManaged(&y, sizeof(*y));
    nvtxNameCudaStreamA(0, "default");
    nvtxNameCuDeviceA(0, "first");
    nvtxRangePushEx(&range);
    add<<<2, 32>>>(y);
    cudaDeviceSynchronize();
    nvtxRangePop();
    nvtxMarkA("done");
    nvtxRangeEnd(whole);
    printf("%d\n", *y);
}
