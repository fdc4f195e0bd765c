/*
 * Staged copies, on a CUDA runtime whose asynchronous copies happen as late as CUDA allows: when an
 * event behind them, or their stream, is waited for. Pinned memory that is written or read too
 * early gives other bytes.
 */
#include "unit.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "harness/kit/message.h"
#include "harness/kit/staged_copy.h"

#define QUEUE 64

static struct {
    void *to;
    const void *from;
    size_t bytes;
} queue[QUEUE];
static int queued, done, fails_at; /* the copy of this number fails; -1: none */

struct CUevent_st {
    int behind; /* so many copies */
};

static void run_until(int count)
{
    for (; done < count; done++)
        memcpy(queue[done].to, queue[done].from, queue[done].bytes);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind, (void)stream;
    assert_true(queued < QUEUE);
    if (queued == fails_at)
        return cudaErrorInvalidValue;
    queue[queued].to = to;
    queue[queued].from = from;
    queue[queued++].bytes = bytes;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = (cudaEvent_t)calloc(1, sizeof(**event));
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    event->behind = queued;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    run_until(event->behind);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    run_until(queued);
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    *pointer = malloc(bytes);
    return cudaSuccess;
}

int device_use(const struct device *device)
{
    (void)device;
    return 0;
}

int device_checked(int error, const char *call)
{
    (void)call;
    return error == (int)cudaSuccess ? 0 : BAD_DEVICE;
}

/* What is small is copied at once. */
static int plainly;

int device_copy(const struct device_stream *place, void *to, const void *from, size_t bytes)
{
    (void)place;
    memcpy(to, from, bytes);
    plainly++;
    return 0;
}

static void copies(size_t bytes, size_t piece, bool to_device)
{
    struct device_stream place = {0};
    unsigned char *from = malloc(bytes + 1), *to = malloc(bytes + 1);

    for (size_t i = 0; i <= bytes; i++) {
        from[i] = (unsigned char)(i * 7 + i / 251);
        to[i] = 0xee;
    }
    queued = done = 0;
    assert_int_equal(staged_copy(&place, to, from, bytes, to_device, piece), 0);
    assert_memory_equal(to, from, bytes);
    assert_int_equal(to[bytes], 0xee);
    free(from);
    free(to);
}

static void all_bytes_arrive(void **state)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 4095, 4096, 4097, 8192, 8193, 20481, 40000};

    (void)state;
    fails_at = -1;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        copies(sizes[i], 4096, true);
        copies(sizes[i], 4096, false);
    }
    copies(((size_t)5 << 20) + 3, (size_t)2 << 20, true);
    copies(((size_t)5 << 20) + 3, (size_t)2 << 20, false);
}

static void only_large_arrays_are_staged(void **state)
{
    size_t bytes = STAGED_FROM;
    struct device_stream place = {0};
    char *from = calloc(1, bytes), *to = malloc(bytes);

    (void)state;
    fails_at = -1;
    for (size_t i = 0; i < bytes; i += 4097)
        from[i] = (char)i;
    for (int less = 1; less >= 0; less--) {
        queued = done = plainly = 0;
        memset(to, 1, bytes);
        assert_int_equal(copy_to_device(&place, to, from, bytes - (size_t)less), 0);
        assert_int_equal(memcmp(to, from, bytes - (size_t)less), 0);
        memset(to, 1, bytes);
        assert_int_equal(copy_to_host(&place, to, from, bytes - (size_t)less), 0);
        assert_int_equal(memcmp(to, from, bytes - (size_t)less), 0);
        assert_int_equal(plainly, less ? 2 : 0);
    }
    free(from);
    free(to);
}

static void failures_end_it(void **state)
{
    static unsigned char from[10000], to[10000];
    struct device_stream place = {0};

    (void)state;
    for (int i = 0; i < 4; i++) {
        queued = done = 0;
        fails_at = i % 2 ? 2 : 0;
        assert_int_equal(staged_copy(&place, to, from, sizeof(to), i < 2, 4096), BAD_DEVICE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bytes_arrive),
        cmocka_unit_test(only_large_arrays_are_staged),
        cmocka_unit_test(failures_end_it),
    };

    return cmocka_run_group_tests_name("staged_copy", tests, NULL, NULL);
}
