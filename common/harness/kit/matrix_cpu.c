/*
 * The matrices on the CPU device: the host fills and compares them.
 */
#include "harness/kit/matrix.h"

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"

int matrix_fill(struct buffer *in, size_t n)
{
    matrix_fill_host((uint32_t *)in->host, n);
    return buffer_upload(in);
}

int matrix_compare(struct buffer *out, const struct matrix *m, struct difference *d)
{
    /* After the kernel, and as it lies: the device's memory is the host's, and a copy is large. */
    int status = device_check(cudaDeviceSynchronize());

    if (status == 0)
        matrix_compare_host((const uint32_t *)out->device, m, d);
    return status;
}
