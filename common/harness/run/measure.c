#include "harness/run/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"
#include "harness/run/gate.h"

int meter_open(struct meter *meter, int most_runs, bool cold)
{
    const struct device *device = device_get();
    cudaEvent_t event = NULL;
    int status;

    memset(meter, 0, sizeof(*meter));
    if (!device)
        return BAD_DEVICE;
    meter->times = (double *)malloc((size_t)most_runs * sizeof(*meter->times));
    if (!meter->times)
        return complain(BAD_DEVICE, "no memory for the times of %d runs", most_runs);
    status = device_check(cudaEventCreate(&event));
    meter->start = event;
    event = NULL;
    if (status == 0)
        status = device_check(cudaEventCreate(&event));
    meter->stop = event;
    if (status == 0 && cold) {
        /* Twice the cache, so that whatever it replaces first, nothing old stays. */
        meter->flush_bytes = 2 * (device->l2_bytes ? device->l2_bytes : (size_t)64 << 20);
        status = device_alloc(&meter->flush, meter->flush_bytes, "flushing the cache");
    }
    return status;
}

void meter_close(struct meter *meter)
{
    if (meter->start)
        cudaEventDestroy((cudaEvent_t)meter->start);
    if (meter->stop)
        cudaEventDestroy((cudaEvent_t)meter->stop);
    device_free(meter->flush);
    free(meter->times);
    memset(meter, 0, sizeof(*meter));
}

static int failed(const struct measured *m, const char *what, cudaError_t error)
{
    return complain_of(m->name, BAD_DEVICE, "%s failed: %s (%s)", what, cudaGetErrorString(error),
                       cudaGetErrorName(error));
}

/* One run; its time in microseconds. */
static int run_once(struct meter *meter, const struct measured *m, double *us)
{
    float milliseconds = 0;
    cudaError_t error, stopped;
    int status = m->prepare ? m->prepare(m->context) : 0;

    if (status == 0 && meter->flush)
        status = device_check(cudaMemsetAsync(meter->flush, 0, meter->flush_bytes, 0));
    if (status == 0 && !m->from_idle)
        status = gate_shut();
    if (status == 0)
        status = device_check(cudaEventRecord((cudaEvent_t)meter->start, 0));
    if (status != 0)
        return status;
    m->launch(m->context);
    stopped = cudaEventRecord((cudaEvent_t)meter->stop, 0);
    gate_open();
    error = cudaGetLastError();
    if (error != cudaSuccess)
        return failed(m, "kernel launch", error);
    error = stopped == cudaSuccess ? cudaEventSynchronize((cudaEvent_t)meter->stop) : stopped;
    if (error == cudaSuccess)
        error = cudaGetLastError();
    if (error != cudaSuccess)
        return failed(m, "kernel", error);
    status = device_check(
        cudaEventElapsedTime(&milliseconds, (cudaEvent_t)meter->start, (cudaEvent_t)meter->stop));
    *us = 1e3 * (double)milliseconds;
    return status;
}

int measure(struct meter *meter, const struct measured *m, struct stats *us)
{
    int status = 0;

    for (int run = -m->warmup; run < m->runs && status == 0; run++) {
        double once = 0;

        if (m->progress)
            m->progress(m->context, run + m->warmup + 1, m->runs + m->warmup);
        status = run_once(meter, m, &once);
        if (status == 0 && run >= 0) {
            meter->times[run] = once;
            status = m->verify ? m->verify(m->context) : 0;
        }
    }
    progress_clear();
    if (status == 0)
        *us = stats_of(meter->times, (size_t)m->runs);
    return status;
}

/* Bytes that are copied on the CPU device at most: its rate is the simulation's, and memory is dear. */
#define MOST_SIMULATED ((size_t)1 << 26)

struct copy {
    char *buffer;
    size_t half;
};

static void launch_copy(void *context)
{
    struct copy *copy = (struct copy *)context;

    cudaMemcpyAsync(copy->buffer + copy->half, copy->buffer, copy->half, cudaMemcpyDeviceToDevice,
                    0);
}

int measure_copy(struct meter *meter, double bytes, int warmup, int runs, struct stats *us,
                 double *gb_per_s)
{
    struct copy copy = {.half = (size_t)(bytes / 2) / 256 * 256}; /* both halves aligned */
    struct measured m = {
        .name = "copy", .warmup = warmup, .runs = runs, .launch = launch_copy, .context = &copy};
    int status;

    *gb_per_s = NAN;
#ifdef BACKEND_CPU
    if (copy.half > MOST_SIMULATED)
        copy.half = MOST_SIMULATED;
#endif
    if (copy.half == 0 || !(copy.buffer = (char *)device_try_alloc(2 * copy.half)))
        return 0;
    status = device_check(cudaMemset(copy.buffer, 0, 2 * copy.half));
    if (status == 0)
        status = measure(meter, &m, us);
    if (status == 0 && us->median > 0)
        *gb_per_s = 2e-3 * (double)copy.half / us->median;
    device_free(copy.buffer);
    return status;
}
