/*
 * What is left of a side of a matrix, for tiles of tensor cores. Device code.
 */
#ifndef GEMM_LEFT_H
#define GEMM_LEFT_H

/* What is left of a length from here on, at most so much; 0 or less: nothing. */
static __device__ __forceinline__ int left(size_t length, size_t from, int most)
{
    return length >= from + (size_t)most ? most : (int)((long long)length - (long long)from);
}

#endif
