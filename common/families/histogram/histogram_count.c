#include "families/histogram/histogram_count.h"

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

static void count_f32(uint32_t *own, const struct counting *c, const float *x, size_t n)
{
    float low = c->range->f32[0], high = c->range->f32[1], bins = (float)c->bins;
    float scale = bins / (high - low);

    for (size_t i = 0; i < n; i++) {
        float distance = x[i] - low, at = distance * scale;
        bool inside = x[i] >= low && x[i] < high; /* no NaN is */

        own[!inside ? c->bins : at >= bins ? c->bins - 1 : (size_t)at]++;
    }
}

static size_t bin_of_int(const struct counting *c, int64_t x)
{
    int64_t low = c->range->ints[0], high = c->range->ints[1];

    if (x < low || x >= high)
        return c->bins;
    return (uint64_t)(x - low) * c->bins /
           (uint64_t)(high - low); /* below 2^48 before it divides */
}

static void count_i32(uint32_t *own, const struct counting *c, const int32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        own[bin_of_int(c, x[i])]++;
}

/* Each value first, then its bin: there are but 256. */
static void count_u8(uint32_t *own, const struct counting *c, const uint8_t *x, size_t n)
{
    uint32_t of_value[UINT8_MAX + 1] = {0};

    for (size_t i = 0; i < n; i++)
        of_value[x[i]]++;
    for (int value = 0; value <= UINT8_MAX; value++)
        own[bin_of_int(c, value)] += of_value[value];
}

static void count_u32(uint32_t *own, const struct counting *c, const uint32_t *x, size_t n)
{
    uint32_t bins = (uint32_t)c->bins;

    for (size_t i = 0; i < n; i++)
        own[x[i] % bins]++;
}

static void count_part(uint32_t *own, const struct counting *c, size_t begin, size_t n)
{
    if (c->type == &type_f32)
        count_f32(own, c, (const float *)c->x + begin, n);
    else if (c->type == &type_i32)
        count_i32(own, c, (const int32_t *)c->x + begin, n);
    else if (c->type == &type_u8)
        count_u8(own, c, (const uint8_t *)c->x + begin, n);
    else
        count_u32(own, c, (const uint32_t *)c->x + begin, n);
}

static void count_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct counting *c = (struct counting *)context;
    uint32_t *own = (uint32_t *)calloc(c->bins + 1, sizeof(*own));

    (void)chunk;
    if (own)
        count_part(own, c, begin, end - begin);
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
