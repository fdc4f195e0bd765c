/* Streams. See streams.c. */
#ifndef CPU_RUNTIME_STREAMS_H
#define CPU_RUNTIME_STREAMS_H

#include <cuda_runtime_api.h>

/* Does it exist? Keeps and returns the error, also one of the device. */
cudaError_t stream_good(cudaStream_t stream);

/* The device that it belongs to; of a default stream, and of one that does not exist, the
 * current. */
int stream_device(cudaStream_t stream);

#endif
