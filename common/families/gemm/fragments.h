/*
 * Fragments of nvcuda::wmma, which hgemm-wmma and hgemm-async multiply: their types, the copies to
 * shared memory of what is loaded from there, and the stores. Device code.
 */
#ifndef FRAGMENTS_H
#define FRAGMENTS_H

#include <mma.h>

#include "families/gemm/gemm.h"
#include "families/gemm/left.h"

#define SIDE 16 /* of a fragment */
#define THREADS 256
#define FRAGMENT_CAPABILITY 80 /* of bf16 */

#if !defined(__CUDA_ARCH__) ||                                                                     \
    __CUDA_ARCH__ >= 800 /* older ones lack the types: refused at run time */
#define TENSOR_CORES 1
typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, SIDE, SIDE, SIDE, float> sum_fragment;
typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, SIDE, SIDE, SIDE, element,
                               nvcuda::wmma::row_major>
    a_fragment;

/* The transpose of a matrix that is stored row by row is that matrix, column by column. */
template <bool NT> struct layout {
    typedef nvcuda::wmma::row_major of_b;
};
template <> struct layout<true> {
    typedef nvcuda::wmma::col_major of_b;
};
template <bool NT>
using b_fragment = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, SIDE, SIDE, SIDE, element,
                                          typename layout<NT>::of_b>;
#endif

/* Lines of a matrix to shared memory, by so many threads, and zeros for what it does not have.
 * Eight elements at once where they lie together and are aligned, else one by one. */
static __device__ void copy(element *to, int pitch, const element *from, size_t ld, int lines,
                            int length, int lines_left, int left, bool whole, int thread,
                            int threads)
{
    int words = length / 8;

    for (int i = thread; i < lines * words && whole; i += threads) {
        int line = i / words, at = i % words * 8;

        *(uint4 *)&to[line * pitch + at] = line < lines_left && at < left
                                               ? *(const uint4 *)&from[line * ld + at]
                                               : make_uint4(0, 0, 0, 0);
    }
    for (int i = thread; i < lines * length && !whole; i += threads) {
        int line = i / length, at = i % length;

        to[line * pitch + at] =
            line < lines_left && at < left ? from[line * ld + at] : (element)0.0f;
    }
}

/* Whether rows are in groups of eight elements that are aligned to 16 bytes. */
static __device__ bool is_whole(const element *at, size_t ld, size_t length)
{
    return (size_t)at % 16 == 0 && ld % 8 == 0 && length % 8 == 0;
}

/* 16 x 16 sums, which the warp has in its shared memory, to C. */
static __device__ void store(const struct work &w, const float *sums, size_t row, size_t col)
{
    int rows = left(w.m, row, SIDE), cols = left(w.n, col, SIDE);

    for (int i = threadIdx.x % 32; i < SIDE * SIDE; i += 32) {
        if (i / SIDE < rows && i % SIDE < cols) {
            float *c = &w.c[(row + i / SIDE) * w.ldc + col + i % SIDE];

            *c = w.beta == 0 ? w.alpha * sums[i] : w.alpha * sums[i] + w.beta * *c;
        }
    }
}

/* A block per so many tiles of C. */
static unsigned blocks(const struct work *w, size_t rows, size_t cols, size_t tiles)
{
    return (unsigned)((((w->m - 1) / rows + 1) * ((w->n - 1) / cols + 1) + tiles - 1) / tiles);
}

#endif
