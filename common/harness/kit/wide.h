/*
 * COLS elements side by side, 1 or 4 of them, which one access loads or stores.
 */
#ifndef WIDE_H
#define WIDE_H

#include "harness/kit/element.h"

/* The type of that access. */
template <int COLS> struct whole {
    typedef element type;
};

template <> struct whole<4> {
    typedef element4 type;
};

template <int COLS> struct vector {
    alignas(COLS * sizeof(element)) element x[COLS];
};

template <int COLS> static __device__ void copy(vector<COLS> *to, const vector<COLS> *from)
{
    *(typename whole<COLS>::type *)to->x = *(const typename whole<COLS>::type *)from->x;
}

#endif
