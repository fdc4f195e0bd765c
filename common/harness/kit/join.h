/*
 * What several threads have of a row, as one: for the comparisons that are kernels. Device code.
 */
#ifndef JOIN_H
#define JOIN_H

#include <string.h>

#define LONG_ROW 4096 /* elements: from here on a row is a block's, a shorter one a warp's */

/* The part of the lane whose number differs in these bits. */
template <typename T> static __device__ T part_of_lane(const T *own, int bits)
{
    unsigned words[sizeof(T) / sizeof(unsigned)];
    T other;

    static_assert(sizeof(T) % sizeof(unsigned) == 0, "a part is whole words");
    memcpy(words, own, sizeof(words));
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        words[i] = __shfl_xor_sync(0xffffffff, words[i], bits);
    memcpy(&other, words, sizeof(words));
    return other;
}

/* The parts of a warp's lanes as one, in all of them; of WARPS warps that are the block's, in all
 * of its threads, each of which must call it. add takes another part in, the same in either
 * order. */
template <int WARPS, typename T>
static __device__ void join_parts(T *r, void (*add)(T *, const T *))
{
    __shared__ T parts[WARPS];

    for (int bits = 16; bits > 0; bits /= 2) {
        T other = part_of_lane(r, bits);

        add(r, &other);
    }
    if (WARPS == 1)
        return;
    __syncthreads(); /* all have what was joined before */
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = *r;
    __syncthreads();
    *r = parts[0];
    for (int warp = 1; warp < WARPS; warp++)
        add(r, &parts[warp]);
}

#endif
