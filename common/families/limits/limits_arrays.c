#include "families/limits/limits_arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"

const struct type type_f64 = {"f64", 8};

void *arrays_create(size_t room, size_t words, size_t outputs, size_t output_bytes,
                    const struct output *output)
{
    int poison = buffer_poison_of(NULL), status = 0;
    struct arrays *a = (struct arrays *)work_new(room);

    if (!a)
        return NULL;
    a->output = output;
    a->x = (struct buffer){.what = "the input", .bytes = sizeof(uint32_t)};
    a->y = (struct buffer){
        .what = "the output", .bytes = output_bytes, .poison = poison, .guard = BUFFER_GUARD};
    if (words > 0)
        status = buffer_reserve(&a->x, words);
    if (status == 0 && words > 0)
        status = buffer_reserve_host(&a->x, words);
    if (status == 0)
        status = buffer_reserve(&a->y, outputs);
    if (status == 0)
        status = buffer_reserve_host(&a->y, outputs);
    if (status != 0) {
        arrays_destroy(&a->work);
        return NULL;
    }
    return a;
}

void arrays_destroy(struct work *work)
{
    struct arrays *a = (struct arrays *)work;

    buffer_free(&a->x);
    buffer_free(&a->y);
    free(a);
}

void arrays_set(struct arrays *a, const struct shape *shape)
{
    a->shape = *shape;
    a->work.x = (unsigned *)a->x.device;
    a->work.y = a->y.device;
    a->work.n = shape->n;
    a->work.blocks = shape->blocks;
    a->work.threads = shape->threads;
}

int arrays_poison(struct arrays *a, size_t outputs)
{
    a->turn++;
    return buffer_poison(&a->y, outputs);
}

static size_t outputs_of(const struct arrays *a, const struct variant *variant)
{
    return a->output->count ? a->output->count(a, variant) : arrays_threads(&a->shape);
}

int arrays_prepare(struct work *work, const struct variant *variant)
{
    struct arrays *a = (struct arrays *)work;
    size_t outputs = outputs_of(a, variant);
    int status = arrays_poison(a, outputs);

    return status == 0 && a->output->added_to
               ? device_check(cudaMemsetAsync(a->y.device, 0, outputs * a->y.bytes, 0))
               : status;
}

int arrays_verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct arrays *a = (struct arrays *)work;
    size_t outputs = outputs_of(a, variant), wrong = 0, first = 0;
    int status = buffer_download(&a->y, outputs);

    if (status != 0)
        return status;
    for (size_t i = 0; i < outputs; i++) {
        const char *y = (const char *)a->y.host + i * a->y.bytes;

        if (!a->output->right(a, variant, i, y) && wrong++ == 0)
            first = i;
    }
    return arrays_verdict(a, variant, outputs, wrong, first, result);
}

int arrays_verdict(struct arrays *a, const struct variant *variant, size_t outputs, size_t wrong,
                   size_t first, struct result *result)
{
    char where[64];

    *result = (struct result){.error = (double)wrong, .bound = 0};
    if (first == NO_ELEMENT)
        snprintf(where, sizeof(where), "the outputs together");
    else
        snprintf(where, sizeof(where), "%zu of %zu outputs, first y[%zu]", wrong, outputs, first);
    return buffer_verdict(&a->y, variant, outputs, (struct wrong){wrong, first, where}, result);
}

size_t arrays_threads(const struct shape *s)
{
    return (size_t)s->blocks * (size_t)s->threads;
}

void arrays_resident_shape(struct shape *s, size_t axis)
{
    const struct device *device = device_in_use();

    if (s->threads == 0)
        s->threads = 256;
    if (s->blocks == 0)
        s->blocks = (int)s->axis[axis] * (device ? device->multiprocessors : 1);
}

/* One after the other a chain waits for each of its steps; side by side the processor does eight at
 * once, where it has the instruction. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
__attribute__((target_clones("fma", "default")))
#endif
void chains_f32(float x[CHAINS_TOGETHER], float term, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < CHAINS_TOGETHER; k++)
            x[k] = fmaf(x[k], FACTOR_f32, term);
}

double chain_f64(double x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x = fma(x, FACTOR_f64, TERM_f64);
    return x;
}

int32_t chain_i32(int32_t x, size_t n)
{
    uint32_t bits = (uint32_t)x;

    for (size_t i = 0; i < n; i++)
        bits = bits * FACTOR_i32 + TERM_i32;
    return (int32_t)bits;
}
