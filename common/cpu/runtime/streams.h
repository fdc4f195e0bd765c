/* Streams. See streams.c. */
#ifndef CPU_RUNTIME_STREAMS_H
#define CPU_RUNTIME_STREAMS_H

#include <cuda_runtime_api.h>

/* Does it exist? Keeps and returns the error, also one of the device. */
cudaError_t stream_good(cudaStream_t stream);

#endif
