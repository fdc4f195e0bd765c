/*
 * add: one thread per element
 *
 * Idea      c = a + b for arrays of n elements. A loop on the host becomes a kernel: a function that
 *           many threads run at once, each with its own index.
 * Since     plain.cu, beside this file, is the whole program; here are only its kernel's variants.
 * Expect    An addition needs 12 bytes of memory traffic, so memory sets the time. One block runs on one
 *           multiprocessor and cannot keep memory busy; many blocks can.
 * Source    CUDA guide, the first example.
 */
#include "families/elementwise/elementwise.h"

/* The threads of one block take the elements in turn. */
__global__ void add_block(element *c, const element *a, const element *b, size_t n)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = a[i] + b[i];
}

/* A thread per element. The last block may reach past the end, so each thread checks its index. */
__global__ void add_checked(element *c, const element *a, const element *b, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}

/* A grid of any size: each thread goes on by as many elements as the grid has threads. */
__global__ void add_strided(element *c, const element *a, const element *b, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        c[i] = a[i] + b[i];
}

/* Four elements per thread, by loads and stores of 16 bytes. */
__global__ void add_quads(element4 *c, const element4 *a, const element4 *b, size_t quads)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < quads) {
        element4 x = a[i], y = b[i];

        c[i] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
    }
}

static void one_block(struct work *w)
{
    add_block<<<1, w->threads>>>(w->c, w->a, w->b, w->n);
}

static void bounds_check(struct work *w)
{
    size_t blocks = (w->n + w->threads - 1) / w->threads; /* rounded up */

    if (blocks > 0) /* a grid without blocks is an error */
        add_checked<<<blocks, w->threads>>>(w->c, w->a, w->b, w->n);
}

static void grid_stride(struct work *w)
{
    add_strided<<<w->blocks, w->threads>>>(w->c, w->a, w->b, w->n);
}

static void quads(struct work *w)
{
    size_t count = w->n / 4, blocks = (count + w->threads - 1) / w->threads;

    if (blocks > 0)
        add_quads<<<blocks, w->threads>>>((element4 *)w->c, (const element4 *)w->a,
                                          (const element4 *)w->b, count);
}

static const struct variant variants[] = {
    {"one-block", "one block: its threads take the elements in turn", one_block, GRID_BY_SIZE},
    {"bounds-check", "a thread per element, as many blocks as that takes", bounds_check,
     GRID_BY_SIZE | THREAD_PER_ELEMENT},
    {"grid-stride", "a grid of any size: each thread strides over the array", grid_stride},
    {"quads", "a thread per four elements, which one load of 16 bytes reads", quads,
     GRID_BY_SIZE | THREAD_PER_ELEMENT | WHOLE_QUADS},
};

static const struct launches launches[] = {
    {COUNTED,
     {"-n 100003 -b 7 -t 64 --offset 1 -v grid-stride",
      "-n 100003 -t 100 --offset 1 -v one-block -v bounds-check"}},
    {0},
};

STEP("add", elementwise_family, variants, launches);
