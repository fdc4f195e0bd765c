/* Ranges of memory that a copy or set takes part in. See host_copies.c. */
#ifndef CPU_RUNTIME_HOST_COPIES_H
#define CPU_RUNTIME_HOST_COPIES_H

#include <cuda_runtime_api.h>

/* May a copy go there? Keeps and returns the error, with a line that begins with the call's
 * name. */
cudaError_t copy_allowed(const char *call, const void *to, size_t to_bytes, const void *from,
                         size_t from_bytes, enum cudaMemcpyKind kind);
cudaError_t set_allowed(const char *call, const void *to, size_t bytes);

/* The device's memory was written by the host: tell the tools. Any address. */
void notify_host_write(const void *to, size_t bytes);

#endif
