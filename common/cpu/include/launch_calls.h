/*
 * Launches by a call: cudaLaunchKernel, cudaLaunchCooperativeKernel, cudaLaunchKernelEx.
 *
 * The first two get a pointer for each argument. How many there are and of which types is known
 * from the kernel's own type. The usual (void *) before its name would hide the type: the macros
 * take it off. For a pointer that holds a kernel, what the kernel told of itself at the program's
 * start must do.
 */
#ifndef LAUNCH_CALLS_H
#define LAUNCH_CALLS_H

#include "launch_functions.h"

template <bool COOPERATIVE, typename... P>
static inline cudaError_t cpu_launch_call(const char *name, void (*kernel)(P...), dim3 grid,
                                          dim3 dim, void **arguments, size_t shared = 0,
                                          cudaStream_t stream = nullptr)
{
    cpu_arguments<P...> kept = cpu_arguments<P...>::at(arguments);
    cpu_call<P...> call{kernel, name, grid, dim, shared, {COOPERATIVE, {}}, stream, &kept};

    return call.launch();
}

template <bool COOPERATIVE>
static inline cudaError_t cpu_launch_call(const char *name, const void *kernel, dim3 grid, dim3 dim,
                                          void **arguments, size_t shared = 0,
                                          cudaStream_t stream = nullptr)
{
    return (cudaError_t)cpu_launch_pointer(
        COOPERATIVE ? "cudaLaunchCooperativeKernel" : "cudaLaunchKernel", name, kernel,
        cpu_dim{grid.x, grid.y, grid.z}, cpu_dim{dim.x, dim.y, dim.z}, shared,
        cpu_how{COOPERATIVE, {}}, arguments, stream);
}

/* CPU_IS_CAST(x, ...): 1 when x begins with a bracket, which then is a cast; else 0. */
#define CPU_SECOND(a, b, ...) b
#define CPU_SECOND_OF(...) CPU_SECOND(__VA_ARGS__)
#define CPU_CAST_SEEN(...) ~, 1,
#define CPU_IS_CAST(x, ...) CPU_SECOND_OF(CPU_CAST_SEEN x, 0, ~)
#define CPU_LEAVE_OUT(...)
#define CPU_KERNEL_0(...) __VA_ARGS__
#define CPU_KERNEL_1(...) CPU_LEAVE_OUT __VA_ARGS__
#define CPU_PASTE(a, b) a##b
#define CPU_PASTED(a, b) CPU_PASTE(a, b)
#define CPU_WITHOUT_CAST(...) CPU_PASTED(CPU_KERNEL_, CPU_IS_CAST(__VA_ARGS__, ~))(__VA_ARGS__)

#define cudaLaunchKernel(...)                                                                      \
    cpu_launch_call<false>(cpu_first_argument(#__VA_ARGS__), CPU_WITHOUT_CAST(__VA_ARGS__))
#define cudaLaunchCooperativeKernel(...)                                                           \
    cpu_launch_call<true>(cpu_first_argument(#__VA_ARGS__), CPU_WITHOUT_CAST(__VA_ARGS__))

/* --- nodes of graphs -------------------------------------------------------------------------- */

struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned sharedMemBytes;
    void **kernelParams;
    void **extra;
};

static inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *needed, size_t count,
                                                 const cudaKernelNodeParams *p)
{
    if (!p || !p->func || p->extra)
        return cudaErrorInvalidValue;
    return (cudaError_t)cpu_graph_add_kernel(
        node, graph, needed, count, p->func, cpu_dim{p->gridDim.x, p->gridDim.y, p->gridDim.z},
        cpu_dim{p->blockDim.x, p->blockDim.y, p->blockDim.z}, p->sharedMemBytes, p->kernelParams);
}

static inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec,
                                                           cudaGraphNode_t node,
                                                           const cudaKernelNodeParams *p)
{
    if (!p || !p->func || p->extra)
        return cudaErrorInvalidValue;
    return (cudaError_t)cpu_graph_change_kernel(
        exec, node, p->func, cpu_dim{p->gridDim.x, p->gridDim.y, p->gridDim.z},
        cpu_dim{p->blockDim.x, p->blockDim.y, p->blockDim.z}, p->sharedMemBytes, p->kernelParams);
}

/* --- cudaLaunchKernelEx ----------------------------------------------------------------------- */

typedef struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

static inline cpu_how cpu_how_of(const cudaLaunchConfig_t *c)
{
    cpu_how how = {};

    for (unsigned i = 0; i < c->numAttrs; i++) {
        const cudaLaunchAttribute *a = &c->attrs[i];

        if (a->id == cudaLaunchAttributeCooperative)
            how.cooperative = a->val.cooperative != 0;
        else if (a->id == cudaLaunchAttributeClusterDimension)
            how.cluster = cpu_dim{a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
    }
    return how;
}

template <typename... P, typename... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*kernel)(P...),
                                             A &&...values)
{
    cpu_arguments<P...> kept = {{static_cast<P>(std::forward<A>(values))}...};
    cpu_call<P...> call{kernel,        nullptr,   c->gridDim, c->blockDim, c->dynamicSmemBytes,
                        cpu_how_of(c), c->stream, &kept};

    return call.launch();
}

static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel,
                                              void **arguments)
{
    return (cudaError_t)cpu_launch_pointer(
        "cudaLaunchKernelExC", "kernel", kernel, cpu_dim{c->gridDim.x, c->gridDim.y, c->gridDim.z},
        cpu_dim{c->blockDim.x, c->blockDim.y, c->blockDim.z}, c->dynamicSmemBytes, cpu_how_of(c),
        arguments, c->stream);
}

static inline cpu_cluster_question cpu_question_of(const cudaLaunchConfig_t *c)
{
    return {(int)(c->blockDim.x * c->blockDim.y * c->blockDim.z), c->dynamicSmemBytes,
            cpu_how_of(c).cluster, cpu_dim{c->gridDim.x, c->gridDim.y, c->gridDim.z}};
}

template <typename T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *kernel,
                                                         const cudaLaunchConfig_t *c)
{
    const cpu_cluster_question q = cpu_question_of(c);

    return (cudaError_t)cpu_occupancy_clusters(clusters, (const void *)kernel, &q);
}

template <typename T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, T *kernel,
                                                               const cudaLaunchConfig_t *c)
{
    const cpu_cluster_question q = cpu_question_of(c);

    return (cudaError_t)cpu_occupancy_cluster_size(blocks, (const void *)kernel, &q);
}

#endif
