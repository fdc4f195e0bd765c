/*
 * CUDA's error codes: their names, and the last one.
 *
 * The last error is a host thread's own: it is set by the calls that fail and read by
 * cudaGetLastError. A failed kernel leaves the device unusable, as on a GPU, so that error cannot
 * be cleared. Of the last error a line is kept that tells what exactly was wrong. An error of a
 * launch that the program never asks for is told at its end, on standard error.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_driver_types.h>
#include "cpu/abi.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/errors.h"

static _Thread_local cudaError_t last_error;
static _Thread_local cudaError_t said; /* the error that `saying` is about */
static _Thread_local char saying[320];

/* A launch that was refused and not asked for, and whether the failure's text was. By the host. */
static char refused[400];
static bool failure_reported;

static const char *text_of(cudaError_t error);

static void report_at_exit(void)
{
    fflush(stdout);
    if (cpu_failure() && !failure_reported)
        fprintf(stderr, "CPU device: %s\n", cpu_failure_text(cpu_failure()));
    else if (*refused)
        fprintf(stderr, "CPU device: %s\n", refused);
}

static void register_report(void)
{
    atexit(report_at_exit);
}

void errors_at_exit(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, register_report);
}

void error_of_launch(cudaError_t error, const char *kernel)
{
    if (!cpu_failure())
        snprintf(refused, sizeof(refused),
                 "the launch of %s was refused, and the program did not ask (cudaGetLastError): %s",
                 kernel, cudaGetErrorString(error));
}

cudaError_t error_keep(cudaError_t error)
{
    if (error) {
        last_error = error;
        said = cudaSuccess;
    }
    return error;
}

cudaError_t error_say(cudaError_t error, const char *format, ...)
{
    va_list args;
    int n = snprintf(saying, sizeof(saying), "%s: ", text_of(error));

    error_keep(error);
    va_start(args, format);
    vsnprintf(saying + n, sizeof(saying) - (size_t)n, format, args);
    va_end(args);
    said = error;
    return error;
}

cudaError_t error_last(void)
{
    return last_error;
}

void error_put_back(cudaError_t last)
{
    last_error = last;
}

void cpu_set_error(int error)
{
    error_keep((cudaError_t)error);
}

static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
#define E(name, text)                                                                              \
    {                                                                                              \
        name, #name, text                                                                          \
    }
    E(cudaSuccess, "no error"),
    E(cudaErrorInvalidValue, "invalid argument"),
    E(cudaErrorMemoryAllocation, "out of memory"),
    E(cudaErrorInitializationError, "initialization error"),
    E(cudaErrorCudartUnloading, "driver shutting down"),
    E(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    E(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    E(cudaErrorInvalidSymbol, "invalid device symbol"),
    E(cudaErrorInvalidHostPointer, "invalid host pointer"),
    E(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    E(cudaErrorInvalidTexture, "invalid texture reference"),
    E(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    E(cudaErrorNotYetImplemented, "feature not yet implemented"),
    E(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    E(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    E(cudaErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    E(cudaErrorInvalidDeviceFunction, "invalid device function"),
    E(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    E(cudaErrorInvalidDevice, "invalid device ordinal"),
    E(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    E(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    E(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
    E(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    E(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    E(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    E(cudaErrorSymbolNotFound, "named symbol not found"),
    E(cudaErrorNotReady, "device not ready"),
    E(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    E(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    E(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    E(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    E(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    E(cudaErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    E(cudaErrorAssert, "device-side assert triggered"),
    E(cudaErrorHostMemoryAlreadyRegistered,
      "part or all of the requested memory range is already mapped"),
    E(cudaErrorHostMemoryNotRegistered,
      "pointer does not correspond to a registered memory region"),
    E(cudaErrorHardwareStackError, "hardware stack error"),
    E(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    E(cudaErrorMisalignedAddress, "misaligned address"),
    E(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    E(cudaErrorInvalidPc, "invalid program counter"),
    E(cudaErrorLaunchFailure, "unspecified launch failure"),
    E(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    E(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    E(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    E(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    E(cudaErrorStreamCaptureMerge,
      "operation would result in a merge of separate capture sequences"),
    E(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    E(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    E(cudaErrorInvalidClusterSize,
      "a kernel launch error has occurred due to cluster misconfiguration"),
    E(cudaErrorGraphExecUpdateFailure,
      "the graph update was not performed because it included changes which violated constraints "
      "specific to instantiated graph update"),
    E(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    E(cudaErrorStreamCaptureImplicit,
      "operation would make the legacy stream depend on a capturing "
      "blocking stream"),
    E(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing "
                              "stream"),
    E(cudaErrorNotPermitted, "operation not permitted"),
    E(cudaErrorNotSupported, "operation not supported"),
    E(cudaErrorUnknown, "unknown error"),
#undef E
};

/* Those that only calls of the driver API give. */
static const struct {
    int code;
    const char *text;
} driver_errors[] = {
    {CUDA_ERROR_INVALID_CONTEXT, "invalid device context"},
    {CUDA_ERROR_FILE_NOT_FOUND, "file not found"},
    {CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found"},
    {CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object initialization failed"},
    {CUDA_ERROR_OPERATING_SYSTEM, "OS call failed or operation not supported on this OS"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].code == error)
            return errors[i].name;
    return "unrecognized error code";
}

static const char *text_of(cudaError_t error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].code == error)
            return errors[i].text;
    for (size_t i = 0; i < sizeof(driver_errors) / sizeof(driver_errors[0]); i++)
        if (driver_errors[i].code == (int)error)
            return driver_errors[i].text;
    return "unrecognized error code";
}

/* For a failure of this device: what exactly happened, in place of CUDA's general words. */
const char *cudaGetErrorString(cudaError_t error)
{
    if (cpu_failure_text(error)) {
        failure_reported = true;
        return cpu_failure_text(error);
    }
    return error && error == said ? saying : text_of(error);
}

cudaError_t cudaPeekAtLastError(void)
{
    if (cpu_thread())
        return cudaSuccess; /* of a kernel's own calls, which say by themselves what is wrong */
    *refused = '\0';
    return last_error ? last_error : cpu_failure();
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error ? last_error : cpu_failure();

    if (cpu_thread())
        return cudaSuccess;
    *refused = '\0';
    last_error = cpu_failure();
    return error;
}

static const char *last(void)
{
    cudaError_t error = cudaPeekAtLastError();

    return error ? cudaGetErrorString(error) : NULL;
}

__attribute__((constructor)) static void begin(void)
{
    cpu_last_error = last;
}
