/*
 * limit-flops: how fast the machine computes
 *
 * Idea      Multiply and add in registers, and touch no memory. A chain is a row of multiply-adds of
 *           which each needs the one before; a thread with several chains has as many in flight.
 * Since     limit-words moved and did not compute; this computes and does not move.
 * Expect    One chain per thread is enough where there are enough warps to take turns; with few
 *           warps the rate grows with the chains.
 * Source    GPU programming principles: 622 of 933 Gflop/s of a GTX 280, counting
 *           multiply-adds alone.
 */
#include "families/limits/limits.h"

/* The chains are a parameter of the template, so that they stay in registers. What is added is a
 * constant, which stands in the instruction. */
template <int chains> static __global__ void multiply_adds(element *y, element factor, int n)
{
    element x[chains], sum = 0;

#pragma unroll
    for (int k = 0; k < chains; k++)
        x[k] = (element)(8 * chain_start(threadIdx.x, k));
#pragma unroll 16
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < chains; k++)
            x[k] = multiply_add(x[k], factor, ELEMENT_NAME(TERM_));
    }
#pragma unroll
    for (int k = 0; k < chains; k++)
        sum += x[k];
    y[thread_of_grid()] = sum;
}

/* The same with all three numbers in registers. They lie in two banks, so two of the three in one. */
template <int chains>
static __global__ void three_registers(element *y, element factor, element term, int n)
{
    element x[chains], sum = 0;

#pragma unroll
    for (int k = 0; k < chains; k++)
        x[k] = (element)(8 * chain_start(threadIdx.x, k));
#pragma unroll 16
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < chains; k++)
            x[k] = multiply_add(x[k], factor, term);
    }
#pragma unroll
    for (int k = 0; k < chains; k++)
        sum += x[k];
    y[thread_of_grid()] = sum;
}

/* Beside every two multiply-adds two operations on integers, which another part of the multiprocessor
 * does. */
template <int chains>
static __global__ void mixed_operations(element *y, element factor, unsigned mask, unsigned more,
                                        int n)
{
    element x[chains], sum = 0;
    unsigned bits[chains], all = 0;

#pragma unroll
    for (int k = 0; k < chains; k++) {
        x[k] = (element)(8 * chain_start(threadIdx.x, k));
        bits[k] = threadIdx.x % 32 + k;
    }
#pragma unroll 16
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < chains; k++) {
            x[k] = multiply_add(x[k], factor, ELEMENT_NAME(TERM_));
            if (i % 2)
                bits[k] = (bits[k] ^ mask) + more;
        }
    }
#pragma unroll
    for (int k = 0; k < chains; k++) {
        sum += x[k];
        all += bits[k];
    }
    y[thread_of_grid()] = sum + (element)(all & 1);
}

static void chains(struct work *w)
{
    static void (*const kernels[])(element *, element, int) = {
        multiply_adds<1>, multiply_adds<2>, multiply_adds<3>, multiply_adds<4>,
        multiply_adds<5>, multiply_adds<6>, multiply_adds<7>, multiply_adds<8>};

    kernels[w->chains - 1]<<<w->blocks, w->threads>>>((element *)w->y, ELEMENT_NAME(FACTOR_),
                                                      (int)w->n);
}

static void registers(struct work *w)
{
    static void (*const kernels[])(element *, element, element, int) = {
        three_registers<1>, three_registers<2>, three_registers<3>, three_registers<4>,
        three_registers<5>, three_registers<6>, three_registers<7>, three_registers<8>};

    kernels[w->chains - 1]<<<w->blocks, w->threads>>>((element *)w->y, ELEMENT_NAME(FACTOR_),
                                                      ELEMENT_NAME(TERM_), (int)w->n);
}

static void mixed(struct work *w)
{
    static void (*const kernels[])(element *, element, unsigned, unsigned, int) = {
        mixed_operations<1>, mixed_operations<2>, mixed_operations<3>, mixed_operations<4>,
        mixed_operations<5>, mixed_operations<6>, mixed_operations<7>, mixed_operations<8>};

    kernels[w->chains - 1]<<<w->blocks, w->threads>>>((element *)w->y, ELEMENT_NAME(FACTOR_),
                                                      BITS_MASK, BITS_MORE, (int)w->n);
}

static const struct variant variants[] = {
    {"multiply-add", "nothing but multiply-adds", chains},
    {"registers", "the same with three numbers in registers", registers},
    {"mixed", "as many operations on integers beside them", mixed, MIXED, NULL, NULL, NULL,
     flops_mixed},
};

static const struct launches launches[] = {
    {SWEEP | RECORD | GPU_ONLY,
     {"--sweep chains=0:3 -n 2^17 -t 128 --resident 1 -r 5 -w 1 -v multiply-add",
      "--chains 3 -n 2^17 -t 128 --resident 1 -r 5 -w 1 -v multiply-add",
      "--chains 5 -n 2^17 -t 128 --resident 1 -r 5 -w 1 -v multiply-add",
      "--chains 6 -n 2^17 -t 128 --resident 1 -r 5 -w 1 -v multiply-add",
      "--chains 7 -n 2^17 -t 128 --resident 1 -r 5 -w 1 -v multiply-add",
      "-t 256 --resident 8 --sweep chains=0:3 -r 5 -w 1 -v multiply-add -v registers"}},
    {0},
};

STEP("limit-flops", limit_flops_family, variants, launches);
