/* Ranges of memory that a copy or set takes part in. See host_copies.c. */
#ifndef CPU_RUNTIME_HOST_COPIES_H
#define CPU_RUNTIME_HOST_COPIES_H

#include <cuda_runtime_api.h>
#include "cpu/runtime/streams.h"

/* May a copy go there? Keeps and returns the error, with a line that begins with the call's
 * name. */
cudaError_t copy_allowed(const char *call, const void *to, size_t to_bytes, const void *from,
                         size_t from_bytes, enum cudaMemcpyKind kind);
cudaError_t set_allowed(const char *call, const void *to, size_t bytes);

/* The first `width` bytes of the value, 1, 2 or 4, `count` times. */
cudaError_t set_pattern(const char *call, void *to, unsigned value, size_t width, size_t count,
                        cudaStream_t stream);

/* A call that waits, as the default stream's copies do, has waited for the current device and for
 * those whose memory it copies. Any addresses. */
void copy_waits(const void *to, const void *from);

/* Of the host's own memory, not pinned. */
bool is_pageable(const void *p);

/* The tools learn that the operation, whose turn it is, is about to touch these bytes. Any
 * address. */
void notify_touched(const struct work *w, const void *at, size_t bytes, bool write);

void notify_copied(const void *to, const void *from, size_t bytes);

/* The tools learn that the host wrote a device's memory. Any address. */
void notify_host_write(const void *to, size_t bytes);

#endif
