/*
 * reduce5: block size known at compile time
 *
 * Idea      Make the number of threads a template parameter. Then the compiler knows every stride
 *           and every guard of the tree: what cannot happen is not compiled, and the loop is gone.
 *           A switch picks the kernel that was compiled for this block size.
 * Since     reduce4 tested blockDim.x at each step of the tree, and wrote the steps out by hand.
 * Expect    The machine code of one size holds no test of the block size (see the page). The time
 *           hardly moves on a large array, where the reading of x is all that counts.
 * Source    M. Harris, "Optimizing Parallel Reduction in CUDA", kernel 6; Reductions 2015,
 *           whose form for any size kept a run-time bound and so did not unroll.
 */
#include "families/reduce/reduce.h"

template <unsigned THREADS>
__global__ void sum_blocks(element *partial, const element *x, size_t n)
{
    __shared__ element s[THREADS];
    unsigned t = threadIdx.x;
    element sum = 0;

    for (size_t i = (size_t)blockIdx.x * THREADS + t; i < n; i += (size_t)gridDim.x * THREADS)
        sum += x[i];
    s[t] = sum;
    __syncthreads();
#pragma unroll
    for (unsigned k = THREADS / 2; k > 32; k /= 2) { /* constant bounds: unrolled */
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) {
#pragma unroll
        for (unsigned k = THREADS < 64 ? THREADS / 2 : 32; k > 0; k /= 2) {
            if (t < k)
                s[t] += s[t + k];
            __syncwarp();
        }
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

template <unsigned THREADS> static void two_passes(struct work *w)
{
    sum_blocks<THREADS><<<w->blocks, THREADS>>>(w->partial, w->x, w->n);
    sum_blocks<THREADS><<<1, THREADS>>>(w->sum, w->partial, w->blocks);
}

static void unrolled(struct work *w)
{
    switch (w->threads) {
    case 1:
        return two_passes<1>(w);
    case 2:
        return two_passes<2>(w);
    case 4:
        return two_passes<4>(w);
    case 8:
        return two_passes<8>(w);
    case 16:
        return two_passes<16>(w);
    case 32:
        return two_passes<32>(w);
    case 64:
        return two_passes<64>(w);
    case 128:
        return two_passes<128>(w);
    case 256:
        return two_passes<256>(w);
    case 512:
        return two_passes<512>(w);
    case 1024:
        return two_passes<1024>(w);
    }
}

static const struct variant variants[] = {
    {"template", "the block size is a template parameter, 1 to 1024", unrolled, POWER_OF_TWO,
     reduce_depth_two_pass},
};

STEP("reduce5", reduce_family, variants);
