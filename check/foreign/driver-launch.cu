// flags: --check -lcuda -lnvrtc
// status: 1
// error: --check: memory: read of 4 bytes at x[64], just past the end of its 64 elements (twice)
// error: reads     twice.cu:9  
// error: --check: 1 finding
// Kernels that are compiled while the program runs, loaded by the driver API and launched with their
// arguments one by one and in a buffer; the program's own kernel of the same name stays another one.
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

static const char *const source = R"(
#include "parts/add.h"

template <typename T, int N> __global__ void twice(T *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= n)
        x[i] = add(x[i], x[i]) + N;
}

__constant__ int table[4] = {1, 2, 3, 4};
__device__ int launches;

int lane()
{
    return threadIdx.x % 32;
}

extern "C" __global__ void gather(char first, double scale, int *x, short last)
{
    __shared__ int s[32];

    s[lane()] = table[lane() % 4];
    __syncthreads();
    x[lane()] = s[31 - lane()] * (int)scale + first + last;
    if (lane() == 0)
        atomicAdd(&launches, 1);
}
)";
static const char *const header = "template <typename T> __device__ T add(T a, T b) { return a + b; }\n";

extern "C" __global__ void gather(char first, double scale, int *x, short last)
{
    x[threadIdx.x] = -1;
}

#define OK(CALL)                                                                                                       \
    if (int error = (int)(CALL)) {                                                                                     \
        printf("%s: error %d\n", #CALL, error);                                                                        \
        exit(1);                                                                                                       \
    }

static std::vector<char> compile(const char *&twice, const char *&table, nvrtcProgram *p)
{
    const char *const name = "parts/add.h";
    const char *const options[] = {"--gpu-architecture=compute_80", "-std=c++17", "-default-device", "-lineinfo"};
    size_t size;

    OK(nvrtcCreateProgram(p, source, "twice.cu", 1, &header, &name));
    OK(nvrtcAddNameExpression(*p, "twice<float, 3>"));
    OK(nvrtcAddNameExpression(*p, "&table"));
    OK(nvrtcCompileProgram(*p, 4, options));
    OK(nvrtcGetProgramLogSize(*p, &size));
    printf("log: %s\n", size == 1 ? "empty" : "not empty");
    OK(nvrtcGetLoweredName(*p, "twice<float, 3>", &twice));
    OK(nvrtcGetLoweredName(*p, "&table", &table));
    OK(nvrtcGetPTXSize(*p, &size));
    std::vector<char> ptx(size);
    OK(nvrtcGetPTX(*p, ptx.data()));
    return ptx;
}

static int counted(CUmodule module)
{
    CUdeviceptr at;
    size_t bytes;
    int n;

    OK(cuModuleGetGlobal(&at, &bytes, module, "launches"));
    OK(cuMemcpyDtoH(&n, at, bytes));
    return n;
}

int main()
{
    const char *twice_name, *table_name;
    nvrtcProgram program;
    std::vector<char> ptx = compile(twice_name, table_name, &program);
    CUdevice device;
    CUcontext context;
    CUmodule module, again;
    CUfunction twice, gather_there;
    CUdeviceptr x, table;
    size_t bytes;
    int n = 64, out[32], *own;
    float v[64];

    printf("%s %s\n", twice_name, table_name);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, ptx.data()));
    OK(cuModuleLoadData(&again, ptx.data()));
    OK(cuModuleGetFunction(&twice, module, twice_name));
    OK(cuModuleGetFunction(&gather_there, module, "gather"));
    OK(cuModuleGetGlobal(&table, &bytes, module, table_name));
    OK(nvrtcDestroyProgram(&program));
    printf("table: %zu bytes\n", bytes);

    OK(cuMemAlloc(&x, sizeof(v)));
    OK(cuMemsetD32(x, 0x3f800000, 64));
    void *arguments[] = {&x, &n};
    OK(cuLaunchKernel(twice, 1, 1, 1, 128, 1, 1, 0, 0, arguments, NULL));
    OK(cuMemcpyDtoH(v, x, sizeof(v)));
    printf("twice: %g %g\n", v[0], v[63]);

    const int other[4] = {10, 20, 30, 40};
    OK(cuMemcpyHtoD(table, other, sizeof(other)));
    struct {
        char first;
        double scale;
        CUdeviceptr x;
        short last;
    } buffer = {1, 2, x, 100};
    size_t size = (char *)(&buffer.last + 1) - (char *)&buffer; // without what fills the structure up
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(gather_there, 1, 1, 1, 32, 1, 1, 0, 0, NULL, extra));
    OK(cuMemcpyDtoH(out, x, sizeof(out)));
    printf("gather: %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    printf("launches: %d here, %d in the module that was loaded again\n", counted(module), counted(again));

    OK(cudaMalloc(&own, sizeof(out)));
    gather<<<1, 32>>>(0, 0, own, 0);
    OK(cudaMemcpy(out, own, sizeof(out), cudaMemcpyDeviceToHost));
    printf("the program's own: %d\n", out[0]);
    OK(cuModuleUnload(module));
    OK(cuDevicePrimaryCtxRelease(device));
    return 0;
}
