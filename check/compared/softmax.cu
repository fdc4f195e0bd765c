/*
 * Softmaxes that are wrong in one place: what the comparison of whole matrices must see, on a GPU by its
 * kernel as on the CPU device by the host's loop.
 */
#include "families/softmax/softmax.h"

#define LITTLE                                                                                     \
    (sizeof(element) == sizeof(float) ? 0.001f : 0.03f) /* so much of an element is seen */

/* A thread per row: the sum without the last `short_by` elements, and no element number `skip`. */
static __global__ void rows_of(element *out, const element *in, size_t rows, size_t cols,
                               size_t short_by, size_t skip)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float max = -INFINITY, sum = 0;

    if (row >= rows)
        return;
    for (size_t i = row * cols; i < (row + 1) * cols; i++)
        max = fmaxf(max, (float)in[i]);
    for (size_t i = row * cols; i < (row + 1) * cols - short_by; i++)
        sum += expf((float)in[i] - max);
    for (size_t i = row * cols; i < (row + 1) * cols; i++)
        if (i != skip)
            out[i] = expf((float)in[i] - max) / sum;
}

/* All of the matrix as one row. */
static __global__ void all_of(element *out, const element *in, size_t n)
{
    float max = -INFINITY, sum = 0;

    for (size_t i = 0; i < n; i++)
        max = fmaxf(max, (float)in[i]);
    for (size_t i = 0; i < n; i++)
        sum += expf((float)in[i] - max);
    for (size_t i = 0; i < n; i++)
        out[i] = expf((float)in[i] - max) / sum;
}

static __global__ void set(element *out, size_t i, float value)
{
    out[i] = value;
}

static __global__ void scale(element *out, size_t i, float by)
{
    out[i] = (float)out[i] * by;
}

static void most(struct work *w, size_t short_by, size_t skip)
{
    unsigned blocks = (unsigned)((w->rows + 63) / 64);

    rows_of<<<blocks, 64>>>(w->out, w->in, w->rows, w->cols, short_by, skip);
}

static void right(struct work *w)
{
    most(w, 0, SIZE_MAX);
}

static void without_last(struct work *w)
{
    most(w, 1, SIZE_MAX);
}

static void as_one(struct work *w)
{
    all_of<<<1, 1>>>(w->out, w->in, w->rows * w->cols);
}

static void first(struct work *w)
{
    right(w);
    scale<<<1, 1>>>(w->out, 0, 1 + LITTLE);
}

static void last(struct work *w)
{
    right(w);
    scale<<<1, 1>>>(w->out, w->rows * w->cols - 1, 1 - LITTLE);
}

static void missing(struct work *w)
{
    most(w, 0, 7 * w->cols + 11);
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->out, w->rows * w->cols + 1, 0);
}

/* What it found in its first run. */
static void kept(struct work *w)
{
    static element *own;
    size_t bytes = w->rows * w->cols * sizeof(*own);

    if (!own) {
        cudaMalloc(&own, bytes);
        right(w);
        cudaMemcpy(own, w->out, bytes, cudaMemcpyDeviceToDevice);
    }
    cudaMemcpyAsync(w->out, own, bytes, cudaMemcpyDeviceToDevice, 0);
}

static void damaged(struct work *w)
{
    set<<<1, 1>>>((element *)w->in, 12, 0);
    right(w);
}

static const struct variant variants[] = {
    {"right", "", right, 0, softmax_depth_row},
    {"without-last", " elements, first out[0][0]", without_last, 0, softmax_depth_row},
    {"without-last-f32", "25000 elements, first out[0][0]", without_last, 0, softmax_depth_row,
     .type = &type_f32},
    {"as-one", "25000 elements, first out[0][0]", as_one, 0, softmax_depth_row},
    {"first", "1 elements, first out[0][0]", first, 0, softmax_depth_row},
    {"last", "1 elements, first out[249][99]", last, 0, softmax_depth_row},
    {"missing", "1 elements, first out[7][11]", missing, 0, softmax_depth_row},
    {"behind", "1 elements behind the output", behind, 0, softmax_depth_row},
    {"kept", "wrong in 1 of 3 runs", kept, 0, softmax_depth_row},
    {"kept-f32", "wrong in 1 of 3 runs; 25000 elements, first out[0][0]", kept, 0,
     softmax_depth_row, .type = &type_f32},
    {"damaged", "the input was written to", damaged, 0, softmax_depth_row},
};

static const struct launches launches[] = {
    {TESTED, {"-n 25000 --cols 100"}},
    {0},
};

STEP("compared-softmax", softmax_family, variants, launches);
