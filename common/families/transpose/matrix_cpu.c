/*
 * The matrices on the CPU device: the host fills and compares them.
 */
#include "families/transpose/matrix.h"

int matrix_fill(struct buffer *in, size_t n)
{
    matrix_fill_host(in->host, n);
    return buffer_upload(in);
}

int matrix_compare(struct buffer *out, const struct matrix *m, struct difference *d)
{
    int status = buffer_download(out, m->rows * m->cols);

    if (status == 0)
        matrix_compare_host(out->host, m, d);
    return status;
}
