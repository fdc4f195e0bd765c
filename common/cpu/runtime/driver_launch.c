/*
 * The driver API's modules, functions and launches. A library is a module, and a kernel of it a
 * function: the CPU device's modules are no context's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/device_set.h"
#include "cpu/runtime/device_variables.h"
#include "cpu/runtime/driver.h"
#include "cpu/runtime/kernels.h"
#include "cpu/runtime/modules.h"

/* --- modules ---------------------------------------------------------------------------------- */

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    DRIVER_READY();
    if (!module)
        return driver_say(CUDA_ERROR_INVALID_VALUE, "a module without a place for it");
    return (CUresult)cpu_module_load(module, image);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values)
{
    CUresult error = cuModuleLoadData(module, image);

    for (unsigned i = 0; i < count; i++) { /* what a log has room for is told; what it says, too */
        char *log = NULL;
        size_t room = 0;

        if (options[i] != CU_JIT_ERROR_LOG_BUFFER && options[i] != CU_JIT_INFO_LOG_BUFFER)
            continue;
        log = values[i];
        for (unsigned k = 0; k < count; k++)
            if ((int)options[k] == (int)options[i] + 1)
                room = (size_t)(uintptr_t)values[k];
        if (log && room)
            snprintf(log, room, "%s",
                     error && options[i] == CU_JIT_ERROR_LOG_BUFFER
                         ? cudaGetErrorString((cudaError_t)error)
                         : "");
    }
    return error;
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadData(module, image);
}

/* A file's bytes, with a 0 behind them; NULL: it cannot be read. */
static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    size_t length = 0, room = 0, n = 1;

    while (f && n) {
        if (length + 2 > room) {
            char *more = realloc(bytes, room = 2 * room + 65536);

            if (!more) {
                free(bytes);
                bytes = NULL;
                break;
            }
            bytes = more;
        }
        n = fread(bytes + length, 1, room - length - 1, f);
        length += n;
        bytes[length] = '\0';
    }
    if (f)
        fclose(f);
    return bytes;
}

CUresult cuModuleLoad(CUmodule *module, const char *file)
{
    CUresult error;
    char *image;

    DRIVER_READY();
    image = file ? read_file(file) : NULL;
    if (!image)
        return driver_say(CUDA_ERROR_FILE_NOT_FOUND,
                          "no module in the file %s: ./steps/cuda -cubin FILE.cu -o %s makes one",
                          file ? file : "(null)", file ? file : "FILE");
    error = strlen(image) < 4 ? driver_say(CUDA_ERROR_INVALID_IMAGE, "%s is no module", file)
                              : cuModuleLoadData(module, image);
    free(image);
    return error;
}

/* Is it a module that has not been unloaded? */
static CUresult good(const char *call, CUmodule module)
{
    CUresult error = driver_ready(call);

    if (error)
        return error;
    if (!module || module->unloaded)
        return driver_say(CUDA_ERROR_INVALID_HANDLE, "%s of %s", call,
                          module ? "a module that is unloaded" : "no module");
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    CUresult error = good(__func__, module);

    if (error)
        return error;
    error = driver_error(cudaDeviceSynchronize());
    module->unloaded = true;
    return error;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    const struct cpu_layout *layout;
    CUresult error = good(__func__, module);
    const void *kernel;
    CUfunction f;

    if (error)
        return error;
    if (!function || !name)
        return driver_say(CUDA_ERROR_INVALID_VALUE, "cuModuleGetFunction without a name");
    for (f = module->functions; f; f = f->next)
        if (!strcmp(f->name, name)) {
            *function = f;
            return CUDA_SUCCESS;
        }
    kernel = module_find(module, name, NULL);
    if (!kernel || kernel_layout(kernel, &layout) < 0)
        return driver_say(CUDA_ERROR_NOT_FOUND,
                          "the module has no kernel %s; a kernel's name in a module is the "
                          "compiler's, or its own after extern \"C\"",
                          name);
    f = malloc(sizeof(*f) + strlen(name) + 1);
    if (!f)
        return CUDA_ERROR_OUT_OF_MEMORY;
    f->module = module;
    f->kernel = kernel;
    strcpy(f->name, name);
    f->next = module->functions;
    module->functions = f;
    *function = f;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name)
{
    CUresult error = good(__func__, module);
    size_t found = 0;
    const void *at;

    if (error)
        return error;
    at = name ? module_find(module, name, &found) : NULL;
    if (!at)
        return driver_say(CUDA_ERROR_NOT_FOUND, "the module has no variable %s",
                          name ? name : "(null)");
    if (pointer)
        *pointer = (CUdeviceptr)(uintptr_t)at;
    if (bytes)
        *bytes = found;
    return CUDA_SUCCESS;
}

/* --- libraries: modules of no context --------------------------------------------------------- */

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                           void **values, unsigned count, CUlibraryOption *library_options,
                           void **library_values, unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoadDataEx((CUmodule *)library, image, count, options, values);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *options,
                               void **values, unsigned count, CUlibraryOption *library_options,
                               void **library_values, unsigned library_count)
{
    (void)options, (void)values, (void)count;
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoad((CUmodule *)library, file);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    return cuModuleUnload((CUmodule)library);
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    *module = (CUmodule)library;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library,
                            const char *name)
{
    return cuModuleGetGlobal(pointer, bytes, (CUmodule)library, name);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    *function = (CUfunction)kernel;
    return CUDA_SUCCESS;
}

/* --- functions -------------------------------------------------------------------------------- */

static CUresult function_good(const char *call, CUfunction function)
{
    if (!function)
        return driver_say(CUDA_ERROR_INVALID_HANDLE, "%s of no function", call);
    return good(call, function->module);
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    CUresult error = function_good(__func__, function);

    if (!error)
        *name = function->name;
    return error;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    CUresult error = function_good(__func__, function);

    if (!error)
        *module = function->module;
    return error;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    CUresult error = function_good(__func__, function);
    struct cudaFuncAttributes a;

    if (!error)
        error = driver_error((cudaError_t)cpu_func_get_attributes(&a, function->kernel));
    if (error)
        return error;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = a.maxThreadsPerBlock;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)a.sharedSizeBytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)a.constSizeBytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)a.localSizeBytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = a.numRegs;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = a.ptxVersion;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = a.binaryVersion;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = a.cacheModeCA;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = a.maxDynamicSharedSizeBytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = a.preferredShmemCarveout;
        return CUDA_SUCCESS;
    }
    return driver_say(CUDA_ERROR_INVALID_VALUE, "cuFuncGetAttribute of attribute %d", attribute);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    CUresult error = function_good(__func__, function);

    return error ? error
                 : driver_error((cudaError_t)cpu_func_set_attribute(function->kernel,
                                                                    (int)attribute, value));
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    (void)config;
    return function_good(__func__, function);
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    (void)config;
    return function_good(__func__, function);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared)
{
    CUresult error = function_good(__func__, function);

    return error ? error
                 : driver_error(
                       (cudaError_t)cpu_occupancy(blocks, function->kernel, threads, shared));
}

/* Of the sizes in whole warps the largest that has the most threads on a multiprocessor. */
CUresult cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
    CUresult error = function_good(__func__, function);
    int most = 0, sms = 0, found = 0, each = 0;

    if (!error)
        error = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (!error)
        error = driver_error(
            cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, cpu_current_device));
    if (error)
        return error;
    *threads = *blocks = 0;
    for (int n = limit > 0 && limit < most ? limit : most; n > 0; n = (n - 1) / 32 * 32) {
        cpu_occupancy(&each, function->kernel, n, shared_of ? shared_of(n) : shared);
        if (each * n > found) {
            found = each * n;
            *threads = n;
            *blocks = each * sms;
        }
    }
    return CUDA_SUCCESS;
}

/* --- launches --------------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 1024 }; /* 4096 bytes, or 32764, of them */

/* Where in the buffer each argument lies: as in a structure. The arguments' bytes. */
static size_t spread(const struct cpu_layout *layout, int count, char *buffer, void **arguments)
{
    size_t at = 0;

    for (int i = 0; i < count; i++) {
        at = (at + layout[i].alignment - 1) / layout[i].alignment * layout[i].alignment;
        arguments[i] = buffer + at;
        at += layout[i].bytes;
    }
    return at;
}

/* The arguments of a buffer, as `extra` names it. */
static CUresult take_extra(CUfunction function, void **extra, void **arguments)
{
    const struct cpu_layout *layout;
    int count = kernel_layout(function->kernel, &layout);
    size_t bytes = 0, needed;
    char *buffer = NULL;

    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = *(size_t *)extra[1];
        else
            return driver_say(CUDA_ERROR_INVALID_VALUE, "a launch of %s with the extra word %p",
                              function->name, *extra);
    if (count > MOST_ARGUMENTS || (count && !buffer))
        return driver_say(CUDA_ERROR_INVALID_VALUE, "a launch of %s without its %d arguments",
                          function->name, count);
    needed = spread(layout, count, buffer, arguments);
    if (bytes != needed) /* of too few a driver takes what lies behind them, too */
        return driver_say(bytes < needed ? CUDA_ERROR_INVALID_VALUE
                                         : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                          "%s is launched with %zu bytes of arguments, and has %zu", function->name,
                          bytes, needed);
    return CUDA_SUCCESS;
}

static CUresult launch(const char *call, CUfunction function, struct cpu_dim grid,
                       struct cpu_dim block, unsigned shared, struct cpu_how how, CUstream stream,
                       void **arguments, void **extra)
{
    CUresult error = function_good(call, function);
    const struct cpu_layout *layout;
    void *found[MOST_ARGUMENTS];
    cudaError_t last = error_last(), launched;

    if (!error && extra && arguments)
        error = driver_say(CUDA_ERROR_INVALID_VALUE, "%s with arguments in two ways", call);
    if (!error && extra) {
        error = take_extra(function, extra, found);
        arguments = found;
    }
    if (!error && !arguments && kernel_layout(function->kernel, &layout) > 0)
        error = driver_say(CUDA_ERROR_INVALID_VALUE, "%s of %s without its arguments", call,
                           function->name);
    if (error)
        return error;
    launched = kernel_launch(function->kernel, grid, block, shared, how, arguments, stream);
    cudaPeekAtLastError(); /* the caller has the error */
    error_put_back(last);
    return driver_error(launched);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra)
{
    return launch(__func__, function, (struct cpu_dim){grid_x, grid_y, grid_z},
                  (struct cpu_dim){block_x, block_y, block_z}, shared, (struct cpu_how){0}, stream,
                  arguments, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void **arguments)
{
    return launch(__func__, function, (struct cpu_dim){grid_x, grid_y, grid_z},
                  (struct cpu_dim){block_x, block_y, block_z}, shared, (struct cpu_how){true, {0}},
                  stream, arguments, NULL);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **arguments,
                          void **extra)
{
    struct cpu_how how = {0};

    if (!c)
        return driver_say(CUDA_ERROR_INVALID_VALUE, "cuLaunchKernelEx without a configuration");
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const CUlaunchAttribute *a = &c->attrs[i];

        if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            how.cooperative = a->value.cooperative != 0;
        if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            how.cluster = (struct cpu_dim){a->value.clusterDim.x, a->value.clusterDim.y,
                                           a->value.clusterDim.z};
    }
    return launch(__func__, function, (struct cpu_dim){c->gridDimX, c->gridDimY, c->gridDimZ},
                  (struct cpu_dim){c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes,
                  how, c->hStream, arguments, extra);
}
