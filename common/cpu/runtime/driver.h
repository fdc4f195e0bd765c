/* What the files of the driver API share: its errors, and whether a call may be made. */
#ifndef CPU_RUNTIME_DRIVER_H
#define CPU_RUNTIME_DRIVER_H

#include <stdbool.h>
#include <cuda.h>
#include "cpu/engine/device_set.h"
#include "cpu/runtime/errors.h"

/* The driver's code of an error of the runtime; what was said of it stays. */
CUresult driver_error(cudaError_t error);

/* The error, with a line that cuGetErrorString gives: what is wrong. */
CUresult driver_say(CUresult error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Has cuInit been called, and is a context current, as `call` needs? */
CUresult driver_ready(const char *call);

/* Is it a context that has not been destroyed? */
CUresult driver_context(const char *call, CUcontext context);
int driver_device(CUcontext context);

#define DRIVER_READY()                                                                             \
    do {                                                                                           \
        CUresult ready_ = driver_ready(__func__);                                                  \
                                                                                                   \
        if (ready_)                                                                                \
            return ready_;                                                                         \
    } while (0)

/* A call that is the runtime's, once there is a context. It does not count as one of the program's
 * own to the runtime, and its error is not the runtime's last one. */
#define DRIVER_CALL(CALL)                                                                          \
    bool begun_ = cpu_runtime_begun;                                                               \
    cudaError_t last_ = error_last(), error_;                                                      \
                                                                                                   \
    DRIVER_READY();                                                                                \
    error_ = CALL;                                                                                 \
    cpu_runtime_begun = begun_;                                                                    \
    error_put_back(last_);                                                                         \
    return driver_error(error_)

#endif
