// A header with a mistake, for language-lines.cu.
#pragma once

template <typename T>
__device__ void add_all(T *sum,
                        const T *x)
{
#if 0
    an odd ' quote
#endif
    /* a comment
       over lines */
    *sum += *x;
}
