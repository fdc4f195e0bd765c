/*
 * Stencils that are wrong in one place: what the comparison of whole matrices must see, on a GPU by its
 * kernel as on the CPU device by the host's loop.
 */
#include "families/stencil/stencil.h"

/* An element and the neighbours that the mask names: 1 above, 2 below, 4 left, 8 right. */
static __device__ element sum_of(const element *in, size_t rows, size_t cols, size_t i, int mask)
{
    size_t row = i / cols, col = i % cols;
    element sum = in[i];

    if (mask & 1 && row > 0)
        sum += in[i - cols];
    if (mask & 2 && row + 1 < rows)
        sum += in[i + cols];
    if (mask & 4 && col > 0)
        sum += in[i - 1];
    if (mask & 8 && col + 1 < cols)
        sum += in[i + 1];
    return sum;
}

static __global__ void sums(element *out, const element *in, size_t rows, size_t cols, int mask,
                            size_t skip)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows * cols && i != skip)
        out[i] = sum_of(in, rows, cols, i, mask);
}

/* A row's end goes on in the next row, as where nobody looks at the edges. */
static __global__ void sums_around(element *out, const element *in, size_t rows, size_t cols)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, n = rows * cols;

    if (i < n)
        out[i] = in[i] + (i >= cols ? in[i - cols] : 0) + (i + cols < n ? in[i + cols] : 0) +
                 (i > 0 ? in[i - 1] : 0) + (i + 1 < n ? in[i + 1] : 0);
}

static __global__ void set(element *out, size_t i, unsigned bits)
{
    *(unsigned *)&out[i] = bits;
}

static __global__ void add(element *out, size_t i, element more)
{
    out[i] += more;
}

static void most(struct work *w, int mask, size_t skip)
{
    unsigned blocks = (unsigned)((w->rows * w->cols + 255) / 256);

    sums<<<blocks, 256>>>(w->out, w->in, w->rows, w->cols, mask, skip);
}

static void right(struct work *w)
{
    most(w, 15, SIZE_MAX);
}

static void without_above(struct work *w)
{
    most(w, 14, SIZE_MAX);
}

static void without_right(struct work *w)
{
    most(w, 7, SIZE_MAX);
}

static void around(struct work *w)
{
    unsigned blocks = (unsigned)((w->rows * w->cols + 255) / 256);

    sums_around<<<blocks, 256>>>(w->out, w->in, w->rows, w->cols);
}

static void first(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->out, 0, (element)1);
}

static void last(struct work *w)
{
    right(w);
    add<<<1, 1>>>(w->out, w->rows * w->cols - 1, (element)1);
}

static void missing(struct work *w)
{
    most(w, 15, 7 * w->cols + 11);
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
    {"right", "", right},
    {"without-above", "first out[1][0]", without_above},
    {"without-right", "first out[0][0]", without_right},
    {"around", "first out[0][256]", around},
    {"first", "1 elements, first out[0][0]", first},
    {"last", "1 elements, first out[999][256]", last},
    {"missing", "1 elements, first out[7][11] not written", missing},
    {"behind", "1 elements behind the output", behind},
    {"kept", "wrong in 1 of 3 runs; 257000 elements, first out[0][0]", kept},
    {"damaged", "the input was written to", damaged},
};

static const struct launches launches[] = {
    {TESTED, {"-n 1000x257"}},
    {0},
};

STEP("compared-stencil", stencil_family, variants, launches);
