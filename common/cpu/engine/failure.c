/*
 * The failure of a launch: a deadlock or a mistake that CUDA answers by ending the kernel.
 *
 * Of the whole program the first one is kept, with its line of text, and stays: as on a GPU no
 * further kernel runs. Any worker may fail, at any time; the host reads it between launches.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include "cpu/engine/failure.h"
#include "cpu/engine/schedule.h"

static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;
static cudaError_t failure;
const char *(*cpu_last_error)(void);
static char failure_text[512];

void cpu_fail(cudaError_t error, const char *format, ...)
{
    va_list args;

    pthread_mutex_lock(&failure_lock);
    if (!failure) {
        failure = error;
        va_start(args, format);
        vsnprintf(failure_text, sizeof(failure_text), format, args);
        va_end(args);
    }
    pthread_mutex_unlock(&failure_lock);
    if (cpu_worker && cpu_worker->launch)
        atomic_store(&cpu_worker->launch->failed, true);
}

void cpu_failure_forget(void)
{
    failure = cudaSuccess;
}

cudaError_t cpu_failure(void)
{
    return failure;
}

const char *cpu_failure_text(cudaError_t error)
{
    return error && error == failure ? failure_text : NULL;
}
