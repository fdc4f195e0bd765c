/*
 * The reduce family's side of the harness: its memory, its reference, its verdict.
 */
#include "reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "device.h"
#include "message.h"
#include "number.h"
#include "options.h"
#include "verify.h"

#define ELEMENT_BYTES 4 /* both types */
#define MOST_GRID_THREADS ((size_t)1 << 30)

/* Bytes that the memory is filled with before a run, where a result is awaited. For floats that is
 * a NaN; for ints a number that no sum of ours is likely to be. */
#define POISON_F32 0xff
#define POISON_I32 0xa5

struct reduce {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    void *host;   /* the input, all of it */
    char *device; /* the same on the device, from its aligned start */
    void *backup; /* a second copy on the device, made when a variant first destroys the input */
    bool backup_tried, dirty;
    size_t capacity; /* elements of host and device */
    size_t partials;
    bool referenced; /* the reference is that of reference_n */
    size_t reference_n;
    struct reference f32;
    int32_t i32;
};

void reduce_default_shape(struct shape *s)
{
    size_t full, useful;

    if (s->threads == 0)
        s->threads = 256;
    if (s->blocks > 0)
        return;
    full = (size_t)device_full_grid(s->threads);
    useful = s->n / (size_t)s->threads + (s->n % (size_t)s->threads != 0);
    s->blocks = (int)(useful < full ? useful : full);
    if (s->blocks == 0)
        s->blocks = 1;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if ((size_t)s->blocks * (size_t)s->threads <= MOST_GRID_THREADS)
        return false;
    snprintf(why, room,
             "a grid keeps a partial sum a thread and may have 2^30 threads in all; got "
             "%d x %d",
             s->blocks, s->threads);
    return true;
}

static void destroy(struct work *work)
{
    struct reduce *r = (struct reduce *)work;

    device_free(r->device);
    device_free(r->backup);
    device_free(r->work.partial);
    device_free(r->work.sum);
    free(r->host);
    free(r);
}

/* Upload the whole input. */
static int upload(struct reduce *r)
{
    r->dirty = false;
    if (r->capacity == 0)
        return 0;
    return device_check(
        cudaMemcpy(r->work.x, r->host, r->capacity * ELEMENT_BYTES, cudaMemcpyHostToDevice));
}

static int fill(struct reduce *r, const struct options *o)
{
    size_t bytes = r->capacity * ELEMENT_BYTES;
    size_t offset = (size_t)o->offset * ELEMENT_BYTES;
    int status = device_alloc((void **)&r->device, bytes + offset, "the input");

    if (status == 0)
        status = device_alloc((void **)&r->work.partial, r->partials * ELEMENT_BYTES,
                              "the partial sums");
    if (status == 0)
        status = device_alloc((void **)&r->work.sum, ELEMENT_BYTES, "the sum");
    if (status != 0)
        return status;
    r->host = malloc(bytes ? bytes : 1);
    if (!r->host)
        return complain(BAD_DEVICE,
                        "no %.1f MiB of memory left for the input on the host; use a "
                        "smaller --size",
                        (double)bytes / 1048576);
    r->work.x = (element *)(r->device + offset);
    input_fill(r->host, r->capacity, o->type, o->input, o->seed);
    return upload(r);
}

static struct work *create(const struct options *o, const struct shape *largest)
{
    struct reduce *r = calloc(1, sizeof(*r));

    if (!r) {
        complain(BAD_DEVICE, "no memory left on the host");
        return NULL;
    }
    r->capacity = largest->n;
    r->partials = multiply_or_max((size_t)largest->blocks, (size_t)largest->threads);
    if (r->partials > MOST_GRID_THREADS) /* the two maxima need not meet in one shape */
        r->partials = MOST_GRID_THREADS;
    if (fill(r, o) != 0) {
        destroy(&r->work);
        return NULL;
    }
    return &r->work;
}

static int set(struct work *work, const struct shape *shape)
{
    struct reduce *r = (struct reduce *)work;

    r->shape = *shape;
    work->n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    if (r->referenced && r->reference_n == shape->n)
        return 0;
    if (shape->type == TYPE_F32)
        r->f32 = reference_sum_f32(r->host, shape->n);
    else
        r->i32 = reference_sum_i32(r->host, shape->n);
    r->referenced = true;
    r->reference_n = shape->n;
    return 0;
}

/* Restore the input: from the device's second copy if there is room for one, else from the host. */
static int restore(struct reduce *r)
{
    size_t bytes = r->capacity * ELEMENT_BYTES;

    if (!r->backup_tried) {
        r->backup_tried = true;
        r->backup = device_try_alloc(bytes);
        if (r->backup && r->dirty && upload(r) != 0)
            return BAD_DEVICE;
        if (r->backup)
            return device_check(cudaMemcpy(r->backup, r->work.x, bytes, cudaMemcpyDeviceToDevice));
    }
    if (!r->dirty || bytes == 0)
        return 0;
    if (!r->backup)
        return upload(r);
    r->dirty = false;
    return device_check(cudaMemcpyAsync(r->work.x, r->backup, bytes, cudaMemcpyDeviceToDevice, 0));
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct reduce *r = (struct reduce *)work;
    int poison = r->shape.type == TYPE_F32 ? POISON_F32 : POISON_I32;
    bool destroys = variant->rules & DESTROYS_INPUT;
    int status = r->dirty || destroys ? restore(r) : 0;

    r->dirty |= destroys;
    if (status == 0)
        status =
            device_check(cudaMemsetAsync(work->partial, poison, r->partials * ELEMENT_BYTES, 0));
    if (status == 0)
        status = device_check(cudaMemsetAsync(work->sum, poison, ELEMENT_BYTES, 0));
    return status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct reduce *r = (struct reduce *)work;
    union {
        float f32;
        int32_t i32;
    } sum;
    int status = device_check(cudaMemcpy(&sum, work->sum, ELEMENT_BYTES, cudaMemcpyDeviceToHost));

    if (status != 0)
        return status;
    if (r->shape.type == TYPE_F32)
        verify_sum_f32(result, sum.f32, &r->f32,
                       (variant->depth ? variant->depth : reduce_depth_two_pass)(&r->shape));
    else
        verify_i32(result, sum.i32, r->i32);
    return 0;
}

static double bytes(const struct shape *s)
{
    return ((double)s->n + 1) * ELEMENT_BYTES;
}

static const struct family family = {
    .name = "reduce",
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET,
    .default_shape = reduce_default_shape,
    .refuse = refuse,
    .create = create,
    .destroy = destroy,
    .set = set,
    .prepare = prepare,
    .verify = verify,
    .bytes = bytes,
};

int reduce_main_typed(int argc, char **argv, const char *step, const struct variant *variants,
                      size_t count, enum type compiled_type)
{
    return harness_main(argc, argv, step, &family, variants, count, compiled_type);
}
