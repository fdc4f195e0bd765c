/*
 * The CUDA runtime calls. Everything is done when a call returns.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "memory.h"
#include "runtime.h"

static cudaError_t last_error;

static cudaError_t keep(cudaError_t error)
{
    if (error)
        last_error = error;
    return error;
}

void cpu_set_error(cudaError_t error)
{
    keep(error);
}

static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout",
     "the launch timed out and was terminated"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].code == error)
            return errors[i].name;
    return "unrecognized error code";
}

/* For a failure of this device: what exactly happened, in place of CUDA's general words. */
const char *cudaGetErrorString(cudaError_t error)
{
    if (cpu_failure_text(error))
        return cpu_failure_text(error);
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].code == error)
            return errors[i].text;
    return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;

    last_error = cpu_failure(); /* a failed kernel leaves the device unusable, as on a GPU */
    return error;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return keep(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    static const struct {
        enum cudaDeviceAttr attr;
        int value;
    } values[] = {
        {cudaDevAttrMaxThreadsPerBlock, MAX_THREADS},
        {cudaDevAttrMaxBlockDimX, 1024},
        {cudaDevAttrMaxBlockDimY, 1024},
        {cudaDevAttrMaxBlockDimZ, 64},
        {cudaDevAttrMaxGridDimX, 0x7fffffff},
        {cudaDevAttrMaxGridDimY, 65535},
        {cudaDevAttrMaxGridDimZ, 65535},
        {cudaDevAttrMaxSharedMemoryPerBlock, MODEL_SHARED_PER_BLOCK},
        {cudaDevAttrWarpSize, WARP},
        {cudaDevAttrMaxRegistersPerBlock, 65536},
        {cudaDevAttrClockRate, 1000000}, /* kHz: clock64 counts nanoseconds */
        {cudaDevAttrMultiProcessorCount, MODEL_SMS},
        {cudaDevAttrMemoryClockRate, 0}, /* unknown */
        {cudaDevAttrGlobalMemoryBusWidth, 0},
        {cudaDevAttrL2CacheSize, MODEL_L2},
        {cudaDevAttrMaxThreadsPerMultiProcessor, MODEL_THREADS_PER_SM},
        {cudaDevAttrComputeCapabilityMajor, 9},
        {cudaDevAttrComputeCapabilityMinor, 0},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, MODEL_SHARED_PER_SM},
        {cudaDevAttrCooperativeLaunch, 1},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, MODEL_SHARED_OPTIN},
        {cudaDevAttrMaxBlocksPerMultiprocessor, MODEL_BLOCKS_PER_SM},
    };

    if (device)
        return keep(cudaErrorInvalidDevice);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i].attr == attr) {
            *value = values[i].value;
            return cudaSuccess;
        }
    return keep(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    if (device)
        return keep(cudaErrorInvalidDevice);
    *p = (struct cudaDeviceProp){
        .name = "CPU device",
        .totalGlobalMem = memory_total(),
        .sharedMemPerBlock = MODEL_SHARED_PER_BLOCK,
        .sharedMemPerMultiprocessor = MODEL_SHARED_PER_SM,
        .sharedMemPerBlockOptin = MODEL_SHARED_OPTIN,
        .warpSize = WARP,
        .maxThreadsPerBlock = MAX_THREADS,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {0x7fffffff, 65535, 65535},
        .major = 9,
        .multiProcessorCount = MODEL_SMS,
        .maxThreadsPerMultiProcessor = MODEL_THREADS_PER_SM,
        .maxBlocksPerMultiProcessor = MODEL_BLOCKS_PER_SM,
        .l2CacheSize = MODEL_L2,
        .cooperativeLaunch = 1,
    };
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return keep(cpu_failure());
}

cudaError_t cudaDeviceReset(void)
{
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    *total_bytes = memory_total();
    *free_bytes = memory_total() - memory_used();
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return keep(cpu_malloc(pointer, bytes));
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    *pointer = malloc(bytes);
    return keep(*pointer || !bytes ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *pointer)
{
    free(pointer);
    return cudaSuccess;
}

/* A range of a copy: all of it in one allocation, or none of it in device memory. */
static bool range_is_good(uintptr_t start, size_t bytes)
{
    struct allocation *a;

    if (!memory_is_device(start))
        return true;
    a = memory_find(start);
    return a && !a->freed && start - a->base <= a->bytes && bytes <= a->bytes - (start - a->base);
}

/* The copy is said to read or write the device at an address that can only be the host's. */
static bool is_misdirected(const void *to, const void *from, enum cudaMemcpyKind kind)
{
    bool to_device = memory_is_device((uintptr_t)to) ||
                     cpu_is_program_data((uintptr_t)to); /* a __device__ variable */
    bool from_device = memory_is_device((uintptr_t)from) ||
                       cpu_is_program_data((uintptr_t)from);

    return ((kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) && !to_device) ||
           ((kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) && !from_device);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    bool to_device = memory_is_device((uintptr_t)to);
    bool from_device = memory_is_device((uintptr_t)from);

    if (cpu_failure())
        return keep(cpu_failure());
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return keep(cudaErrorInvalidMemcpyDirection);
    if (!bytes)
        return cudaSuccess;
    if ((kind == cudaMemcpyHostToHost && (to_device || from_device)) ||
        (kind == cudaMemcpyDeviceToHost && to_device) ||
        (kind == cudaMemcpyHostToDevice && from_device) || is_misdirected(to, from, kind) ||
        !range_is_good((uintptr_t)to, bytes) || !range_is_good((uintptr_t)from, bytes))
        return keep(cudaErrorInvalidValue);
    memmove(to, from, bytes);
    if (to_device)
        observe_host_write((uintptr_t)to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    if (cpu_failure())
        return keep(cpu_failure());
    if (!bytes)
        return cudaSuccess;
    if (!memory_is_device((uintptr_t)to) || !range_is_good((uintptr_t)to, bytes))
        return keep(cudaErrorInvalidValue);
    memset(to, value, bytes);
    observe_host_write((uintptr_t)to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(to, value, bytes);
}

struct CUstream_st {
    int unused;
};

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = calloc(1, sizeof(**stream));
    return keep(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return keep(cpu_failure());
}

struct CUevent_st {
    struct timespec time;
    bool recorded;
};

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof(**event));
    return keep(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    if (!event)
        return keep(cudaErrorInvalidResourceHandle);
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->recorded = true;
    return keep(cpu_failure());
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return keep(event ? cpu_failure() : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!start || !end || !start->recorded || !end->recorded)
        return keep(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return cudaSuccess;
}

/* --- kernels ------------------------------------------------------------------------------- */

enum { MAX_KERNELS = 512 };

static struct {
    const void *kernel;
    size_t limit, fixed;
} kernels[MAX_KERNELS];
static unsigned kernel_count;
static pthread_mutex_t kernel_lock = PTHREAD_MUTEX_INITIALIZER;

/* The entry of a kernel; made when it is new. Called with kernel_lock held. */
static unsigned kernel_entry(const void *kernel)
{
    unsigned i;

    for (i = 0; i < kernel_count && kernels[i].kernel != kernel; i++)
        ;
    if (i == kernel_count && i < MAX_KERNELS - 1) {
        kernels[i].kernel = kernel;
        kernels[i].limit = MODEL_SHARED_PER_BLOCK;
        kernel_count++;
    }
    return i;
}

size_t cpu_shared_limit(const void *kernel)
{
    size_t limit;

    pthread_mutex_lock(&kernel_lock);
    limit = kernels[kernel_entry(kernel)].limit;
    pthread_mutex_unlock(&kernel_lock);
    return limit;
}

size_t cpu_static_bytes(const void *kernel)
{
    size_t bytes;

    pthread_mutex_lock(&kernel_lock);
    bytes = kernels[kernel_entry(kernel)].fixed;
    pthread_mutex_unlock(&kernel_lock);
    return bytes;
}

void cpu_note_static(const void *kernel, size_t bytes)
{
    unsigned i;

    pthread_mutex_lock(&kernel_lock);
    i = kernel_entry(kernel);
    if (kernels[i].fixed < bytes)
        kernels[i].fixed = bytes;
    pthread_mutex_unlock(&kernel_lock);
}

cudaError_t cpu_func_set_attribute(const void *kernel, enum cudaFuncAttribute attr, int value)
{
    if (attr == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess;
    if (value < 0 || value > MODEL_SHARED_OPTIN)
        return keep(cudaErrorInvalidValue);
    pthread_mutex_lock(&kernel_lock);
    kernels[kernel_entry(kernel)].limit = (size_t)value;
    pthread_mutex_unlock(&kernel_lock);
    return cudaSuccess;
}

cudaError_t cpu_occupancy(int *blocks, const void *kernel, int threads, size_t dynamic_shared)
{
    if (threads < 1 || threads > MAX_THREADS)
        return keep(cudaErrorInvalidValue);
    *blocks = (int)cpu_resident_blocks((unsigned)threads,
                                       dynamic_shared + cpu_static_bytes(kernel));
    return cudaSuccess;
}

/* Called by the launch in a step; body(arguments) runs the kernel for the current thread. */
cudaError_t cpu_launch(const void *kernel, const char *name, struct cpu_dim grid,
                       struct cpu_dim dim, size_t shared, bool cooperative,
                       void (*body)(void *), void *arguments)
{
    struct launch *l = calloc(1, sizeof(*l));
    cudaError_t error;

    if (!l)
        return keep(cudaErrorMemoryAllocation);
    l->kernel = kernel;
    l->name = name;
    l->grid = grid;
    l->dim = dim;
    l->dynamic_shared = shared;
    l->cooperative = cooperative;
    l->body = body;
    l->arguments = arguments;
    error = cpu_run_launch(l);
    free(l);
    return keep(error);
}

/* --- crashes ------------------------------------------------------------------------------- */

/* An access that the system refuses ends the program: there is no way back into the kernel. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    char line[256];
    struct thread *t = cpu_thread();
    int n;

    (void)context;
    if (!t) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    n = snprintf(line, sizeof(line),
                 "CPU device: %s: illegal address %p in thread %u of block %llu (--check says "
                 "which line)\n", t->block->launch->name, info->si_addr, t->id,
                 (unsigned long long)t->block->number);
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        _exit(4);
    _exit(3);
}

__attribute__((constructor)) static void catch_faults(void)
{
    static char stack[64 * 1024];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
