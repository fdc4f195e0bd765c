/* Faults in what is written: nothing, not everything, only sometimes. The harness poisons the
 * memory for partial sums and for the result before every run: what is left there is seen. */
#include "families/reduce/reduce.h"

static int launches; /* so far, of the variant: a process runs one */

__global__ void sum_blocks(element *partial, const element *x, size_t n, unsigned writers)
{
    extern __shared__ element s[];
    element sum = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += x[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x < writers) {
        for (unsigned i = 1; i < blockDim.x; i++)
            sum += s[i];
        partial[blockIdx.x] = sum;
    }
}

__global__ void add(element *sum, const element *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *sum += x[i];
}

__global__ void spoil(element *sum)
{
    *sum += 1;
}

static void two_passes(struct work *w, unsigned writers)
{
    size_t shared = w->threads * sizeof(element);

    sum_blocks<<<w->blocks, w->threads, shared>>>(w->partial, w->x, w->n, writers);
    sum_blocks<<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks, 1);
}

static void right(struct work *w)
{
    two_passes(w, w->blocks);
}

static void nothing_written(struct work *w)
{
    (void)w;
}

static void some_written(struct work *w)
{
    two_passes(w, w->blocks - 1);
}

static void not_zeroed(struct work *w) /* as an atomic sum whose result was not set to zero */
{
    add<<<1, 1>>>(w->sum, w->x, w->n);
}

__global__ void exchange(element *x, size_t n)
{
    element first = x[0];

    x[0] = x[n - 1];
    x[n - 1] = first;
}

/* After two runs the input is as it was. */
static void exchanged(struct work *w)
{
    right(w);
    exchange<<<1, 1>>>((element *)w->x, w->n);
}

static void previous_run(struct work *w) /* the right result, of the first run, left in place */
{
    if (launches++ == 0)
        right(w);
}

static void previous_partials(struct work *w)
{
    size_t shared = w->threads * sizeof(element);

    if (launches++ == 0)
        right(w);
    else
        sum_blocks<<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks, 1);
}

/* A result that the step keeps for itself, as flags that nobody has set to zero. */
static void kept(struct work *w)
{
    static element *own;

    if (launches++ == 0) {
        cudaMalloc(&own, sizeof(*own));
        right(w);
        cudaMemcpy(own, w->sum, sizeof(*own), cudaMemcpyDeviceToDevice);
    }
    cudaMemcpyAsync(w->sum, own, sizeof(*own), cudaMemcpyDeviceToDevice, 0);
}

static void one_bad_run(struct work *w) /* wrong only in its fourth run */
{
    right(w);
    if (++launches == 4)
        spoil<<<1, 1>>>(w->sum);
}

static void first_run_bad(struct work *w) /* as a counter that nobody set to zero */
{
    right(w);
    if (++launches == 1)
        spoil<<<1, 1>>>(w->sum);
}

static const struct variant variants[] = {
    {"right", "everything is written, every time", right, 0},
    {"nothing-written", "the kernel is not launched", nothing_written, 0},
    {"some-written", "the last block writes no partial sum", some_written, 0},
    {"not-zeroed", "adds to a result that was not set to zero", not_zeroed, 0},
    {"exchanged", "exchanges two elements of the input", exchanged, 0},
    {"previous-run", "leaves the result of the run before", previous_run, 0},
    {"previous-partials", "adds up the partial sums of the run before", previous_partials, 0},
    {"kept", "gives the result of the first run, kept elsewhere", kept, 0},
    {"one-bad-run", "wrong in one run", one_bad_run, 0},
    {"first-run-bad", "wrong in the first run", first_run_bad, 0},
};

STEP("output", reduce_family, variants);
