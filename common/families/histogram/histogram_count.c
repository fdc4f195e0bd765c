#include "families/histogram/histogram_count.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/message.h"
#include "harness/kit/parallel.h"

struct counting {
    uint64_t *counts;
    const void *x;
    const struct type *type;
    const struct range *range;
    size_t bins;
    pthread_mutex_t lock;
    bool failed;
};

static size_t bin_of_f32(const struct counting *c, float x)
{
    float low = c->range->f32[0], high = c->range->f32[1];
    float scale = (float)c->bins / (high - low), distance, at;

    if (isnan(x) || x < low || x >= high)
        return c->bins;
    distance = x - low;
    at = distance * scale;
    return at >= (float)c->bins ? c->bins - 1 : (size_t)at;
}

static size_t bin_of_int(const struct counting *c, int64_t x)
{
    int64_t low = c->range->ints[0], high = c->range->ints[1];

    if (x < low || x >= high)
        return c->bins;
    return (uint64_t)(x - low) * c->bins /
           (uint64_t)(high - low); /* below 2^48 before it divides */
}

static size_t bin_at(const struct counting *c, size_t i)
{
    if (c->type == &type_f32)
        return bin_of_f32(c, ((const float *)c->x)[i]);
    if (c->type == &type_i32)
        return bin_of_int(c, ((const int32_t *)c->x)[i]);
    if (c->type == &type_u8)
        return bin_of_int(c, ((const uint8_t *)c->x)[i]);
    return ((const uint32_t *)c->x)[i] % c->bins;
}

static void count_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct counting *c = (struct counting *)context;
    uint32_t *own = (uint32_t *)calloc(c->bins + 1, sizeof(*own));

    (void)chunk;
    for (size_t i = begin; own && i < end; i++)
        own[bin_at(c, i)]++;
    pthread_mutex_lock(&c->lock);
    c->failed |= !own;
    for (size_t b = 0; own && b <= c->bins; b++)
        c->counts[b] += own[b];
    pthread_mutex_unlock(&c->lock);
    free(own);
}

int count_on_host(uint64_t *counts, const void *x, size_t n, const struct type *type,
                  const struct range *range, size_t bins)
{
    struct counting c = {counts, x, type, range, bins, PTHREAD_MUTEX_INITIALIZER, false};

    memset(counts, 0, (bins + 1) * sizeof(*counts));
    parallel_for(n, count_chunk, &c);
    pthread_mutex_destroy(&c.lock);
    return c.failed ? complain(BAD_DEVICE, "no memory left on the host for the reference") : 0;
}
