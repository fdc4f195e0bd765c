/*
 * The device: what it is, its memory, and calls of the CUDA runtime that fail.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "harness/family.h"

#ifdef __cplusplus
extern "C" {
#endif

struct device {
    char name[256];
    char driver[32]; /* "" where unknown */
    char cuda[32];   /* the runtime's version, as 12.8; "" where unknown */
    int multiprocessors;
    int threads_per_multiprocessor;
    int blocks_per_multiprocessor;
    size_t l2_bytes;           /* 0 where unknown */
    double memory_bytes_per_s; /* from clock and bus width; NaN where unknown */
    double clock_hz;           /* the highest of a multiprocessor; NaN where unknown */
    /* Results per cycle and multiprocessor of multiply-adds, by the compute capability; 0 unknown. */
    int f32_lanes, f64_lanes, i32_lanes;
};

/*
 * Find out about the current device, once; later calls cost nothing. NULL after one line on stderr
 * if there is no device that works.
 */
const struct device *device_get(void);

/*
 * device_check(cudaMemset(p, 0, n)): 0, or BAD_DEVICE after one line that names the call and the
 * error. Takes any call that returns cudaError_t.
 */
#define device_check(call) device_checked((int)(call), #call)
int device_checked(int error, const char *call);

/* Allocate device memory; what says in the message what did not fit: "the input". 0 bytes give room
 * for one. 0, or BAD_DEVICE after one line. */
int device_alloc(void **pointer, size_t bytes, const char *what);

/* The same where the caller can do without: NULL if it does not fit, with nothing printed. */
void *device_try_alloc(size_t bytes);

/* Free device memory; NULL is none. */
void device_free(void *pointer);

/* The grid that fills the device with blocks of so many threads, at least 1, if registers and
 * shared memory allow as many as there are threads. */
int device_full_grid(int threads);

/* The multiprocessors that a default grid of the shape is to fill: its device's. */
int device_to_fill(const struct shape *s);

/* Threads that are 0 become 256, and blocks that are 0 as many as fill the device, or as many as n
 * elements need if each thread takes so many. */
void device_default_shape(struct shape *, size_t elements_a_thread);

/* The same for one element per thread: a family's default_shape. */
void device_thread_per_element(struct shape *);

#ifdef __cplusplus
}
#endif

#endif
