/*
 * What a problem on several devices refuses (spread.c), on a CUDA runtime that a test tells what
 * its devices can: one that cannot reach another's memory, and one that is not like the others. And
 * where it deals an array out to.
 */
#include "unit.h"

#include <cuda_runtime_api.h>

#include "harness/kit/message.h"
#include "harness/kit/spread.h"

enum { DEVICES = 3 };

static struct device devices[DEVICES];
static struct device_stream places[DEVICES];
static bool reaches[DEVICES][DEVICES], connected[DEVICES][DEVICES];
static int current;
static cudaError_t enable_fails;
static struct capture said;

/* --- the runtime, and what spread.c needs of the kit ------------------------------------------ */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = reaches[device][peer];
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    if (enable_fails)
        return enable_fails;
    if (connected[current][peer])
        return cudaErrorPeerAccessAlreadyEnabled;
    connected[current][peer] = true;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind, (void)stream;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    for (size_t row = 0; row < height; row++)
        cudaMemcpyAsync((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width,
                        kind, stream);
    return cudaSuccess;
}

static int events, event_on[2 * DEVICES], made_before_failure;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    if (events == made_before_failure)
        return cudaErrorMemoryAllocation;
    event_on[events] = current;
    *event = (cudaEvent_t)&event_on[events++];
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    (void)event;
    events--;
    return cudaSuccess;
}

int device_use(const struct device *device)
{
    current = device->ordinal;
    return 0;
}

int device_checked(int error, const char *call)
{
    return error ? complain(BAD_DEVICE, "%s failed", call) : 0;
}

int device_visible_count(void)
{
    return DEVICES;
}

int device_copy(const struct device_stream *place, void *to, const void *from, size_t bytes)
{
    (void)place, (void)to, (void)from, (void)bytes;
    return 0;
}

#define NOT_HERE(name, ...)                                                                        \
    int name(__VA_ARGS__)                                                                          \
    {                                                                                              \
        fail_msg(#name " is called");                                                              \
        return BAD_DEVICE;                                                                         \
    }
NOT_HERE(buffer_input, struct buffer *b, size_t n, const struct setting *s)
NOT_HERE(buffer_reserve, struct buffer *b, size_t n)
NOT_HERE(buffer_restore, struct buffer *b, size_t n, bool destroys)
NOT_HERE(buffer_poison, struct buffer *b, size_t n)
NOT_HERE(buffer_settle, struct buffer *b, const struct variant *v, struct result *r)
NOT_HERE(buffer_verdict, const struct buffer *b, const struct variant *v, size_t n,
         struct wrong wrong, struct result *r)
NOT_HERE(spread_compare, const struct device_stream *p, const struct spread_sum *s, struct worst *w)

void buffer_free(struct buffer *b)
{
    (void)b;
}

void buffer_point(const struct buffer *b, size_t element, struct result *result)
{
    result->wrong = (const char *)b->device + element * b->bytes;
}

/* --- the tests -------------------------------------------------------------------------------- */

static int alike(void **unused)
{
    (void)unused;
    memset(connected, 0, sizeof(connected));
    enable_fails = cudaSuccess;
    current = 2;
    for (int i = 0; i < DEVICES; i++) {
        devices[i] = (struct device){.ordinal = i,
                                     .name = "a GPU",
                                     .multiprocessors = 4,
                                     .threads_per_multiprocessor = 1024,
                                     .blocks_per_multiprocessor = 16};
        places[i] = (struct device_stream){.device = &devices[i]};
        for (int k = 0; k < DEVICES; k++)
            reaches[i][k] = i != k;
    }
    return 0;
}

/* The status, and what is said, of so many devices. */
static int connect_all(int count)
{
    int status;

    capture_start(&said, STDERR_FILENO);
    status = spread_connect(places, count);
    capture_stop(&said);
    return status;
}

static void test_connected(void **unused)
{
    (void)unused;
    for (int twice = 0; twice < 2; twice++) { /* then each has the access already */
        assert_int_equal(connect_all(DEVICES), 0);
        assert_string_equal(said.text, "");
        assert_int_equal(current, 0);
        for (int i = 0; i < DEVICES; i++)
            for (int k = 0; k < DEVICES; k++)
                assert_int_equal(connected[i][k], i != k);
    }
    alike(NULL);
    assert_int_equal(connect_all(1), 0);
    assert_false(connected[0][1]);
}

static void test_no_access(void **unused)
{
    (void)unused;
    reaches[1][2] = false;
    assert_int_equal(connect_all(2), 0); /* the third is not asked for */
    assert_int_equal(connect_all(3), BAD_DEVICE);
    assert_one_line(said.text, "device 1 cannot reach the memory of device 2");
    alike(NULL);
    enable_fails = cudaErrorInvalidDevice;
    assert_int_equal(connect_all(2), BAD_DEVICE);
    assert_one_line(said.text, "cudaDeviceEnablePeerAccess failed");
}

static void test_different(void **unused)
{
    (void)unused;
    snprintf(devices[2].name, sizeof(devices[2].name), "another GPU");
    assert_int_equal(connect_all(3), 0); /* its name alone does not matter */
    devices[2].multiprocessors = 5;
    assert_int_equal(connect_all(2), 0);
    assert_int_equal(connect_all(3), BAD_DEVICE);
    assert_one_line(said.text, "devices 0 and 2 are different (a GPU, another GPU)");
    assert_contains(said.text, "CUDA_VISIBLE_DEVICES");
}

/* Each event is made with its own device as the current one, and those that were made are freed. */
static void test_events(void **unused)
{
    struct CUevent_st *made[MAX_SPREAD] = {NULL};

    (void)unused;
    made_before_failure = 2 * DEVICES;
    assert_int_equal(spread_events(made, places, DEVICES), 0);
    assert_int_equal(events, DEVICES);
    for (int d = 0; d < DEVICES; d++)
        assert_int_equal(*(int *)made[d], d);
    assert_int_equal(current, 0);
    spread_events_free(made);
    assert_int_equal(events, 0);
    memset(made, 0, sizeof(made));
    made_before_failure = 1;
    capture_start(&said, STDERR_FILENO);
    assert_int_equal(spread_events(made, places, DEVICES), BAD_DEVICE);
    capture_stop(&said);
    assert_one_line(said.text, "failed");
    assert_int_equal(events, 1);
    spread_events_free(made);
    assert_int_equal(events, 0);
}

static void test_default(void **unused)
{
    size_t given = 2, open = 0;

    (void)unused;
    spread_default_devices(&given);
    spread_default_devices(&open);
    assert_int_equal(given, 2);
    assert_int_equal(open, DEVICES);
    for (int part = 0; part < MAX_SPREAD; part++)
        assert_true(spread_is_here(part));
}

#define ELEMENTS 1003

/* Dealt out, each element is where its chunk is; collected, it is where it was. */
static void deal(size_t n, size_t chunk)
{
    static int whole[ELEMENTS], again[ELEMENTS], room[DEVICES][ELEMENTS];
    struct buffer from = {.bytes = sizeof(int), .device = whole};
    struct buffer to = {.bytes = sizeof(int), .device = again};
    struct dealt dealt = {.devices = DEVICES, .n = n, .chunk = chunk};
    struct spread parts = {.count = DEVICES};
    size_t all = 0;

    for (int d = 0; d < DEVICES; d++) {
        parts.part[d] = (struct buffer){
            .bytes = sizeof(int), .device = room[d], .place = {.device = &devices[d]}};
        all += dealt_to(&dealt, d);
    }
    assert_int_equal(all, n);
    for (size_t i = 0; i < n; i++)
        whole[i] = (int)i + 1;
    memset(again, 0, sizeof(again));
    assert_int_equal(spread_deal(&parts, &from, &dealt), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(room[i / chunk % DEVICES][i / chunk / DEVICES * chunk + i % chunk], i + 1);
    assert_int_equal(spread_collect(&to, &parts, &dealt), 0);
    assert_memory_equal(again, whole, n * sizeof(int));
    assert_int_equal(again[n], 0);
    for (size_t i = 0; i < n + 1; i++) { /* that of a part is the same element, and no other */
        struct result result = {.wrong = &again[i]};

        spread_point(&parts, &to, &dealt, &result);
        assert_int_equal(i < n ? *(const int *)result.wrong : 0, i < n ? (int)i + 1 : 0);
        assert_int_equal(result.wrong == &again[i], i == n);
    }
}

static void test_deals(void **unused)
{
    (void)unused;
    deal(1000, spread_share(1000, DEVICES));
    deal(1000, 60);
    deal(1000, 100);
    deal(7, 4);
    deal(0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_connected, alike),
                                       cmocka_unit_test_setup(test_no_access, alike),
                                       cmocka_unit_test_setup(test_different, alike),
                                       cmocka_unit_test_setup(test_events, alike),
                                       cmocka_unit_test_setup(test_default, alike),
                                       cmocka_unit_test_setup(test_deals, alike)};

    message_program("test");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
