/*
 * What the libraries of this directory share. Each answers the calls of one of the vendor's
 * libraries by one of the system's, on the host, over the device's memory. They are compiled with a
 * program that includes the vendor's header, and see nothing of the CPU device but abi.h.
 *
 * A call has three parts: LIBRARY_CALL, which waits for the device; for each array
 * cpu_library_range, which fails where CUDA would find no memory; and what computes.
 */
#ifndef CPU_LIBRARY_H
#define CPU_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>
#include "cpu/abi.h"

/* A call is open: closed when the block is left. */
struct library_call {
    bool open;
};

static inline void library_close(struct library_call *c)
{
    if (c->open)
        cpu_library_end();
}

static inline struct library_call library_open_call(const char *library, const char *call)
{
    cpu_library_begin(library, call);
    return (struct library_call){true};
}

#define LIBRARY_CALL(LIBRARY, NAME)                                                                \
    __attribute__((cleanup(library_close), unused)) struct library_call library_call_ =            \
        library_open_call(LIBRARY, NAME)

/* What such a pointer holds is freed when the block is left. */
static inline void library_free(void *pointer)
{
    free(*(void **)pointer);
}
#define LIBRARY_FREED __attribute__((cleanup(library_free)))

/* Elements from the first to the last of a vector with that step, and of a matrix in columns. */
static inline size_t vector_length(int64_t n, int64_t step)
{
    return n < 1 ? 0 : (size_t)((n - 1) * (step < 0 ? -step : step) + 1);
}

static inline size_t matrix_length(int64_t rows, int64_t columns, int64_t leading)
{
    return rows < 1 || columns < 1 ? 0 : (size_t)((columns - 1) * leading + rows);
}

#endif
