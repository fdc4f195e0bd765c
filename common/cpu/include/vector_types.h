/*
 * CUDA's vector types. A vector is read and written whole, as one access of 8 or 16 bytes, which
 * is why they copy through a machine vector: the counters see what a GPU would do.
 */
#ifndef VECTOR_TYPES_H
#define VECTOR_TYPES_H

#define CPU_INLINE __attribute__((always_inline)) inline

template <int BYTES> struct cpu_words;
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
    typedef typename cpu_words<sizeof(V)>::type words;

    *(words *)to = *(const words *)from;
}

#define CPU_COPIED_WHOLE(V)                                                                        \
    V() = default;                                                                                 \
    CPU_INLINE V(const V &o) { cpu_copy_vector(this, &o); }                                        \
    CPU_INLINE V &operator=(const V &o)                                                            \
    {                                                                                              \
        cpu_copy_vector(this, &o);                                                                 \
        return *this;                                                                              \
    }

#define CPU_VECTORS(T, NAME, A2)                                                                   \
    struct NAME##1 {                                                                               \
        T x;                                                                                       \
    };                                                                                             \
    struct alignas(A2) NAME##2 {                                                                   \
        T x, y;                                                                                    \
        CPU_COPIED_WHOLE(NAME##2)                                                                  \
        CPU_INLINE NAME##2(T a, T b) : x(a), y(b) {}                                               \
    };                                                                                             \
    struct NAME##3 {                                                                               \
        T x, y, z;                                                                                 \
    };                                                                                             \
    static CPU_INLINE NAME##2 make_##NAME##2(T x, T y) { return NAME##2(x, y); }                   \
    static CPU_INLINE NAME##3 make_##NAME##3(T x, T y, T z) { return NAME##3{x, y, z}; }

#define CPU_VECTORS4(T, NAME, A4)                                                                  \
    struct alignas(A4) NAME##4 {                                                                   \
        T x, y, z, w;                                                                              \
        CPU_COPIED_WHOLE(NAME##4)                                                                  \
        CPU_INLINE NAME##4(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}                         \
    };                                                                                             \
    static CPU_INLINE NAME##4 make_##NAME##4(T x, T y, T z, T w) { return NAME##4(x, y, z, w); }

CPU_VECTORS(signed char, char, 2)
CPU_VECTORS(unsigned char, uchar, 2)
CPU_VECTORS(short, short, 4)
CPU_VECTORS(unsigned short, ushort, 4)
CPU_VECTORS(int, int, 8)
CPU_VECTORS(unsigned, uint, 8)
CPU_VECTORS(float, float, 8)
CPU_VECTORS(double, double, 16)
CPU_VECTORS(long long, longlong, 16)
CPU_VECTORS(unsigned long long, ulonglong, 16)
CPU_VECTORS4(signed char, char, 4)
CPU_VECTORS4(unsigned char, uchar, 4)
CPU_VECTORS4(short, short, 8)
CPU_VECTORS4(unsigned short, ushort, 8)
CPU_VECTORS4(int, int, 16)
CPU_VECTORS4(unsigned, uint, 16)
CPU_VECTORS4(float, float, 16)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return uint3{x, y, z}; }
};

#endif
