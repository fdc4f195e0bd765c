/*
 * The transpose family's side of the harness: its matrices and the comparison, bit by bit.
 */
#include "transpose.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "device.h"
#include "message.h"
#include "options.h"
#include "parallel.h"

#define ELEMENT_BYTES 4
#define GUARD 64 /* elements behind the output that no kernel may write */

/* No element of the input has all bits set; see word_at. */
#define POISON 0xff
#define POISON_WORD UINT32_MAX

/* The host walks matrices in squares of so many elements a side, so that rows of one and columns of
 * the other both stay in its cache. */
#define SQUARE 64

struct transpose {
    struct work work; /* first: the launch functions get this part */
    char *device;     /* the input from its aligned start */
    uint32_t *host_in, *host_out;
    size_t capacity;  /* elements of each matrix */
};

/* The bits of a float, another one for each index below 2^31, so that a wrong index cannot hide: odd
 * multiples are all different modulo 2^30, and bit 30 of the index is the sign. All are normal
 * numbers, which a library that multiplies by one on the way leaves as they are. */
static uint32_t word_at(size_t i)
{
    uint32_t sign = (uint32_t)(i >> 30 & 1) << 31;

    return sign | (0x00800000u + ((uint32_t)i * 0x9e3779b1u & 0x3fffffffu));
}

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    uint32_t *x = context;

    (void)chunk;
    for (size_t i = begin; i < end; i++)
        x[i] = word_at(i);
}

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    if (!(v->rules & THREADS_256) || s->threads == 256)
        return false;
    snprintf(why, room, "threads must be 256; got %d", s->threads);
    return true;
}

static void destroy(struct work *work)
{
    struct transpose *t = (struct transpose *)work;

    device_free(t->device);
    device_free(work->out);
    cudaFreeHost(t->host_in);
    cudaFreeHost(t->host_out);
    free(t);
}

/* Page-locked, so that each run's output comes back at the bus's full rate. */
static int host_alloc(uint32_t **x, size_t elements, const char *what)
{
    void *pointer = NULL;

    if (cudaMallocHost(&pointer, elements * ELEMENT_BYTES) != cudaSuccess) {
        cudaGetLastError();
        return complain(BAD_DEVICE, "no %.1f MiB of memory left for %s on the host; use a smaller "
                                    "--size", (double)elements * ELEMENT_BYTES / 1048576, what);
    }
    *x = pointer;
    return 0;
}

static int fill(struct transpose *t, const struct options *o)
{
    size_t offset = (size_t)o->offset * ELEMENT_BYTES, n = t->capacity;
    int status = device_alloc((void **)&t->device, n * ELEMENT_BYTES + offset, "the input");

    if (status == 0)
        status = device_alloc((void **)&t->work.out, (n + GUARD) * ELEMENT_BYTES, "the output");
    if (status == 0)
        status = host_alloc(&t->host_in, n + 1, "the input");
    if (status == 0)
        status = host_alloc(&t->host_out, n + GUARD, "the output");
    if (status != 0)
        return status;
    t->work.in = (const float *)(t->device + offset);
    t->work.host_in = (const float *)t->host_in;
    t->work.host_out = (float *)t->host_out;
    parallel_for(n, fill_chunk, t->host_in);
    return n == 0 ? 0
                  : device_check(cudaMemcpy(t->device + offset, t->host_in, n * ELEMENT_BYTES,
                                            cudaMemcpyHostToDevice));
}

static struct work *create(const struct options *o, const struct shape *largest)
{
    struct transpose *t = calloc(1, sizeof(*t));

    if (!t) {
        complain(BAD_DEVICE, "no memory left on the host");
        return NULL;
    }
    t->capacity = largest->n;
    if (fill(t, o) != 0) {
        destroy(&t->work);
        return NULL;
    }
    return &t->work;
}

static int set(struct work *work, const struct shape *shape)
{
    work->rows = shape->rows;
    work->cols = shape->cols;
    work->threads = shape->threads;
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    size_t bytes = (work->rows * work->cols + GUARD) * ELEMENT_BYTES;

    if (variant->rules & ON_HOST) {
        memset(work->host_out, POISON, bytes);
        return 0;
    }
    return device_check(cudaMemsetAsync(work->out, POISON, bytes, 0));
}

/* A comparison by several threads. */
struct comparison {
    const uint32_t *out;
    size_t rows, cols;    /* of the output */
    bool copy;            /* the output should be the input, not its transpose */
    size_t squares_across;
    atomic_size_t wrong;  /* elements */
    atomic_size_t first;  /* the least index of one; SIZE_MAX: none */
};

static uint32_t wanted(const struct comparison *c, size_t row, size_t col)
{
    return word_at(c->copy ? row * c->cols + col : col * c->rows + row);
}

static void note_wrong(struct comparison *c, size_t index)
{
    size_t first = atomic_load(&c->first);

    atomic_fetch_add(&c->wrong, 1);
    while (index < first && !atomic_compare_exchange_weak(&c->first, &first, index))
        ;
}

static void compare_square(struct comparison *c, size_t square)
{
    size_t row = square / c->squares_across * SQUARE, col = square % c->squares_across * SQUARE;
    size_t last_row = row + SQUARE < c->rows ? row + SQUARE : c->rows;
    size_t last_col = col + SQUARE < c->cols ? col + SQUARE : c->cols;

    for (; row < last_row; row++) {
        for (size_t k = col; k < last_col; k++) {
            if (c->out[row * c->cols + k] != wanted(c, row, k))
                note_wrong(c, row * c->cols + k);
        }
    }
}

/* The loop counts the elements of whole squares; a chunk holds a whole number of them. */
static void compare_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    _Static_assert(PARALLEL_CHUNK % (SQUARE * SQUARE) == 0, "chunks of whole squares");
    (void)chunk;
    for (size_t i = begin / (SQUARE * SQUARE); i < end / (SQUARE * SQUARE); i++)
        compare_square(context, i);
}

static size_t squares(size_t side)
{
    return side / SQUARE + (side % SQUARE != 0);
}

static size_t overwritten(const uint32_t *guard)
{
    size_t count = 0;

    for (size_t i = 0; i < GUARD; i++)
        count += guard[i] != POISON_WORD;
    return count;
}

static void explain(struct result *result, const struct comparison *c, size_t behind)
{
    size_t first = atomic_load(&c->first), row, col;
    uint32_t found;

    if (first == SIZE_MAX) {
        if (behind)
            snprintf(result->note, sizeof(result->note), "%zu elements behind the output", behind);
        return;
    }
    row = first / c->cols;
    col = first % c->cols;
    found = c->out[first];
    snprintf(result->note, sizeof(result->note), "out[%zu][%zu] %s", row, col,
             found == POISON_WORD ? "not written" : "is another element's");
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct transpose *t = (struct transpose *)work;
    bool copy = variant->rules & COPIES;
    struct comparison c = {.out = t->host_out,
                           .rows = copy ? work->rows : work->cols,
                           .cols = copy ? work->cols : work->rows,
                           .copy = copy};
    size_t n = work->rows * work->cols, behind;

    atomic_init(&c.wrong, 0);
    atomic_init(&c.first, SIZE_MAX);
    if (!(variant->rules & ON_HOST)) {
        int status = device_check(cudaMemcpy(t->host_out, work->out, (n + GUARD) * ELEMENT_BYTES,
                                             cudaMemcpyDeviceToHost));

        if (status != 0)
            return status;
    }
    c.squares_across = squares(c.cols);
    parallel_for(c.squares_across * squares(c.rows) * SQUARE * SQUARE, compare_chunk, &c);
    behind = overwritten(t->host_out + n);
    *result = (struct result){.verified = atomic_load(&c.wrong) == 0 && behind == 0,
                              .error = (double)(atomic_load(&c.wrong) + behind),
                              .bound = 0};
    explain(result, &c, behind);
    return 0;
}

static double bytes(const struct shape *s)
{
    return 2.0 * ELEMENT_BYTES * (double)s->n;
}

static const struct family family = {
    .name = "transpose",
    .matrix = true,
    .options = OPTION_OFFSET,
    .default_shape = default_shape,
    .refuse = refuse,
    .create = create,
    .destroy = destroy,
    .set = set,
    .prepare = prepare,
    .verify = verify,
    .bytes = bytes,
};

int transpose_main(int argc, char **argv, const char *step, const struct variant *variants,
                   size_t count)
{
    return harness_main(argc, argv, step, &family, variants, count, TYPE_F32);
}
