#include "harness/kit/staged_copy.h"

#include <string.h>

#include <cuda_runtime_api.h>

#include "harness/kit/parallel.h"

#define WORD 16 /* bytes: what parallel_for counts */

static void *pinned[2];

struct span {
    char *to;
    const char *from;
    size_t bytes;
};

static void copy_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct span *s = (const struct span *)context;
    size_t first = begin * WORD, last = end * WORD < s->bytes ? end * WORD : s->bytes;

    (void)chunk;
    memcpy(s->to + first, s->from + first, last - first);
}

static void copy_on_host(void *to, const void *from, size_t bytes)
{
    struct span span = {(char *)to, (const char *)from, bytes};

    parallel_for((bytes + WORD - 1) / WORD, copy_chunk, &span);
}

static int open_staging(cudaEvent_t *copied)
{
    int status = 0;

    for (int i = 0; i < 2 && status == 0; i++) {
        if (!pinned[i])
            status = device_check(cudaMallocHost(&pinned[i], STAGED_PIECE));
        if (status == 0)
            status = device_check(cudaEventCreateWithFlags(&copied[i], cudaEventDisableTiming));
    }
    return status;
}

static size_t length(size_t at, size_t bytes, size_t piece)
{
    return bytes - at < piece ? bytes - at : piece;
}

/* One piece on its way between the device and its half of the pinned memory. */
static int queue_piece(const struct device_stream *place, void *to, const void *from, size_t bytes,
                       cudaEvent_t copied)
{
    int status = device_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, place->stream));

    return status == 0 ? device_check(cudaEventRecord(copied, place->stream)) : status;
}

static int copy_in(const struct device_stream *place, char *to, const char *from, size_t bytes,
                   size_t piece, cudaEvent_t *copied)
{
    int status = 0;

    for (size_t at = 0, i = 0; at < bytes && status == 0; at += piece, i++) {
        void *half = pinned[i % 2];

        if (i >= 2)
            status = device_check(cudaEventSynchronize(copied[i % 2]));
        if (status != 0)
            break;
        copy_on_host(half, from + at, length(at, bytes, piece));
        status = queue_piece(place, to + at, half, length(at, bytes, piece), copied[i % 2]);
    }
    return status;
}

static int copy_out(const struct device_stream *place, char *to, const char *from, size_t bytes,
                    size_t piece, cudaEvent_t *copied)
{
    size_t pieces = bytes / piece + (bytes % piece != 0);
    int status = 0;

    for (size_t i = 0; i <= pieces && status == 0; i++) {
        if (i < pieces)
            status = queue_piece(place, pinned[i % 2], from + i * piece,
                                 length(i * piece, bytes, piece), copied[i % 2]);
        if (i == 0 || status != 0)
            continue;
        status = device_check(cudaEventSynchronize(copied[(i - 1) % 2]));
        if (status == 0)
            copy_on_host(to + (i - 1) * piece, pinned[(i - 1) % 2],
                         length((i - 1) * piece, bytes, piece));
    }
    return status;
}

int staged_copy(const struct device_stream *place, void *to, const void *from, size_t bytes,
                bool to_device, size_t piece)
{
    cudaEvent_t copied[2] = {NULL, NULL};
    int status = device_use(place->device);

    if (status == 0)
        status = open_staging(copied);
    if (status == 0)
        status = (to_device ? copy_in : copy_out)(place, (char *)to, (const char *)from, bytes,
                                                  piece, copied);
    if (status == 0)
        status = device_check(cudaStreamSynchronize(place->stream));
    for (int i = 0; i < 2; i++)
        if (copied[i])
            cudaEventDestroy(copied[i]);
    return status;
}

int copy_to_device(const struct device_stream *place, void *to, const void *from, size_t bytes)
{
    return bytes < STAGED_FROM ? device_copy(place, to, from, bytes)
                               : staged_copy(place, to, from, bytes, true, STAGED_PIECE);
}

int copy_to_host(const struct device_stream *place, void *to, const void *from, size_t bytes)
{
    return bytes < STAGED_FROM ? device_copy(place, to, from, bytes)
                               : staged_copy(place, to, from, bytes, false, STAGED_PIECE);
}
