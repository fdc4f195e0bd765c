#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "harness/run/measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <cuda_runtime_api.h>

#include "harness/kit/message.h"
#include "harness/kit/ranks.h"

/* Events belong to the device that is the current one when they are made. */
static int timer_open(struct timer *timer, const struct device_stream *place, bool cold)
{
    const struct device *device = place->device ? place->device : device_in_use();
    cudaEvent_t event = NULL;
    int status = device ? device_use(device) : BAD_DEVICE;

    if (status == 0)
        status = device_check(cudaEventCreate(&event));
    timer->start = event;
    event = NULL;
    if (status == 0)
        status = device_check(cudaEventCreate(&event));
    timer->stop = event;
    if (status == 0 && cold) {
        /* Twice the cache, so that whatever it replaces first, nothing old stays. */
        timer->flush_bytes = 2 * (device->l2_bytes ? device->l2_bytes : (size_t)64 << 20);
        status = device_alloc(&timer->flush, timer->flush_bytes, "flushing the cache");
    }
    return status;
}

static void timer_close(struct timer *timer)
{
    if (timer->start)
        cudaEventDestroy((cudaEvent_t)timer->start);
    if (timer->stop)
        cudaEventDestroy((cudaEvent_t)timer->stop);
    device_free(timer->flush);
}

int meter_open(struct meter *meter, const struct device_stream *places, size_t count, int max_runs,
               bool cold)
{
    int status = 0;

    *meter = (struct meter){.places = places, .count = count};
    meter->times = (double *)malloc((size_t)max_runs * sizeof(*meter->times));
    meter->timers = (struct timer *)calloc(count, sizeof(*meter->timers));
    if (!meter->times || !meter->timers)
        return complain(BAD_DEVICE, "no memory for the times of %d runs", max_runs);
    for (size_t i = 0; i < count && status == 0; i++)
        status = timer_open(&meter->timers[i], &places[i], cold);
    return status;
}

void meter_close(struct meter *meter)
{
    for (size_t i = 0; meter->timers && i < meter->count; i++)
        timer_close(&meter->timers[i]);
    gate_free(&meter->gate);
    free(meter->timers);
    free(meter->times);
    *meter = (struct meter){0};
}

static int failed(const struct measured *m, const char *what, cudaError_t error)
{
    return complain_of(m->name, BAD_DEVICE, "%s failed: %s (%s)", what, cudaGetErrorString(error),
                       cudaGetErrorName(error));
}

/* Flush the caches, if the meter is to. */
static int flush(const struct meter *meter, size_t places)
{
    int status = 0;

    for (size_t i = 0; i < places && status == 0; i++) {
        const struct timer *timer = &meter->timers[i];

        if (!timer->flush)
            continue;
        status = device_use(meter->places[i].device);
        if (status == 0)
            status = device_check(
                cudaMemsetAsync(timer->flush, 0, timer->flush_bytes, meter->places[i].stream));
    }
    return status;
}

/* Record the first event of each place, and leave the device of the first place the current one. */
static int record_starts(const struct meter *meter, size_t places)
{
    int status = 0;

    for (size_t i = places; i-- > 0 && status == 0;) {
        status = device_use(meter->places[i].device);
        if (status == 0)
            status = device_check(
                cudaEventRecord((cudaEvent_t)meter->timers[i].start, meter->places[i].stream));
    }
    return status;
}

/* Record the second event of each place. Of a run in one place nothing stands between it and the
 * launch: a run that is not held by the gate is timed with what the host does. */
static cudaError_t record_stops(const struct meter *meter, size_t places)
{
    cudaError_t error = cudaSuccess;

    for (size_t i = 0; i < places && error == cudaSuccess; i++) {
        if (places > 1 && device_use(meter->places[i].device) != 0)
            return cudaErrorInvalidDevice;
        error = cudaEventRecord((cudaEvent_t)meter->timers[i].stop, meter->places[i].stream);
    }
    return error;
}

static cudaError_t wait_for_stops(const struct meter *meter, size_t places)
{
    cudaError_t error = cudaSuccess;

    for (size_t i = 0; i < places && error == cudaSuccess; i++)
        error = cudaEventSynchronize((cudaEvent_t)meter->timers[i].stop);
    return error;
}

/* Microseconds of the place that took longest. */
static int elapsed(const struct meter *meter, size_t places, double *us)
{
    int status = 0;

    *us = 0;
    for (size_t i = 0; i < places && status == 0; i++) {
        const struct timer *timer = &meter->timers[i];
        float milliseconds = 0;

        status = device_check(cudaEventElapsedTime(&milliseconds, (cudaEvent_t)timer->start,
                                                   (cudaEvent_t)timer->stop));
        *us = fmax(*us, 1e3 * (double)milliseconds);
    }
    return status;
}

/* What works in several places may touch the memory of another than its own, so what was prepared
 * there must have ended everywhere. */
static int wait_for_places(const struct meter *meter, size_t places)
{
    int status = 0;

    for (size_t i = 0; places > 1 && i < places && status == 0; i++) {
        status = device_use(meter->places[i].device);
        if (status == 0)
            status = device_check(cudaDeviceSynchronize());
    }
    return status;
}

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

#define LONG_US 2e3 /* a run that is worth sleeping through */

/* Leave the processor to others while the device works: most of the time that the run before took,
 * from its begin. */
static void sleep_through(double us, double begun)
{
#ifdef BACKEND_CPU
    (void)us;
    (void)begun;
#else
    double left = begun + 0.8 * us - now_us();
    struct timespec t = {(time_t)(left / 1e6), (long)(fmod(left, 1e6) * 1e3)};

    if (us >= LONG_US && left > 0)
        nanosleep(&t, NULL);
#endif
}

/* One run; its time in microseconds, which holds that of the run before, 0 for none. */
static int run_once(struct meter *meter, const struct measured *m, double *us)
{
    size_t places = m->places ? m->places : meter->count;
    cudaError_t error, stopped;
    double begun;
    int status = m->prepare ? m->prepare(m->context) : 0;

    if (status == 0)
        status = flush(meter, places);
    if (status == 0)
        status = wait_for_places(meter, places);
    if (status == 0 && !m->from_idle)
        status = gate_shut(&meter->gate, meter->places, places);
    if (status == 0 && m->by_ranks)
        m->launch(m->context); /* the devices of all ranks begin together behind it */
    begun = now_us();
    if (status == 0)
        status = record_starts(meter, places);
    if (status != 0)
        return status;
    m->launch(m->context);
    stopped = record_stops(meter, places);
    gate_open(&meter->gate);
    error = cudaGetLastError();
    if (error != cudaSuccess)
        return failed(m, "kernel launch", error);
    sleep_through(*us, begun);
    error = stopped == cudaSuccess ? wait_for_stops(meter, places) : stopped;
    if (error == cudaSuccess)
        error = cudaGetLastError();
    if (error != cudaSuccess)
        return failed(m, "kernel", error);
    status = elapsed(meter, places, us);
    if (status == 0 && m->by_ranks)
        *us = ranks_largest(*us);
    return status;
}

/* Run until the device is warm: so often, or until that has taken long enough. */
static int warm_up(struct meter *meter, const struct measured *m)
{
    double all = 0, once = 0;
    int status = 0;

    for (int run = 0; run < m->warmup && status == 0; run++) {
        if (m->enough_us > 0 && run > 0 && all >= m->enough_us / FEWEST_RUNS)
            break;
        if (m->progress)
            m->progress(m->context, run + 1, m->runs + m->warmup);
        status = run_once(meter, m, &once);
        all += once;
    }
    return status;
}

/* Whether so many runs, which took so long, are enough. */
static bool enough(const struct measured *m, int runs, double all, double begun)
{
    return (m->enough_us > 0 && runs >= m->fewest && all >= m->enough_us) ||
           (m->budget_us > 0 && runs >= FEWEST_BUDGET && now_us() - begun >= m->budget_us);
}

int measure(struct meter *meter, const struct measured *m, struct stats *us, int *runs)
{
    double all = 0, begun = now_us();
    int status = warm_up(meter, m), run = 0;

    while (status == 0 && run < m->runs && !enough(m, run, all, begun)) {
        if (m->progress)
            m->progress(m->context, m->warmup + run + 1, m->runs + m->warmup);
        meter->times[run] = run > 0 ? meter->times[run - 1] : 0;
        status = run_once(meter, m, &meter->times[run]);
        if (status == 0)
            all += meter->times[run++];
        if (status == 0 && m->verify)
            status = m->verify(m->context);
    }
    progress_clear();
    if (status == 0)
        *us = stats_of(meter->times, (size_t)run);
    if (runs)
        *runs = run;
    return status;
}

/* Bytes that are copied on the CPU device at most: its rate is the simulation's, and memory is
 * dear. */
#define MAX_SIMULATED ((size_t)1 << 26)

/* In each place two arrays of so many bytes: the first is copied to the next place's second. */
struct copy {
    const struct device_stream *places;
    size_t count, bytes;
    char *arrays[MAX_DEVICES];
};

static void launch_copy(void *context)
{
    struct copy *copy = (struct copy *)context;

    for (size_t i = 0; i < copy->count; i++) {
        if (copy->count > 1)
            device_use(copy->places[i].device);
        cudaMemcpyAsync(copy->arrays[(i + 1) % copy->count] + copy->bytes, copy->arrays[i],
                        copy->bytes, cudaMemcpyDeviceToDevice, copy->places[i].stream);
    }
}

/* The arrays; status 0 and *fits false if there is no memory for them. */
static int make_arrays(struct copy *copy, bool *fits)
{
    int status = 0;

    *fits = true;
    for (size_t i = copy->count; i-- > 0 && *fits && status == 0;) {
        status = device_use(copy->places[i].device);
        if (status != 0)
            return status;
        copy->arrays[i] = (char *)device_try_alloc(2 * copy->bytes);
        *fits = copy->arrays[i] != NULL;
        if (*fits)
            status = device_check(
                cudaMemsetAsync(copy->arrays[i], 0, 2 * copy->bytes, copy->places[i].stream));
    }
    return status;
}

int measure_copy(struct meter *meter, size_t places, double bytes, int warmup, int runs,
                 struct stats *us, double *gb_per_s)
{
    double in_array = places > 1 ? bytes : bytes / 2;
    struct copy copy = {.places = meter->places,
                        .count = places,
                        .bytes = (size_t)in_array / 256 * 256}; /* aligned */
    struct measured m = {.name = "copy",
                         .warmup = warmup,
                         .runs = runs,
                         .places = places,
                         .launch = launch_copy,
                         .context = &copy};
    bool fits = false;
    int status = 0;

    *gb_per_s = NAN;
#ifdef BACKEND_CPU
    if (copy.bytes > MAX_SIMULATED)
        copy.bytes = MAX_SIMULATED;
#endif
    if (copy.bytes > 0)
        status = make_arrays(&copy, &fits);
    if (status == 0 && fits)
        status = measure(meter, &m, us, NULL);
    if (status == 0 && fits && us->median > 0)
        *gb_per_s = (places > 1 ? 1e-3 : 2e-3) * (double)copy.bytes / us->median;
    for (size_t i = 0; i < places; i++)
        device_free(copy.arrays[i]);
    return status;
}
