/*
 * COLS elements side by side, 1 or as many as have 16 bytes, which one access loads or stores.
 */
#ifndef WIDE_H
#define WIDE_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/kit/element.h"

#define WIDE (16 / (int)sizeof(element)) /* 4 of f32, 8 of f16 or bf16 */

/* The type of that access. */
template <int COLS> struct whole {
    typedef element type;
};

template <> struct whole<4> {
    typedef element4 type;
};

template <> struct whole<8> {
    typedef uint4 type;
};

template <int COLS> struct vector {
    alignas(COLS * sizeof(element)) element x[COLS];
};

template <int COLS> static __device__ void copy(vector<COLS> *to, const vector<COLS> *from)
{
    *(typename whole<COLS>::type *)to->x = *(const typename whole<COLS>::type *)from->x;
}

#endif
