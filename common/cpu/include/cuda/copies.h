/*
 * Copies by a group of threads into shared memory, asynchronous where CUDA's are: from global to
 * shared memory, in pieces of 4, 8 or 16 bytes. All other copies are done at once, each thread its
 * part, as CUDA does too. CUDA may copy large aligned pieces in bulk by one thread; here each
 * thread copies.
 */
#ifndef CUDA_COPIES_H
#define CUDA_COPIES_H

#include <cuda_runtime.h>

namespace cuda
{
/* A number of bytes, and the promise that it and the addresses are multiples of ALIGNMENT. */
template <size_t ALIGNMENT> struct aligned_size_t {
    static constexpr size_t align = ALIGNMENT;
    size_t value;

    explicit constexpr CPU_INLINE aligned_size_t(size_t n) : value(n)
    {
    }
    constexpr CPU_INLINE operator size_t() const
    {
        return value;
    }
};

namespace details
{
struct one_thread {
    static CPU_INLINE unsigned size()
    {
        return 1;
    }
    static CPU_INLINE unsigned thread_rank()
    {
        return 0;
    }
    static CPU_INLINE void sync()
    {
    }
};

template <typename T> struct alignment_of_type {
    static constexpr size_t value = alignof(T);
};
template <> struct alignment_of_type<void> {
    static constexpr size_t value = 1;
};
template <typename SIZE> struct alignment_of_size {
    static constexpr size_t value = 1;
};
template <size_t A> struct alignment_of_size<aligned_size_t<A>> {
    static constexpr size_t value = A;
};
template <typename T, typename SIZE> static constexpr CPU_INLINE size_t alignment_of()
{
    constexpr size_t a = alignment_of_type<T>::value, b = alignment_of_size<SIZE>::value;

    return a > b ? (a > 16 ? 16 : a) : (b > 16 ? 16 : b);
}

template <size_t BYTES> struct piece;
template <> struct piece<1> {
    typedef unsigned char type;
};
template <> struct piece<2> {
    typedef unsigned short type __attribute__((may_alias));
};
template <> struct piece<4> {
    typedef unsigned type __attribute__((may_alias));
};
template <> struct piece<8> {
    typedef unsigned long long type __attribute__((may_alias));
};
template <> struct piece<16> {
    typedef int type __attribute__((vector_size(16), may_alias));
};

template <size_t BYTES, typename G>
static CPU_INLINE void copy_now(const G &group, char *to, const char *from, size_t bytes)
{
    typedef typename piece<BYTES>::type word;

    for (size_t i = group.thread_rank(); i < bytes / BYTES; i += group.size())
        ((word *)to)[i] = ((const word *)from)[i];
}

/* In pieces of BYTES bytes; what is left at the end byte for byte. Were they asynchronous? */
template <size_t BYTES, typename G>
static CPU_INLINE bool copy_bytes(const G &group, void *to, const void *from, size_t bytes)
{
    char *t = (char *)to;
    const char *f = (const char *)from;
    size_t whole = bytes / BYTES * BYTES;
    bool late = false;

    if constexpr (BYTES >= 4)
        late = cpu_is_shared(t) && cpu_is_global(f);
    if (!late)
        copy_now<BYTES>(group, t, f, whole);
    else
        for (size_t i = group.thread_rank() * BYTES; i < whole; i += group.size() * BYTES)
            cpu_copy_async(t + i, f + i, (unsigned)BYTES, 0);
    if (whole < bytes)
        copy_now<1>(group, t + whole, f + whole, bytes - whole);
    return late;
}
} // namespace details
} // namespace cuda

#endif
