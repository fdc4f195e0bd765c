/*
 * The runtime calls that are templates or overloads in CUDA's C++ API: they take pointers of any
 * type, symbols, and kernels.
 */
#ifndef RUNTIME_FUNCTIONS_H
#define RUNTIME_FUNCTIONS_H

#include "cpu/abi.h"
#include "cuda_runtime_api.h"

/* --- memory --- */

template <typename T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc((void **)(void *)pointer, bytes);
}

template <typename T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned flags = 0)
{
    return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <typename T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <typename T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

template <typename T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
                                            unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}

template <typename T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}

template <typename T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                          cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}

template <typename T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                                  cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}

template <typename T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}

template <typename T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer,
                                                   size_t bytes = 0,
                                                   unsigned flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags);
}

/* CUDA 13's forms of these say the place by a structure, those before by a number. */
static inline int cpu_place(cudaMemLocation place)
{
    return place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId;
}

static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                               cudaMemLocation place, unsigned flags,
                                               cudaStream_t stream = nullptr)
{
    return flags ? cudaErrorInvalidValue
                 : cudaMemPrefetchAsync(pointer, bytes, cpu_place(place), stream);
}

static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation place)
{
    return cudaMemAdvise(pointer, bytes, advice, cpu_place(place));
}

/* --- symbols --- */

template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return (cudaError_t)cpu_copy_to_symbol(&symbol, sizeof(symbol), from, bytes, offset, kind);
}

template <typename T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                        cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr)
{
    (void)cudaStreamSynchronize(stream); /* what it holds comes first */
    return (cudaError_t)cpu_copy_to_symbol(&symbol, sizeof(symbol), from, bytes, offset, kind);
}

template <typename T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return (cudaError_t)cpu_copy_from_symbol(to, &symbol, sizeof(symbol), bytes, offset, kind);
}

template <typename T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                                                    size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = nullptr)
{
    (void)cudaStreamSynchronize(stream); /* what it holds comes first */
    return (cudaError_t)cpu_copy_from_symbol(to, &symbol, sizeof(symbol), bytes, offset, kind);
}

template <typename P, typename T>
static inline cudaError_t cudaGetSymbolAddress(P **pointer, const T &symbol)
{
    return (cudaError_t)cpu_symbol_address((void **)(void *)pointer, &symbol);
}

template <typename T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return (cudaError_t)cpu_symbol_size(bytes, &symbol, sizeof(symbol));
}

/* --- kernels: T is the function's type, or void where the caller wrote (void *)kernel --- */

template <typename T>
static inline cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attr, int value)
{
    return (cudaError_t)cpu_func_set_attribute((const void *)kernel, attr, value);
}

template <typename T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
    return (cudaError_t)cpu_func_get_attributes(attributes, (const void *)kernel);
}

template <typename T> static inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache)
{
    return kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

template <typename T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig)
{
    return kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

template <typename T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel,
                                                                        int threads, size_t shared)
{
    return (cudaError_t)cpu_occupancy(blocks, (const void *)kernel, threads, shared);
}

template <typename T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T *kernel, int threads,
                                                       size_t shared, unsigned)
{
    return (cudaError_t)cpu_occupancy(blocks, (const void *)kernel, threads, shared);
}

/* The block size, in whole warps, with which most threads are resident, the largest of those. */
template <typename T, typename F>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *threads, T *kernel,
                                               F shared_of_threads, int limit = 0)
{
    cudaFuncAttributes a;
    int sms = 0, best = 0, most;
    cudaError_t error = cudaFuncGetAttributes(&a, kernel);

    if (!error)
        error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    if (error || !grid || !threads)
        return error ? error : cudaErrorInvalidValue;
    most = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
    *grid = *threads = 0;
    for (int size = most; size > 0; size = (size - 1) / 32 * 32) {
        int blocks = 0;

        error = (cudaError_t)cpu_occupancy(&blocks, (const void *)kernel, size,
                                           (size_t)shared_of_threads(size));
        if (error)
            return error;
        if (blocks * size > best) {
            best = blocks * size;
            *grid = blocks * sms;
            *threads = size;
        }
    }
    return cudaSuccess;
}

template <typename T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *threads, T *kernel,
                                                             size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid, threads, kernel, [shared](int) { return shared; }, limit);
}

template <typename T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *threads,
                                                                      T *kernel, size_t shared = 0,
                                                                      int limit = 0, unsigned = 0)
{
    return cudaOccupancyMaxPotentialBlockSize(grid, threads, kernel, shared, limit);
}

template <typename T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel,
                                                                    int blocks, int threads)
{
    int fit = 0;

    if (!bytes || blocks < 1)
        return cudaErrorInvalidValue;
    for (*bytes = 0; *bytes + 1024 <= 48 * 1024; *bytes += 1024) {
        cudaError_t error =
            (cudaError_t)cpu_occupancy(&fit, (const void *)kernel, threads, *bytes + 1024);
        if (error || fit < blocks)
            return error;
    }
    return cudaSuccess;
}

/* The form of before CUDA 12, which tells of the node that is wrong; none is ever told. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *wrong, char *, size_t)
{
    if (wrong)
        *wrong = nullptr;
    return cudaGraphInstantiate(exec, graph);
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                              cudaGraphNode_t *wrong,
                                              cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);

    if (wrong)
        *wrong = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

#endif
