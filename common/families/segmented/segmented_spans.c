#include <assert.h>
#include <stdlib.h>

#include "families/segmented/segmented_input.h"
#include "harness/kit/element.h"
#include "harness/kit/message.h"
#include "harness/kit/parallel.h"

struct filling {
    struct prefix *c;
    unsigned char *headed; /* for each span: it has a head */
};

/* What a span has from its last head on, or in all if it has none, in the place of the next one. */
static void sum_span(const struct filling *f, size_t span)
{
    const struct spans *s = &f->c->spans;
    const unsigned char *flags = (const unsigned char *)f->c->flags->host;
    size_t begin = span * SUM_SPAN, from = begin + SUM_SPAN;

    while (from > begin && !f->headed[span])
        f->headed[span] = flags[--from];
    if (s->f32) {
        s->f32[span + 1] = empty_sum(f->c->small);
        for (size_t i = from; i < begin + SUM_SPAN; i++)
            accumulate(&s->f32[span + 1], ((const float *)f->c->x->host)[i]);
    } else {
        for (size_t i = from; i < begin + SUM_SPAN; i++)
            s->i32[span + 1] += ((const uint32_t *)f->c->x->host)[i];
    }
}

static void sum_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    static_assert(PARALLEL_CHUNK % SUM_SPAN == 0, "chunks of whole spans");
    (void)chunk;
    for (size_t at = begin; at + SUM_SPAN <= end; at += SUM_SPAN)
        sum_span((const struct filling *)context, at / SUM_SPAN);
}

/* A span without a head goes on with what stands before it. */
static void join(const struct filling *f)
{
    const struct spans *s = &f->c->spans;

    for (size_t i = 1; i < s->count; i++) {
        if (f->headed[i - 1])
            continue;
        if (s->f32) {
            struct accumulator before = s->f32[i - 1];

            accumulate_other(&before, &s->f32[i]);
            s->f32[i] = before;
        } else {
            s->i32[i] += s->i32[i - 1];
        }
    }
}

int segmented_spans_fill(struct prefix *c, size_t n, const struct type *type)
{
    struct filling f = {.c = c};
    struct spans *s = &c->spans;

    *s = (struct spans){.count = n / SUM_SPAN + 1};
    f.headed = (unsigned char *)calloc(s->count, 1);
    if (type == &type_f32)
        s->f32 = (struct accumulator *)calloc(s->count, sizeof(*s->f32));
    else
        s->i32 = (uint32_t *)calloc(s->count, sizeof(*s->i32));
    if (!f.headed || (!s->f32 && !s->i32)) {
        free(f.headed);
        return complain(BAD_DEVICE, "no memory left on the host for the reference");
    }
    parallel_for(n, sum_chunk, &f);
    if (s->f32)
        s->f32[0] = empty_sum(c->small);
    join(&f);
    free(f.headed);
    return 0;
}
