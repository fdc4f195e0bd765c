/*
 * Transposes that are wrong in one place: what the comparison of whole matrices must see, on a GPU by
 * its kernel as on the CPU device by the host's loops.
 */
#include "families/transpose/transpose.h"

static __global__ void turn(float *out, const float *in, size_t rows, size_t cols)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows * cols)
        out[i % cols * rows + i / cols] = in[i];
}

static __global__ void set(float *out, size_t i, float value)
{
    out[i] = value;
}

static __global__ void poison(float *out, size_t i)
{
    *(unsigned *)&out[i] = 0xffffffffu;
}

static void right(struct work *w)
{
    unsigned blocks = (unsigned)((w->rows * w->cols + w->threads - 1) / w->threads);

    turn<<<blocks, w->threads>>>(w->out, w->in, w->rows, w->cols);
}

static void copy(struct work *w)
{
    cudaMemcpyAsync(w->out, w->in, w->rows * w->cols * sizeof(float), cudaMemcpyDeviceToDevice, 0);
}

static void first(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->out, 0, 3);
}

static void last(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->out, w->rows * w->cols - 1, 3);
}

static void missing(struct work *w)
{
    right(w);
    poison<<<1, 1>>>(w->out, 7 * w->rows + 11);
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->out, w->rows * w->cols + 1, 0);
}

/* What it found in its first run. */
static void kept(struct work *w)
{
    static float *own;
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
    right(w);
    set<<<1, 1>>>((float *)w->in, 12, 0);
}

static const struct variant variants[] = {
    {"right", "", right, 0},
    {"not-turned", "is another element's", copy, 0},
    {"copy", "", copy, CEILING},
    {"turned-copy", "out[0][1] is another element's", right, CEILING},
    {"first", "out[0][0] is another element's", first, 0},
    {"last", "out[256][999] is another element's", last, 0},
    {"missing", "out[7][11] not written", missing, 0},
    {"behind", "1 elements behind the output", behind, 0},
    {"kept", "wrong in 1 of 3 runs; out[0][0]", kept, 0},
    {"damaged", "the input was written to", damaged, 0},
};

static const struct launches launches[] = {
    {TESTED, {"-n 1000x257"}},
    {0},
};

STEP("compared-transpose", transpose_family, variants, launches);
