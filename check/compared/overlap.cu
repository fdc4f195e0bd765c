/*
 * Results in the host's memory that are wrong in one place: what the comparison of whole arrays must see.
 */
#include "families/overlap/overlap.h"

static __global__ void advance(element *x, size_t n, unsigned rounds)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned k = 0; k < rounds && i < n; k++)
        x[i] = FACTOR * (unsigned)x[i] + SUMMAND;
}

static void most(struct work *w, size_t begin, size_t end)
{
    size_t bytes = (end - begin) * sizeof(element);

    cudaMemcpyAsync(w->x, w->pinned.in + begin, bytes, cudaMemcpyHostToDevice, 0);
    advance<<<(unsigned)((end - begin + 255) / 256), 256>>>(w->x, end - begin, w->rounds);
    cudaMemcpyAsync(w->pinned.out + begin, w->x, bytes, cudaMemcpyDeviceToHost, 0);
    cudaDeviceSynchronize();
}

static void right(struct work *w)
{
    most(w, 0, w->n);
}

static void first(struct work *w)
{
    right(w);
    w->pinned.out[0]++;
}

static void last(struct work *w)
{
    right(w);
    w->pinned.out[w->n - 1]++;
}

static void missing(struct work *w)
{
    most(w, 0, 11);
    most(w, 12, w->n);
}

static void twice(struct work *w)
{
    right(w);
    advance<<<1, 256>>>(w->x, w->n, w->rounds);
    cudaMemcpyAsync(w->pinned.out, w->x, w->n * sizeof(element), cudaMemcpyDeviceToHost, 0);
    cudaDeviceSynchronize();
}

static void pageable(struct work *w)
{
    right(w); /* into the other output */
}

static void behind(struct work *w)
{
    right(w);
    w->pinned.out[w->n + 1] = 0;
}

static void damaged(struct work *w)
{
    right(w);
    ((element *)w->pinned.in)[3] = 0;
}

static const struct variant variants[] = {
    {"right", "", right},
    {"first", "1 elements, first out[0]", first},
    {"last", "1 elements, first out[999]", last},
    {"missing", "1 elements, first out[11] not written", missing},
    {"twice", "256 elements, first out[0]", twice},
    {"pageable", "1000 elements, first out[0] not written", pageable, PAGEABLE},
    {"behind", "4 bytes behind the output", behind},
    {"damaged", "the input was written to", damaged},
};

static const struct launches launches[] = {
    {TESTED, {"-n 1000 --rounds 1"}},
    {0},
};

STEP("compared-overlap", overlap_family, variants, launches);
