#include "harness/kit/device_barrier.h"

#include <math.h>

#include <cuda_runtime_api.h>

#ifdef BACKEND_CPU
#define LIMIT_SECONDS 0 /* see wait_began */
#else
#define LIMIT_SECONDS 10
#endif

int device_barrier_make(struct device_barrier *b, const struct device_stream *places, int devices)
{
    const size_t bytes = BARRIER_WORDS * sizeof(unsigned);
    double hz = places[0].device->clock_hz;
    int status = 0;

    b->devices = devices;
    b->limit = (long long)(LIMIT_SECONDS * (isnan(hz) ? 1e9 : hz));
    for (int i = devices - 1; i >= 0 && status == 0; i--) {
        status = device_use(places[i].device);
        if (status == 0)
            status = device_alloc((void **)&b->flags[i], bytes, "the flags");
        if (status == 0)
            status = device_check(cudaMemset(b->flags[i], 0, bytes));
        if (status == 0)
            status = device_check(cudaDeviceSynchronize());
    }
    return status;
}

void device_barrier_free(struct device_barrier *b)
{
    for (int i = 0; i < b->devices; i++)
        device_free(b->flags[i]);
    b->devices = 0;
}
