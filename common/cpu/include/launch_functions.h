/*
 * Launches, as the translator writes them, and the runtime calls that are templates in CUDA too.
 *
 * A launch has ended when its call returns, so the arguments stay where they are, on the caller's
 * stack, and all threads of the grid read the same ones. `body` and `run` are not instrumented: to
 * read an argument is no access to memory.
 */
#ifndef LAUNCH_FUNCTIONS_H
#define LAUNCH_FUNCTIONS_H

#include <tuple>
#include <utility>

#include "cpu/abi.h"
#include "launch_choice.h"

/* A launch: the kernel, where it goes, and its arguments by value, as the kernel declares them. */
template <typename... P> struct cpu_call {
    void (*kernel)(P...);
    const char *name;
    dim3 grid, dim;
    size_t shared;
    bool cooperative;
    std::tuple<P...> *arguments;

    template <size_t... I>
    __attribute__((no_sanitize("thread"))) static void run(const cpu_call *c,
                                                           std::index_sequence<I...>)
    {
        c->kernel(std::get<I>(*c->arguments)...);
    }

    __attribute__((no_sanitize("thread"))) static void body(void *call)
    {
        run((const cpu_call *)call, std::index_sequence_for<P...>());
    }

    cudaError_t launch()
    {
        return (cudaError_t)cpu_launch((const void *)kernel, name,
                                       cpu_dim{grid.x, grid.y, grid.z},
                                       cpu_dim{dim.x, dim.y, dim.z}, shared, cooperative, body,
                                       this);
    }

    /* kernel<<<grid, dim, shared>>>(arguments): the conversions are those of a call. */
    void operator()(P... values)
    {
        std::tuple<P...> kept(values...);

        arguments = &kept;
        (void)launch(); /* the error is kept for cudaGetLastError */
    }
};

template <typename... P>
static inline cpu_call<P...> cpu_launcher(const char *name, void (*kernel)(P...), dim3 grid,
                                          dim3 dim, size_t shared = 0,
                                          cudaStream_t stream = nullptr)
{
    (void)stream;
    return cpu_call<P...>{kernel, name, grid, dim, shared, false, nullptr};
}

template <typename... P, size_t... I>
static inline std::tuple<P...> cpu_unpack(void **arguments, std::index_sequence<I...>)
{
    return std::tuple<P...>(*(P *)arguments[I]...);
}

#define cudaLaunchCooperativeKernel(kernel, ...) \
    cpu_launch_cooperative(#kernel, kernel, __VA_ARGS__)

template <typename... P>
static inline cudaError_t cpu_launch_cooperative(const char *name, void (*kernel)(P...),
                                                 dim3 grid, dim3 dim, void **arguments,
                                                 size_t shared = 0, cudaStream_t stream = nullptr)
{
    std::tuple<P...> kept = cpu_unpack<P...>(arguments, std::index_sequence_for<P...>());
    cpu_call<P...> call{kernel, name, grid, dim, shared, true, &kept};

    (void)stream;
    return call.launch();
}

template <typename T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    int error = cpu_malloc((void **)pointer, bytes);

    if (error)
        cpu_set_error(error);
    return (cudaError_t)error;
}

template <typename... P>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), enum cudaFuncAttribute attr,
                                               int value)
{
    return (cudaError_t)cpu_func_set_attribute((const void *)kernel, attr, value);
}

template <typename... P>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                        void (*kernel)(P...),
                                                                        int threads,
                                                                        size_t dynamic_shared)
{
    return (cudaError_t)cpu_occupancy(blocks, (const void *)kernel, threads, dynamic_shared);
}

template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    (void)kind;
    if (offset > sizeof(symbol) || bytes > sizeof(symbol) - offset)
        return cudaErrorInvalidValue;
    memcpy((char *)&symbol + offset, from, bytes);
    return cudaSuccess;
}

template <typename T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    (void)kind;
    if (offset > sizeof(symbol) || bytes > sizeof(symbol) - offset)
        return cudaErrorInvalidValue;
    memcpy(to, (const char *)&symbol + offset, bytes);
    return cudaSuccess;
}

template <typename T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, T &symbol)
{
    *pointer = (void *)&symbol;
    return cudaSuccess;
}

#endif
