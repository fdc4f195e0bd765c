// flags: -lcuda -lnvrtc
// Mistakes with the driver API and NVRTC: each call says which by its error.
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <string.h>
#include <vector>

#if CUDA_VERSION < 13000
#define CREATE(CONTEXT, FLAGS, DEVICE) cuCtxCreate(CONTEXT, FLAGS, DEVICE)
#else
#define CREATE(CONTEXT, FLAGS, DEVICE) cuCtxCreate(CONTEXT, NULL, FLAGS, DEVICE)
#endif

static void tell(const char *what, CUresult error)
{
    const char *name = "no name";

    cuGetErrorName(error, &name);
    printf("%-40s %s\n", what, name);
}

static std::vector<char> compiled(const char *source, const char *option, bool say)
{
    nvrtcProgram program;
    size_t size;

    nvrtcCreateProgram(&program, source, "add.cu", 0, NULL, NULL);
    nvrtcResult result = nvrtcCompileProgram(program, option ? 1 : 0, &option);
    if (say) {
        printf("%s\n", nvrtcGetErrorString(result));
        nvrtcGetProgramLogSize(program, &size);
        std::vector<char> log(size);
        nvrtcGetProgramLog(program, log.data());
        printf("the log names the line: %s\n", strstr(log.data(), "add.cu") && strchr(log.data(), '4') ? "yes" : "no");
    }
    std::vector<char> module;
    if (nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS) {
        module.resize(size);
        nvrtcGetCUBIN(program, module.data());
    }
    const char *lowered;
    if (say)
        printf("%s\n", nvrtcGetErrorString(nvrtcGetLoweredName(program, "add", &lowered)));
    nvrtcDestroyProgram(&program);
    return module;
}

int main()
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add;
    CUdeviceptr x, y;
    size_t size = 8;
    int one = 1;

    tell("a device before cuInit", cuDeviceGet(&device, 0));
    tell("cuInit", cuInit(0));
    tell("a device that there is not", cuDeviceGet(&device, 1000));
    cuDeviceGet(&device, 0);
    tell("memory without a context", cuMemAlloc(&x, 4));
    tell("a context", CREATE(&context, 0, device));
    tell("no bytes", cuMemAlloc(&x, 0));
    tell("a file that there is not", cuModuleLoad(&module, "nowhere/add.cubin"));

    compiled("extern \"C\" __global__ void add(int *x, int n)\n{\n    if (n)\n        *y += n;\n}\n", NULL, true);
    std::vector<char> code = compiled("extern \"C\" __global__ void add(int *x, int n)\n{\n    *x += n;\n}\n"
                                      "__global__ void plain(int *x)\n{\n    *x = 0;\n}\n",
                                      "-arch=sm_90", false);
    tell("a module", cuModuleLoadData(&module, code.data()));
    tell("a kernel", cuModuleGetFunction(&add, module, "add"));
    CUfunction other;
    tell("a kernel that there is not", cuModuleGetFunction(&other, module, "subtract"));
    tell("a C++ kernel by its plain name", cuModuleGetFunction(&other, module, "plain"));
    tell("a C++ kernel by the compiler's name", cuModuleGetFunction(&other, module, "_Z5plainPi"));
    tell("a variable that there is not", cuModuleGetGlobal(&y, &size, module, "total"));

    cuMemAlloc(&x, 4);
    cuMemsetD32(x, 5, 1);
    void *arguments[] = {&x, &one};
    tell("too many threads", cuLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, 0, arguments, NULL));
    tell("a grid without blocks", cuLaunchKernel(add, 0, 1, 1, 1, 1, 1, 0, 0, arguments, NULL));
    tell("a launch", cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, arguments, NULL));
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &x, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    size = 8;
    // A GPU takes what lies behind it, and no error comes.
    tell("a buffer that is too short", cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra));
    size = 16;
    tell("a buffer that is too long", cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra));
    tell("a copy past the end", cuMemcpyDtoH(arguments, x, 8));
    int result = 0;
    tell("a copy", cuMemcpyDtoH(&result, x, 4));
    printf("%d\n", result);
    tell("the context is destroyed", cuCtxDestroy(context));
    tell("memory after that", cuMemAlloc(&x, 4));
    printf("the runtime's last error: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
