/*
 * Devices: what each is, its memory, and calls of the CUDA runtime that fail. A place is a device
 * with a stream of it; whoever queues work is told where.
 *
 * As in the CUDA runtime, one device is the current one of the host's thread. What gets a place, or
 * an array that has one, makes that device the current one and leaves it so. All else works on the
 * current one. It is the first of the run's while a family's callbacks and launches are called,
 * unless they choose another.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "harness/family.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAX_DEVICES 64 /* further ones are not seen */

struct device {
    int ordinal; /* its number in the CUDA runtime, from 0 */
    char name[256];
    char driver[32]; /* "" where unknown */
    char cuda[32];   /* the runtime's version, as 12.8; "" where unknown */
    int multiprocessors;
    int threads_per_multiprocessor;
    int blocks_per_multiprocessor;
    size_t l2_bytes;           /* 0 where unknown */
    double memory_bytes_per_s; /* from clock and bus width; NaN where unknown */
    double clock_hz;           /* the highest of a multiprocessor; NaN where unknown */
    /* Results per cycle and multiprocessor of multiply-adds, by compute capability; 0 unknown. */
    int f32_lanes, f64_lanes, i32_lanes;
};

struct CUstream_st;

/* Where work is queued. */
struct device_stream {
    const struct device *device; /* NULL: whichever is the current one */
    struct CUstream_st *stream;  /* a cudaStream_t; NULL: the device's default stream */
};

/* How many devices the process sees: at least 1, or BAD_DEVICE after one line. */
int device_visible_count(void);

/* From now on the process sees the first devices alone, so many; 0: all. BAD_USAGE after one line
 * if there are not so many. */
int device_use_first(int count);

/* Make the device of this number the current one. What it is, is found out once; later calls cost
 * nothing. NULL after one line on stderr if there is none, or it does not work. */
const struct device *device_open(int ordinal);

/* The current device. NULL after one line if there is no device that works. */
const struct device *device_in_use(void);

/* Make it the current one; NULL: leave that as it is. 0, or BAD_DEVICE after one line. */
int device_use(const struct device *);

/*
 * device_check(cudaMemset(p, 0, n)): 0, or BAD_DEVICE after one line that names the call and the
 * error. Takes any call that returns cudaError_t.
 */
#define device_check(call) device_checked((int)(call), #call)
int device_checked(int error, const char *call);

/* Allocate memory of the current device; what says in the message what did not fit: "the input". 0
 * bytes give room for one. 0, or BAD_DEVICE after one line. */
int device_alloc(void **pointer, size_t bytes, const char *what);

/* The same where the caller can do without: NULL if it does not fit, with nothing printed. */
void *device_try_alloc(size_t bytes);

/* Free memory of any device; NULL is none. */
void device_free(void *pointer);

/* Memory of the current device for what a function needs while it runs, such as the result of a
 * comparison: kept from call to call, because cudaFree waits for the device. What the last caller
 * left in it is lost. 0, or BAD_DEVICE after one line. */
int device_scratch(void **pointer, size_t bytes);

/* Copy, to or from the host or on the device, behind what is in the place's stream, and wait for
 * the end. 0, or BAD_DEVICE after one line. */
int device_copy(const struct device_stream *, void *to, const void *from, size_t bytes);

/* The grid that fills the current device with blocks of so many threads, at least 1, if registers
 * and shared memory allow as many as there are threads. */
int device_full_grid(int threads);

/* True with one line in why if a block on the current device cannot have so many bytes of shared
 * memory. */
bool device_lacks_shared(size_t bytes, char *why, size_t room);

/* True with one line in why if the device's compute capability is below this: 80 for 8.0. */
bool device_below(int capability, char *why, size_t room);
/* The same of one whose code runs on that compute capability alone, such as 90 for 9.0. */
bool device_other_than(int capability, char *why, size_t room);

/* The multiprocessors that a default grid of the shape is to fill: its device's. */
int device_to_fill(const struct shape *s);

/* Threads that are 0 become 256, and blocks that are 0 as many as fill the device, or as many as n
 * elements need if each thread takes so many. */
void device_default_shape(struct shape *, size_t elements_per_thread);

/* The same for one element per thread: a family's default_shape. */
void device_thread_per_element(struct shape *);

#ifdef __cplusplus
}
#endif

#endif
