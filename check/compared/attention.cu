/*
 * Attentions that are wrong in one place: what the comparison of whole outputs must see, on a GPU by its kernel
 * as on the CPU device by the host's loop.
 */
#include "families/attention/attention.h"

#ifndef FAMILY /* see hattention.cu */
#define FAMILY attention_family
#define LITTLE 1e-4f /* so much of an element is seen */
#define OTHER_HEAD "320 elements, first out[0][0][0]"
#define KEPT "wrong in 1 of 3 runs; 960 elements, first out[0][0][0]"
#endif

/* A thread per query, which sees the keys of its head but the last `short_by`, and those that `behind` lie behind its
 * own place. No query number `skip`. */
static __global__ void queries_of(struct work w, size_t short_by, size_t behind, size_t skip)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x, first = row / w.length * w.length;
    size_t keys = (w.causal ? row - first + 1 + behind : w.length) - short_by;

    if (row >= w.heads * w.length || row == skip)
        return;
    for (int d = 0; d < w.dim; d++) {
        float sum = 0, mean = 0;

        for (size_t key = first; key < first + keys && key < first + w.length; key++) {
            float score = 0;

            for (int i = 0; i < w.dim; i++)
                score += (float)w.q[row * w.dim + i] * (float)w.k[key * w.dim + i];
            score = expf(score * w.scale);
            sum += score;
            mean += score * (float)w.v[key * w.dim + d];
        }
        w.out[row * w.dim + d] = mean / sum;
    }
}

static __global__ void set(void *array, size_t i, unsigned bits)
{
    ((unsigned *)array)[i] = bits;
}

static __global__ void scale(float *out, size_t i, float by)
{
    out[i] *= by;
}

static void most(struct work *w, size_t short_by, size_t behind, size_t skip)
{
    queries_of<<<(unsigned)((w->heads * w->length + 63) / 64), 64>>>(*w, short_by, behind, skip);
}

static void right(struct work *w)
{
    most(w, 0, 0, SIZE_MAX);
}

static void without_last(struct work *w)
{
    most(w, 1, 0, SIZE_MAX);
}

static void one_ahead(struct work *w)
{
    most(w, 0, 1, SIZE_MAX);
}

static void unscaled(struct work *w)
{
    struct work other = *w;

    other.scale = 1;
    right(&other);
}

static void all_seen(struct work *w)
{
    struct work other = *w;

    other.causal = false;
    right(&other);
}

static void other_head(struct work *w)
{
    struct work other = *w;

    other.k = w->k + w->length * w->dim;
    other.v = w->v + w->length * w->dim;
    other.heads = 1;
    right(w);
    right(&other);
}

static void first(struct work *w)
{
    right(w);
    scale<<<1, 1>>>(w->out, 0, 1 + LITTLE);
}

static void last(struct work *w)
{
    right(w);
    scale<<<1, 1>>>(w->out, w->heads * w->length * w->dim - 1, 1 - LITTLE);
}

static void missing(struct work *w)
{
    most(w, 0, 0, w->length + 11);
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->out, w->heads * w->length * w->dim + 1, 0);
}

/* What it found in its first run. */
static void kept(struct work *w)
{
    static float *own;
    size_t bytes = w->heads * w->length * w->dim * sizeof(*own);

    if (!own) {
        cudaMalloc(&own, bytes);
        right(w);
        cudaMemcpy(own, w->out, bytes, cudaMemcpyDeviceToDevice);
    }
    cudaMemcpyAsync(w->out, own, bytes, cudaMemcpyDeviceToDevice, 0);
}

static void damaged_keys(struct work *w)
{
    right(w);
    set<<<1, 1>>>((void *)w->k, 12, 0);
}

static void damaged_values(struct work *w)
{
    right(w);
    set<<<1, 1>>>((void *)w->v, 12, 0);
}

#ifdef OF_TYPE
/* What is written in the inputs' type: the right floats, rounded, without element number `skip`. */
static __global__ void round_all(element *to, const float *from, size_t n, size_t skip)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && i != skip)
        to[i] = (element)from[i];
}

static void round_most(struct work *w, size_t skip)
{
    size_t n = w->heads * w->length * w->dim;

    round_all<<<(unsigned)((n + 63) / 64), 64>>>((element *)w->out_of_type, w->out, n, skip);
}

static void rounded(struct work *w)
{
    right(w);
    round_most(w, SIZE_MAX);
}

static void rounded_last(struct work *w)
{
    right(w);
    scale<<<1, 1>>>(w->out, w->heads * w->length * w->dim - 1, 1 - 2 * LITTLE);
    round_most(w, SIZE_MAX);
}

static void rounded_missing(struct work *w)
{
    right(w);
    round_most(w, 11);
}

static void rounded_behind(struct work *w)
{
    rounded(w);
    set<<<1, 1>>>(w->out_of_type, (w->heads * w->length * w->dim + 1) / 2, 0);
}
#endif

static const struct variant variants[] = {
    {"right", "", right},
    {"without-last", "first out[0][0][0]", without_last},
    {"one-ahead", "first out[0][0][0]", one_ahead},
    {"unscaled", "first out[0][1][0]", unscaled},
    {"all-seen", "first out[0][0][0]", all_seen},
    {"other-head", OTHER_HEAD, other_head},
    {"first", "1 elements, first out[0][0][0]", first},
    {"last", "1 elements, first out[2][39][7]", last},
    {"missing", "8 elements, first out[1][11][0]", missing},
    {"behind", "1 elements behind the output", behind},
    {"kept", KEPT, kept},
    {"damaged-keys", "the input was written to", damaged_keys},
    {"damaged-values", "the input was written to", damaged_values},
#ifdef OF_TYPE
    {"rounded", "", rounded, OUT_OF_TYPE},
    {"rounded-last", "1 elements, first out[2][39][7]", rounded_last, OUT_OF_TYPE},
    {"rounded-missing", "1 elements, first out[0][1][3]", rounded_missing, OUT_OF_TYPE},
    {"rounded-behind", "2 elements behind the output", rounded_behind, OUT_OF_TYPE},
    {"not-rounded", "960 elements, first out[0][0][0]", right, OUT_OF_TYPE},
#endif
};

static const struct launches launches[] = {
    {TESTED, {"-n 120 --length 40 --dim 8 --causal 1"}},
    {0},
};

STEP("compared-attention", FAMILY, variants, launches);
