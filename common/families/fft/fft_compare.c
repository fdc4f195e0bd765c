/* The comparison by loops of the host. */
#include "families/fft/fft_compare.h"

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"

struct loop {
    const struct comparison *comparison;
    const float *y;
};

/* The vectors that begin in a chunk of points. */
static void compare_span(struct worst *own, const void *context, size_t begin, size_t end)
{
    const struct comparison *c = ((const struct loop *)context)->comparison;
    const float *y = ((const struct loop *)context)->y;
    const double *reference = (const double *)c->reference->host,
                 *norms = (const double *)c->norms->host, *bounds = (const double *)c->bounds->host;

    for (size_t v = (begin + c->length - 1) / c->length; end > v * c->length; v++) {
        double sum = 0;

        for (size_t k = v * c->length; k < (v + 1) * c->length; k++)
            sum += off_by(y + 2 * k, reference + 2 * k, norms[v] == norms[v], c->opposite);
        compare_vector(own, v, sum, norms[v], bounds[v]);
    }
}

static void compare(const struct comparison *c, const float *y, struct worst *worst)
{
    struct loop loop = {c, y};

    worst_on_host(worst, c->length * c->batch, compare_span, &loop);
}

void fft_compare_on_host(const struct comparison *c, struct worst *worst)
{
    compare(c, (const float *)c->out->host, worst);
}

#ifdef BACKEND_CPU
int fft_compare_reserve(const struct comparison *c, size_t points, size_t most_vectors)
{
    (void)c;
    (void)points;
    (void)most_vectors;
    return 0; /* the host has it all */
}

int fft_compare_upload(const struct comparison *c)
{
    (void)c;
    return 0;
}

size_t fft_furthest(const struct comparison *c, size_t vector)
{
    const float *y = (const float *)c->out->device;
    const double *reference = (const double *)c->reference->host;
    double norm = ((const double *)c->norms->host)[vector], most = -1;
    size_t found = vector * c->length;

    for (size_t k = found; k < (vector + 1) * c->length && !isnan(most); k++) {
        double off = off_by(y + 2 * k, reference + 2 * k, norm == norm, c->opposite);

        if (!(off <= most)) { /* a NaN is furthest */
            most = off;
            found = k;
        }
    }
    return found;
}

int fft_compare(const struct comparison *c, struct worst *worst)
{
    /* After the kernel, and as it lies: the device's memory is the host's. */
    int status = device_check(cudaDeviceSynchronize());

    if (status == 0)
        compare(c, c->out->device, worst);
    return status;
}
#endif
