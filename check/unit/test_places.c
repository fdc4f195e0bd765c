/*
 * The contract for several devices, on a CUDA runtime that only writes down what is asked of it:
 * two devices, of which each call must reach the right one. A kernel stands for whatever a test
 * launches.
 */
#include "unit.h"

#include <cpu_device.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/element.h"
#include "harness/kit/message.h"
#include "harness/run/measure.h"

/* --- the runtime: of two devices, or of as many as a test says -------------------------------- */

static int devices = 2, current;
static char calls[4096];       /* "NAME@DEVICE/STREAM ", in their order */
static double milliseconds[2]; /* between the events of each device */

struct CUstream_st {
    const char *name;
};
struct CUevent_st {
    int device;
};

static struct CUstream_st stream_a = {"a"}, stream_b = {"b"};

static cudaError_t called(const char *name, cudaStream_t stream)
{
    size_t used = strlen(calls);

    snprintf(calls + used, sizeof(calls) - used, "%s@%d%s%s ", name, current, stream ? "/" : "",
             stream ? stream->name : "");
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = devices;
    return cudaSuccess;
}

/* For --check alone, which does not look here. */
void cpu_device_set_guard(void *allocation, size_t bytes)
{
    (void)allocation;
    (void)bytes;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    memset(properties, 0, sizeof(*properties));
    snprintf(properties->name, sizeof(properties->name), "device %d", device);
    return cudaSuccess;
}

/* Device 1 has twice as many multiprocessors. */
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device)
{
    *value = which == cudaDevAttrMultiProcessorCount           ? 10 * (device + 1)
             : which == cudaDevAttrMaxThreadsPerMultiProcessor ? 2048
                                                               : 32;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    (void)error;
    return "no CUDA-capable device is detected";
}

const char *cudaGetErrorName(cudaError_t error)
{
    (void)error;
    return "cudaErrorNoDevice";
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    *pointer = calloc(1, bytes);
    return called("malloc", NULL);
}

cudaError_t cudaFree(void *pointer)
{
    free(pointer);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *total)
{
    *unused = *total = 0;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memmove(to, from, bytes);
    return called("copy", NULL);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind;
    memmove(to, from, bytes);
    return called("copy", stream);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    memset(to, value, bytes);
    return called("set", stream);
}

cudaError_t cudaDeviceSynchronize(void)
{
    return called("ready", NULL);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return called("wait", stream);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = malloc(sizeof(**event));
    (*event)->device = current;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

/* An event of another device is an error, in CUDA too. */
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    called("event", stream);
    return event->device == current ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *between, cudaEvent_t start, cudaEvent_t stop)
{
    if (start->device != stop->device)
        return cudaErrorInvalidResourceHandle;
    *between = (float)milliseconds[start->device];
    return cudaSuccess;
}

/* --- the tests -------------------------------------------------------------------------------- */

static struct capture err;

static int setup(void **state)
{
    (void)state;
    devices = 2;
    current = 0;
    calls[0] = '\0';
    message_program("test");
    return 0;
}

static void opens_each_device(void **state)
{
    const struct device *first = device_open(0), *second = device_open(1);

    (void)state;
    assert_int_equal(device_visible_count(), 2);
    assert_int_equal(current, 1);
    assert_string_equal(first->name, "device 0");
    assert_string_equal(second->name, "device 1");
    assert_int_equal(second->ordinal, 1);
    assert_ptr_equal(device_open(1), second);
    assert_ptr_equal(device_in_use(), second);
    assert_int_equal(device_use(first), 0);
    assert_ptr_equal(device_in_use(), first);
    assert_int_equal(device_use(NULL), 0);
    assert_int_equal(current, 0);
}

static void names_devices_that_are_not(void **state)
{
    (void)state;
    capture_start(&err, STDERR_FILENO);
    assert_null(device_open(2));
    assert_one_line(capture_stop(&err), "there is no device 2; there are devices 0 to 1");
    capture_start(&err, STDERR_FILENO);
    assert_null(device_open(-1));
    assert_one_line(capture_stop(&err), "there is no device -1");
    devices = 0;
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(device_visible_count(), BAD_DEVICE);
    assert_one_line(capture_stop(&err),
                    "no usable CUDA device (no CUDA-capable device is detected)");
}

/* A grid by default fills the device of the shape, else the current one. */
static void fills_the_shapes_device(void **state)
{
    struct shape s = {.n = (size_t)1 << 30, .device = device_open(1)}, t = {.n = s.n};

    (void)state;
    device_open(0);
    device_default_shape(&s, 1);
    device_default_shape(&t, 1);
    assert_int_equal(s.blocks, 20 * 8);
    assert_int_equal(t.blocks, 10 * 8);
    assert_int_equal(device_full_grid(256), 10 * 8);
    assert_int_equal(current, 0);
}

static void scratch_is_each_devices(void **state)
{
    void *zero, *one, *again;

    (void)state;
    device_open(0);
    assert_int_equal(device_scratch(&zero, 8), 0);
    device_open(1);
    assert_int_equal(device_scratch(&one, 8), 0);
    assert_ptr_not_equal(zero, one);
    device_open(0);
    assert_int_equal(device_scratch(&again, 4), 0);
    assert_ptr_equal(again, zero);
    assert_string_equal(calls, "malloc@0 malloc@1 ");
}

static const struct variant variant = {.name = "any"}, destroyer = {.rules = DESTROYS_INPUT};

/* All that is done with an array, while another device is the current one. */
static void use_elsewhere(struct buffer *b, const struct setting *setting)
{
    struct result result = {.verdict = VERDICT_OK};

    current = 0;
    assert_int_equal(buffer_input(b, 4, setting), 0);
    for (int run = 0; run < 3; run++) {
        current = 0;
        assert_int_equal(buffer_restore(b, 4, true), 0);
    }
    current = 0;
    assert_int_equal(buffer_settle(b, &destroyer, &result), 0);
    current = 0;
    assert_int_equal(buffer_poison(b, 4), 0);
    current = 0;
    assert_int_equal(buffer_download(b, 4), 0);
    current = 0;
    assert_int_equal(buffer_verdict(b, &variant, 4, (struct wrong){0}, &result), 0);
    buffer_free(b);
    current = 0;
}

static void arrays_live_on_their_device(void **state)
{
    struct setting setting = {.type = &type_f32, .input = "ramp"};
    struct device_stream places[] = {{.device = device_open(1)}, {device_open(1), &stream_b}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct buffer b = {
            .what = "it", .bytes = 4, .type = &type_f32, .guard = BUFFER_GUARD, .place = places[i]};

        calls[0] = '\0';
        use_elsewhere(&b, &setting);
        assert_contains(calls, "malloc@1 ");
        assert_contains(calls, i ? "copy@1/b wait@1/b " : "copy@1 ");
        assert_contains(calls, i ? "set@1/b " : "set@1 ");
        assert_null(strstr(calls, "@0"));
        if (i)
            assert_null(strstr(calls, "copy@1 "));
    }
}

static void arrays_stay_where_they_began(void **state)
{
    struct buffer b = {.what = "it", .bytes = 4};

    (void)state;
    device_open(1);
    assert_int_equal(buffer_reserve(&b, 1), 0);
    current = 0;
    assert_int_equal(b.place.device->ordinal, 1);
    assert_int_equal(buffer_reserve(&b, 100), 0);
    assert_int_equal(buffer_poison(&b, 100), 0);
    assert_string_equal(calls, "malloc@1 malloc@1 set@1 ");
    buffer_free(&b);
}

/* No array here is so large that it would be staged. */
int copy_to_device(const struct device_stream *place, void *to, const void *from, size_t bytes)
{
    return device_copy(place, to, from, bytes);
}

int copy_to_host(const struct device_stream *place, void *to, const void *from, size_t bytes)
{
    return device_copy(place, to, from, bytes);
}

/* --- times ------------------------------------------------------------------------------------ */

/* In several places a launch may leave another device than it found. */
static void launch(void *context)
{
    size_t *places = context;

    called("launch", NULL);
    if (*places > 1)
        current = 1;
}

/* The median of three runs in the first so many of these places, in microseconds. */
static double time_of(const struct device_stream *places, size_t count, size_t used, bool cold)
{
    size_t in_all = used ? used : count;
    struct measured m = {
        .name = "it", .runs = 3, .places = used, .launch = launch, .context = &in_all};
    struct meter meter;
    struct stats us = {0};

    assert_int_equal(meter_open(&meter, places, count, 3, cold), 0);
    calls[0] = '\0';
    assert_int_equal(measure(&meter, &m, &us, NULL), 0);
    meter_close(&meter);
    return us.median;
}

/* How many of 20 runs of 2 ms are timed where so many microseconds are enough, after at most 9 to
 * warm up. */
static int runs_until(double enough_us, int fewest, int *launches)
{
    struct device_stream place = {.device = device_open(0)};
    size_t places = 1;
    struct measured m = {.name = "it",
                         .warmup = 9,
                         .runs = 20,
                         .enough_us = enough_us,
                         .fewest = fewest,
                         .launch = launch,
                         .context = &places};
    struct meter meter;
    struct stats us = {0};
    int runs = 0;

    milliseconds[0] = 2;
    assert_int_equal(meter_open(&meter, &place, 1, 20, false), 0);
    calls[0] = '\0';
    assert_int_equal(measure(&meter, &m, &us, &runs), 0);
    meter_close(&meter);
    assert_float_equal(us.max, 2000, 1e-6);
    *launches = 0;
    for (const char *at = calls; (at = strstr(at, "launch")); at++)
        ++*launches;
    return runs;
}

static void slow_runs_are_fewer(void **state)
{
    int launches;

    (void)state;
    assert_int_equal(runs_until(0, FEWEST_RUNS, &launches), 20);
    assert_int_equal(launches, 29);
    assert_int_equal(runs_until(15000, FEWEST_RUNS, &launches), 8);
    assert_int_equal(launches, 8 + 2);
    assert_int_equal(runs_until(1, FEWEST_RUNS, &launches), FEWEST_RUNS);
    assert_int_equal(launches, FEWEST_RUNS + 1);
    assert_int_equal(runs_until(1, 1, &launches), 1);
    assert_int_equal(launches, 1 + 1);
    assert_int_equal(runs_until(5000, 1, &launches), 3);
    assert_int_equal(launches, 3 + 1);
}

static void takes_as_long_as_the_last(void **state)
{
    struct device_stream places[] = {{.device = device_open(0)}, {device_open(1), &stream_a}};

    (void)state;
    milliseconds[0] = 2;
    milliseconds[1] = 5;
    assert_float_equal(time_of(places, 2, 0, false), 5000, 1e-6);
    assert_int_equal(
        strncmp(calls, "ready@0 ready@1 event@1/a event@0 launch@0 event@0 event@1/a ready@0 ", 68),
        0);
    milliseconds[0] = 7;
    assert_float_equal(time_of(places, 2, 2, false), 7000, 1e-6);
    milliseconds[0] = 2;
    assert_float_equal(time_of(places, 2, 1, false), 2000, 1e-6);
    assert_null(strstr(calls, "/a"));
}

static void flushes_every_cache(void **state)
{
    struct device_stream places[] = {{.device = device_open(0)}, {device_open(1), &stream_a}};

    (void)state;
    time_of(places, 2, 0, true);
    assert_int_equal(
        strncmp(calls, "set@0 set@1/a ready@0 ready@1 event@1/a event@0 launch@0 ", 57), 0);
}

static void copies_in_the_first_place(void **state)
{
    struct device_stream places[] = {{device_open(1), &stream_b}, {.device = device_open(0)}};
    struct meter meter;
    struct stats us;
    double rate;

    (void)state;
    milliseconds[1] = 1;
    assert_int_equal(meter_open(&meter, places, 2, 2, false), 0);
    calls[0] = '\0';
    assert_int_equal(measure_copy(&meter, 1, 1e6, 0, 2, &us, &rate), 0);
    meter_close(&meter);
    assert_float_equal(us.median, 1000, 1e-6);
    assert_float_equal(rate, 2e-6 * (500000 / 256 * 256), 1e-9);
    assert_string_equal(calls, "malloc@1 set@1/b event@1/b copy@1/b event@1/b "
                               "event@1/b copy@1/b event@1/b ");
}

/* Each place copies as many bytes to the next one's memory. */
static void copies_between_places(void **state)
{
    struct device_stream places[] = {{device_open(1), &stream_b}, {.device = device_open(0)}};
    struct meter meter;
    struct stats us;
    double rate;

    (void)state;
    milliseconds[0] = 1;
    milliseconds[1] = 2;
    assert_int_equal(meter_open(&meter, places, 2, 1, false), 0);
    calls[0] = '\0';
    assert_int_equal(measure_copy(&meter, 2, 1e6, 0, 1, &us, &rate), 0);
    meter_close(&meter);
    assert_float_equal(rate, 1e-3 * (1000000 / 256 * 256) / 2000, 1e-9);
    assert_string_equal(calls, "malloc@0 set@0 malloc@1 set@1/b ready@1 ready@0 event@0 event@1/b "
                               "copy@1/b copy@0 event@1/b event@0 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(opens_each_device, setup),
        cmocka_unit_test_setup(names_devices_that_are_not, setup),
        cmocka_unit_test_setup(fills_the_shapes_device, setup),
        cmocka_unit_test_setup(scratch_is_each_devices, setup),
        cmocka_unit_test_setup(arrays_live_on_their_device, setup),
        cmocka_unit_test_setup(arrays_stay_where_they_began, setup),
        cmocka_unit_test_setup(takes_as_long_as_the_last, setup),
        cmocka_unit_test_setup(slow_runs_are_fewer, setup),
        cmocka_unit_test_setup(flushes_every_cache, setup),
        cmocka_unit_test_setup(copies_in_the_first_place, setup),
        cmocka_unit_test_setup(copies_between_places, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
