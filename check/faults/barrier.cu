/* Faults in the order of things: barriers that are missing. */
#include "families/reduce/reduce.h"

/* fault: 0 none; 1 no barrier between the loads and the tree; 2 none between the tree's levels */
template <int FAULT> __global__ void sum_blocks(element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;
    element sum = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n; i += (size_t)gridDim.x * blockDim.x)
        sum += x[i];
    s[t] = sum;
    if (FAULT != 1)
        __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        if (FAULT != 2)
            __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

template <int FAULT> static void two_passes(struct work *w)
{
    size_t shared = w->threads * sizeof(element);

    sum_blocks<FAULT><<<w->blocks, w->threads, shared>>>(w->partial, w->x, w->n);
    sum_blocks<FAULT><<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks);
}

/* The last block finishes, but the ticket is taken before the partial sum is written. */
static __device__ unsigned tickets;

__global__ void ticket_first(element *out, element *partial, const element *x, size_t n)
{
    element sum = 0;

    for (size_t i = blockIdx.x; i < n; i += gridDim.x)
        sum += x[i];
    if (atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1) {
        sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += partial[i];
        *out = sum;
    }
    partial[blockIdx.x] = sum;
}

static void early_ticket(struct work *w)
{
    ticket_first<<<w->blocks, 1>>>(w->sum, w->partial, w->x, w->n);
}

static const struct variant variants[] = {
    {"right", "nothing is missing", two_passes<0>, POWER_OF_TWO},
    {"missing-barrier-loads", "the tree starts before the others have loaded", two_passes<1>,
     POWER_OF_TWO},
    {"missing-barrier-tree", "no barrier between two levels", two_passes<2>, POWER_OF_TWO},
    {"early-ticket", "the last block reads what is not written yet", early_ticket, 0},
};

STEP("barrier", reduce_family, variants);
