/*
 * The comparison on the CPU device: a loop of the host over what comes back from the device.
 */
#include "harness/kit/prefix.h"

static void compare_spans(struct worst *own, const void *context, size_t begin, size_t end)
{
    const struct prefix *c = context;
    const unsigned char *flags = c->flags ? c->flags->host : NULL;

    if (c->spans.f32)
        prefix_span_f32(own, c, c->x->host, false, flags, c->y->host,
                        c->spans.f32[begin / SUM_SPAN], begin, end);
    else
        prefix_span_i32(own, c, c->x->host, false, flags, c->y->host,
                        c->spans.i32[begin / SUM_SPAN], begin, end);
}

int prefix_open(struct prefix *c)
{
    return c->y->host ? 0 : buffer_reserve_host(c->y, c->y->capacity);
}

void prefix_close(struct prefix *c)
{
    spans_free(&c->spans);
}

int prefix_compare(const struct prefix *c, struct worst *worst)
{
    int status = buffer_download(c->y, c->n);

    if (status == 0)
        worst_on_host(worst, c->n, compare_spans, c);
    return status;
}
