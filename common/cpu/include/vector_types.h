/*
 * CUDA's vector types and dim3. A vector of two or four is read and written whole, as one access of
 * up to 16 bytes (two of 16 when it has 32), which is why they copy through a machine vector: the
 * counters see what a GPU would do.
 *
 * Constructors stand in for CUDA's aggregates, so that `float4 v = {1}` leaves the rest zero; that
 * a float converts to a float4 is more than CUDA allows. C has them as plain structures.
 */
#ifndef VECTOR_TYPES_H
#define VECTOR_TYPES_H

#ifndef __cplusplus

#define CPU_VECTORS(T, NAME)                                                                       \
    typedef struct {                                                                               \
        T x;                                                                                       \
    } NAME##1;                                                                                     \
    typedef struct __attribute__((aligned(2 * sizeof(T)))) {                                       \
        T x, y;                                                                                    \
    } NAME##2;                                                                                     \
    typedef struct {                                                                               \
        T x, y, z;                                                                                 \
    } NAME##3;                                                                                     \
    typedef struct __attribute__((aligned(sizeof(T) < 4 ? 4 * sizeof(T) : 16))) {                  \
        T x, y, z, w;                                                                              \
    } NAME##4;

#else

#define CPU_INLINE __attribute__((always_inline)) inline

template <int BYTES> struct cpu_words;
template <> struct cpu_words<1> {
    typedef unsigned char type __attribute__((may_alias));
};
template <> struct cpu_words<2> {
    typedef unsigned short type __attribute__((may_alias));
};
template <> struct cpu_words<4> {
    typedef unsigned type __attribute__((may_alias));
};
template <> struct cpu_words<8> {
    typedef int type __attribute__((vector_size(8), may_alias));
};
template <> struct cpu_words<16> {
    typedef int type __attribute__((vector_size(16), may_alias));
};

template <typename V> CPU_INLINE void cpu_copy_vector(V *to, const V *from)
{
    constexpr int word = sizeof(V) < 16 ? (int)sizeof(V) : 16;
    typedef typename cpu_words<word>::type words;

    ((words *)to)[0] = ((const words *)from)[0];
    if (sizeof(V) > 16)
        ((words *)to)[sizeof(V) / word - 1] = ((const words *)from)[sizeof(V) / word - 1];
}

#define CPU_COPIED_WHOLE(V)                                                                        \
    V() = default;                                                                                 \
    CPU_INLINE V(const V &o)                                                                       \
    {                                                                                              \
        cpu_copy_vector(this, &o);                                                                 \
    }                                                                                              \
    CPU_INLINE V &operator=(const V &o)                                                            \
    {                                                                                              \
        cpu_copy_vector(this, &o);                                                                 \
        return *this;                                                                              \
    }

#define CPU_VECTOR2(T, NAME, ALIGN)                                                                \
    struct alignas(ALIGN) NAME {                                                                   \
        T x, y;                                                                                    \
        CPU_COPIED_WHOLE(NAME)                                                                     \
        CPU_INLINE constexpr NAME(T a, T b = 0) : x(a), y(b)                                       \
        {                                                                                          \
        }                                                                                          \
    };
#define CPU_VECTOR4(T, NAME, ALIGN)                                                                \
    struct alignas(ALIGN) NAME {                                                                   \
        T x, y, z, w;                                                                              \
        CPU_COPIED_WHOLE(NAME)                                                                     \
        CPU_INLINE constexpr NAME(T a, T b = 0, T c = 0, T d = 0) : x(a), y(b), z(c), w(d)         \
        {                                                                                          \
        }                                                                                          \
    };
#define CPU_VECTORS(T, NAME)                                                                       \
    struct NAME##1                                                                                 \
    {                                                                                              \
        T x;                                                                                       \
    };                                                                                             \
    struct NAME##3                                                                                 \
    {                                                                                              \
        T x, y, z;                                                                                 \
    };                                                                                             \
    CPU_VECTOR2(T, NAME##2, 2 * sizeof(T))                                                         \
    CPU_VECTOR4(T, NAME##4, sizeof(T) < 4 ? 4 * sizeof(T) : 16)

#endif

CPU_VECTORS(signed char, char)
CPU_VECTORS(unsigned char, uchar)
CPU_VECTORS(short, short)
CPU_VECTORS(unsigned short, ushort)
CPU_VECTORS(int, int)
CPU_VECTORS(unsigned, uint)
CPU_VECTORS(long, long)
CPU_VECTORS(unsigned long, ulong)
CPU_VECTORS(long long, longlong)
CPU_VECTORS(unsigned long long, ulonglong)
CPU_VECTORS(float, float)
CPU_VECTORS(double, double)

#ifndef __cplusplus

typedef struct {
    unsigned x, y, z;
} dim3;

#else

/* CUDA 13's names for the vectors of 32 bytes, by their alignment. */
#define CPU_VECTORS_32(T, NAME)                                                                    \
    CPU_VECTOR4(T, NAME##4_16a, 16)                                                                \
    CPU_VECTOR4(T, NAME##4_32a, 32)
CPU_VECTORS_32(long, long)
CPU_VECTORS_32(unsigned long, ulong)
CPU_VECTORS_32(long long, longlong)
CPU_VECTORS_32(unsigned long long, ulonglong)
CPU_VECTORS_32(double, double)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};

#endif
#endif
