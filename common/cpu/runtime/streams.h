/* Streams. See stream_list.c, streams.c. */
#ifndef CPU_RUNTIME_STREAMS_H
#define CPU_RUNTIME_STREAMS_H

#include <cuda_runtime_api.h>
#include "cpu/runtime/queue.h"

/* A graph that is being made; graphs.c has more of it. */
struct capture {
    const char *spoilt; /* the call that spoilt it; NULL: it is good */
};

struct CUstream_st {
    int device;
    unsigned flags;
    int priority;
    bool destroyed;
    unsigned number; /* in order; MAX_ORDERED of all that are too many */
    struct work *first, **last;
    uint64_t queued, done;           /* how many operations so far */
    uint64_t after[MAX_ORDERED + 1]; /* what is in order before the next one */
    cudaError_t error;               /* that the next call that waits for it returns, */
    char line[256];                  /* with this line */
    struct capture *capture;         /* what is put into it goes there; NULL: it is done */
    struct CUstream_st *next;
};

/* Does it exist? Keeps and returns the error, also one of the device. */
cudaError_t stream_good(cudaStream_t stream);

/* The stream, the default ones too; of one that does not exist the current device's. */
struct CUstream_st *stream_of(cudaStream_t stream);
struct CUstream_st *stream_default(int device);
bool stream_is_own(cudaStream_t stream); /* no default one */
bool stream_is_legacy(const struct CUstream_st *s);
struct CUstream_st *streams_first(void); /* all, by `next`: the default ones of all devices, then
                                          * the others as they were made */
struct CUstream_st *stream_make(int device, unsigned flags, int priority); /* NULL: no memory */

/* A call that must not be made while the stream is captured; the capture fails. */
cudaError_t capture_spoilt(struct CUstream_st *s, const char *call);

/* The device that it belongs to; of a default stream, and of one that does not exist, the
 * current. */
int stream_device(cudaStream_t stream);

unsigned streams_numbers(void); /* all numbers are below that, or MAX_ORDERED */

/* The failure, or the stream's own error, which is told once. */
cudaError_t stream_error(struct CUstream_st *s);

/* Wait for the stream, or for all of a device's; ALL_DEVICES. The host knows then. */
void stream_wait(struct CUstream_st *s);
void device_wait(int device);

#endif
