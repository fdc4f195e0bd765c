/*
 * Kernels: what is known of each, and their launch.
 *
 * A kernel is known by its address, from the first call that names it to the end of the program.
 * How much static shared memory it has is learnt while it runs, so the first launch of a kernel is
 * taken to have none. The table is shared by the host and all workers, under its lock.
 */
#include <pthread.h>
#include <stdlib.h>
#include "cpu/abi.h"
#include "cpu/engine/launch.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/faults.h"
#include "cpu/runtime/kernels.h"

enum { MAX_KERNELS = 512 };

static struct {
    const void *kernel;
    size_t limit, fixed;
    unsigned bounds; /* threads per block that __launch_bounds__ allows; 0: any */
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

static size_t shared_limit(const void *kernel)
{
    size_t limit;

    pthread_mutex_lock(&kernel_lock);
    limit = kernels[kernel_entry(kernel)].limit;
    pthread_mutex_unlock(&kernel_lock);
    return limit;
}

static size_t static_bytes(const void *kernel)
{
    size_t bytes;

    pthread_mutex_lock(&kernel_lock);
    bytes = kernels[kernel_entry(kernel)].fixed;
    pthread_mutex_unlock(&kernel_lock);
    return bytes;
}

void kernel_note_static(const void *kernel, size_t bytes)
{
    unsigned i;

    pthread_mutex_lock(&kernel_lock);
    i = kernel_entry(kernel);
    if (kernels[i].fixed < bytes)
        kernels[i].fixed = bytes;
    pthread_mutex_unlock(&kernel_lock);
}

void cpu_kernel_bounds(const void *kernel, unsigned threads)
{
    pthread_mutex_lock(&kernel_lock);
    kernels[kernel_entry(kernel)].bounds = threads;
    pthread_mutex_unlock(&kernel_lock);
}

int cpu_func_set_attribute(const void *kernel, int attribute, int value)
{
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess;
    if (value < 0 || value > MODEL_SHARED_OPTIN)
        return error_keep(cudaErrorInvalidValue);
    pthread_mutex_lock(&kernel_lock);
    kernels[kernel_entry(kernel)].limit = (size_t)value;
    pthread_mutex_unlock(&kernel_lock);
    return cudaSuccess;
}

int cpu_occupancy(int *blocks, const void *kernel, int threads, size_t dynamic_shared)
{
    if (threads < 1 || threads > MAX_THREADS)
        return error_keep(cudaErrorInvalidValue);
    *blocks = (int)launch_resident((unsigned)threads, dynamic_shared + static_bytes(kernel));
    return cudaSuccess;
}

int cpu_launch(const void *kernel, const char *name, struct cpu_dim grid, struct cpu_dim dim,
               size_t shared, bool cooperative, void (*body)(void *), void *arguments)
{
    struct launch *l = calloc(1, sizeof(*l));
    cudaError_t error;

    if (!l)
        return error_keep(cudaErrorMemoryAllocation);
    l->kernel = kernel;
    l->name = name;
    l->grid = grid;
    l->dim = dim;
    l->dynamic_shared = shared;
    l->static_shared = static_bytes(kernel);
    l->shared_limit = shared_limit(kernel);
    l->cooperative = cooperative;
    l->body = body;
    l->arguments = arguments;
    faults_catch();
    error = launch_run(l);
    free(l);
    return error_keep(error);
}
