/*
 * The comparison on the CPU device: a loop of the host over what comes back from the device.
 */
#include "families/scan/compare.h"

static void compare_spans(struct worst *own, const void *context, size_t begin, size_t end)
{
    const struct comparison *c = (const struct comparison *)context;

    if (c->spans->f32)
        compare_span_f32(own, c, (const float *)c->x->host, false, (const float *)c->y->host,
                         c->spans->f32[begin / SUM_SPAN], begin, end);
    else
        compare_span_i32(own, c, (const uint32_t *)c->x->host, false, (const uint32_t *)c->y->host,
                         c->spans->i32[begin / SUM_SPAN], begin, end);
}

int scan_compare_open(struct comparison *c)
{
    return buffer_reserve_host(c->y, c->y->capacity);
}

void scan_compare_close(struct comparison *c)
{
    (void)c;
}

int scan_compare(const struct comparison *c, struct worst *worst)
{
    int status = buffer_download(c->y, c->n);

    if (status == 0)
        worst_on_host(worst, c->n, compare_spans, c);
    return status;
}
