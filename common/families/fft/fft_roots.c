#define _GNU_SOURCE /* M_PIl */
#include "families/fft/fft_roots.h"

#include <math.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/fft/fft.h"
#include "harness/kit/buffer.h" /* work_new */
#include "harness/kit/device.h"
#include "harness/kit/message.h"

/* By octants, so that the angle is at most pi / 4 and what should be equal is. */
struct root fft_root(size_t k, size_t n)
{
    size_t eighths = k % n * 8, octant = eighths / n,
           rest = eighths % n; /* 8 k = octant n + rest */
    long double angle = (long double)(octant % 2 ? n - rest : rest) * (M_PIl / 4) / (long double)n;
    long double c = cosl(angle), s = sinl(angle);
    long double x = (octant + 1) / 2 % 2 ? s : c, y = (octant + 1) / 2 % 2 ? c : s;

    return (struct root){octant >= 2 && octant < 6 ? -x : x, octant < 4 ? -y : y};
}

static struct table {
    struct table *next;
    size_t rows, cols, n;
    void *device;
} * tables;

static int make(struct table *t)
{
    size_t count = t->rows * t->cols;
    float *host = (float *)malloc(count * 2 * sizeof(*host));
    int status = host ? device_alloc(&t->device, count * 2 * sizeof(*host), "the roots of unity")
                      : complain(BAD_DEVICE, "no memory left on the host for the roots of unity");

    for (size_t i = 0; i < count && status == 0; i++) {
        struct root w = fft_root(i / t->cols * (i % t->cols), t->n);

        host[2 * i] = (float)w.re;
        host[2 * i + 1] = (float)w.im;
    }
    if (status == 0)
        status = device_check(
            cudaMemcpy(t->device, host, count * 2 * sizeof(*host), cudaMemcpyHostToDevice));
    free(host);
    return status;
}

const element *fft_roots(size_t rows, size_t cols, size_t n)
{
    struct table *t = tables;

    while (t && (t->rows != rows || t->cols != cols || t->n != n))
        t = t->next;
    if (t)
        return (const element *)t->device;
    t = (struct table *)work_new(sizeof(*t));
    if (!t)
        exit(-BAD_DEVICE);
    *t = (struct table){tables, rows, cols, n, NULL};
    tables = t;
    if (make(t) != 0)
        exit(-BAD_DEVICE);
    return (const element *)t->device;
}

void fft_roots_free(void)
{
    while (tables) {
        struct table *t = tables;

        tables = t->next;
        device_free(t->device);
        free(t);
    }
}
