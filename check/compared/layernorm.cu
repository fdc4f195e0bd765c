/*
 * Layer normalizations that are wrong in one place: what the comparison of whole matrices must see, on a GPU by
 * its kernel as on the CPU device by the host's loop.
 */
#include "families/layernorm/layernorm.h"

#define LITTLE                                                                                     \
    (sizeof(element) == sizeof(float) ? 0.001f : 0.03f) /* so much of an element is seen */

/* A thread per row: the mean without the last `short_by` elements, and no element number `skip`. `off` elements before
 * a column's own are its weight and bias. */
static __global__ void rows_of(struct work w, size_t short_by, size_t skip, size_t off,
                               float epsilon)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const element *x = w.in + row * w.cols;
    float mean = 0, squares = 0;

    if (row >= w.rows)
        return;
    for (size_t i = 0; i < w.cols - short_by; i++)
        mean += (float)x[i];
    mean /= w.cols;
    for (size_t i = 0; i < w.cols; i++)
        squares += ((float)x[i] - mean) * ((float)x[i] - mean);
    for (size_t i = 0; i < w.cols; i++)
        if (row * w.cols + i != skip)
            w.out[row * w.cols + i] = ((float)x[i] - mean) / sqrtf(squares / w.cols + epsilon) *
                                          (float)w.weight[(i + off) % w.cols] +
                                      (float)w.bias[(i + off) % w.cols];
}

/* The variance as the mean of squares less the square of the mean. */
static __global__ void by_squares(struct work w)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const element *x = w.in + row * w.cols;
    float mean = 0, squares = 0;

    if (row >= w.rows)
        return;
    for (size_t i = 0; i < w.cols; i++) {
        float far = (float)x[i] + 1000;

        mean += far;
        squares += far * far;
    }
    mean /= w.cols;
    for (size_t i = 0; i < w.cols; i++)
        w.out[row * w.cols + i] = ((float)x[i] + 1000 - mean) /
                                      sqrtf(squares / w.cols - mean * mean + LAYERNORM_EPSILON) *
                                      (float)w.weight[i] +
                                  (float)w.bias[i];
}

static __global__ void set(element *out, size_t i, float value)
{
    out[i] = value;
}

static __global__ void scale(element *out, size_t i, float by)
{
    out[i] = (float)out[i] * by;
}

static void most(struct work *w, size_t short_by, size_t skip, size_t off, float epsilon)
{
    rows_of<<<(unsigned)((w->rows + 63) / 64), 64>>>(*w, short_by, skip, off, epsilon);
}

static void right(struct work *w)
{
    most(w, 0, SIZE_MAX, 0, LAYERNORM_EPSILON);
}

static void without_last(struct work *w)
{
    most(w, 1, SIZE_MAX, 0, LAYERNORM_EPSILON);
}

/* In a narrow type too large a one: the rounding of the output hides that there is none. */
static void no_epsilon(struct work *w)
{
    most(w, 0, SIZE_MAX, 0, sizeof(element) == 4 ? 0 : 0.01f);
}

static void next_column(struct work *w)
{
    most(w, 0, SIZE_MAX, 1, LAYERNORM_EPSILON);
}

static void squares(struct work *w)
{
    by_squares<<<(unsigned)((w->rows + 63) / 64), 64>>>(*w);
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
    most(w, 0, 7 * w->cols + 11, 0, LAYERNORM_EPSILON);
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

static void damaged_weights(struct work *w)
{
    set<<<1, 1>>>((element *)w->weight, 12, 0);
    right(w);
}

static const struct variant variants[] = {
    {"right", "", right},
    {"without-last", "first out[0][0]", without_last},
    {"no-epsilon", "first out[0][0]", no_epsilon},
    {"next-column", "first out[0][0]", next_column},
    {"squares", "first out[0][0]", squares},
    {"first", "1 elements, first out[0][0]", first},
    {"last", "1 elements, first out[249][99]", last},
    {"missing", "1 elements, first out[7][11]", missing},
    {"behind", "1 elements behind the output", behind},
    {"kept", "wrong in 1 of 3 runs", kept},
    {"damaged", "the input was written to", damaged},
    {"damaged-weights", "the input was written to", damaged_weights},
};

static const struct launches launches[] = {
    {TESTED, {"-n 25000 --cols 100"}},
    {0},
};

STEP("compared-layernorm", layernorm_family, variants, launches);
