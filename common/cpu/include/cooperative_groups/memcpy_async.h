/*
 * cooperative_groups::memcpy_async: a group copies, each thread a part, and commits that as one
 * group of copies; wait and wait_prior wait for one's own and then for the others.
 */
#ifndef COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include "../cuda/copies.h"

namespace cooperative_groups
{
/* Bytes; a cuda::aligned_size_t promises more alignment than the type does. */
template <typename G, typename T, typename SIZE>
static CPU_INLINE void memcpy_async(const G &group, T *to, const T *from, const SIZE &bytes)
{
    cuda::details::copy_bytes<cuda::details::alignment_of<T, SIZE>()>(group, to, from,
                                                                      (size_t)bytes);
    __pipeline_commit();
}

/* Elements, of which the smaller number is copied. */
template <typename G, typename T, typename TO, typename FROM>
static CPU_INLINE void memcpy_async(const G &group, T *to, const TO &to_count, const T *from,
                                    const FROM &from_count)
{
    size_t n = (size_t)to_count < (size_t)from_count ? (size_t)to_count : (size_t)from_count;

    cuda::details::copy_bytes<cuda::details::alignment_of<T, TO>()>(group, to, from, n * sizeof(T));
    __pipeline_commit();
}

template <unsigned PRIOR, typename G> static CPU_INLINE void wait_prior(const G &group)
{
    __pipeline_wait_prior(PRIOR);
    group.sync();
}
template <typename G> static CPU_INLINE void wait(const G &group)
{
    __pipeline_wait_prior(0);
    group.sync();
}
} // namespace cooperative_groups

#endif
