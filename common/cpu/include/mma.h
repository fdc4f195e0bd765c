/*
 * nvcuda::wmma for the CPU device: fragments of 16x16x16, 32x8x16 and 8x32x16 of halves, bfloat16
 * and 8-bit integers, and of 16x16x8 of tf32.
 *
 * CUDA does not say which lane holds which element. Here it is as nvcc 13 has it for compute
 * capability 9.0: a product is instructions of m16n8, whose fragments the PTX ISA gives (see
 * cpu/runtime/tensor.c), side by side or, for 32 rows, one below the other; 8x32 is 32x8 with A, B
 * and C transposed. Halves of A and B are there several times in x, which has 16 for all shapes. So
 * are the accesses: shared memory by ldmatrix, global memory by words of 32 bits, the elements of
 * float accumulators by two where they lie side by side.
 */
#ifndef MMA_H
#define MMA_H

#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifdef __cplusplus
namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct tf32;
}

static CPU_INLINE float __float_to_tf32(float v)
{
    return cpu_to_tf32(v);
}

/* An array whose indices are numbers is registers: nothing of it is an access to memory. */
#define CPU_UNROLL _Pragma("GCC unroll 16")

/* --- what a fragment is made of --- */

template <typename T> struct cpu_fragment_type {
    static constexpr bool known = false;
};
#define CPU_FRAGMENT_TYPE(T, STORED, WHAT, DEPTH)                                                  \
    template <> struct cpu_fragment_type<T> {                                                      \
        typedef STORED stored;                                                                     \
        static constexpr bool known = true;                                                        \
        static constexpr cpu_tensor what = WHAT;                                                   \
        static constexpr int depth = DEPTH, per_register = 4 / (int)sizeof(STORED);                \
    };
CPU_FRAGMENT_TYPE(__half, __half, CPU_TENSOR_F16, 16)
CPU_FRAGMENT_TYPE(__nv_bfloat16, __nv_bfloat16, CPU_TENSOR_BF16, 16)
CPU_FRAGMENT_TYPE(precision::tf32, float, CPU_TENSOR_TF32, 8)
CPU_FRAGMENT_TYPE(signed char, signed char, CPU_TENSOR_S8, 16)
CPU_FRAGMENT_TYPE(unsigned char, unsigned char, CPU_TENSOR_U8, 16)

template <typename T, typename U> struct cpu_same {
    static constexpr bool is = false;
};
template <typename T> struct cpu_same<T, T> {
    static constexpr bool is = true;
};

/* A or B as the instructions have it: `first` is their A, whose rows, or B's columns, lie along
 * `outer`. Of 8x32 these change places. */
template <typename Use, int m, int n, int k, typename T> struct cpu_operand {
    typedef cpu_fragment_type<T> type;
    static constexpr bool is_a = cpu_same<Use, matrix_a>::is, first = is_a != (m == 8);
    static constexpr int outer = is_a ? m : n, registers = outer * k / 32 / type::per_register;
    static constexpr int elements = cpu_same<T, __half>::is ? 16 : registers * type::per_register;
    static_assert((m == 16 && n == 16) || (m == 32 && n == 8 && k == 16) ||
                      (m == 8 && n == 32 && k == 16),
                  "the CPU device has wmma fragments of 16x16, 32x8 and 8x32 alone");
    static_assert(k == type::depth, "the CPU device has no wmma fragment of this depth and type");

    /* Where the elements of register i begin that lane 0 holds, along outer and along k. */
    static constexpr int outer_of(int i)
    {
        return type::per_register == 4 ? 8 * i : first ? i % 2 * 8 + i / 4 * 16 : i / 2 * 8;
    }
    static constexpr int k_of(int i)
    {
        return type::per_register == 4 ? 0 : (first ? i / 2 % 2 : i % 2) * 4 * type::per_register;
    }
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment
{
    typedef cpu_fragment_type<T> type;
    static_assert(type::known, "the CPU device has wmma fragments of __half, __nv_bfloat16, "
                               "precision::tf32, signed char and unsigned char alone");

  public:
    typedef T element_type;
    typedef typename type::stored storage_element_type;
    enum {
        num_elements = cpu_operand<Use, m, n, k, T>::elements,
        num_storage_elements = num_elements
    };
    storage_element_type x[num_elements];
};

template <int m, int n, int k, typename T> class fragment<accumulator, m, n, k, T, void>
{
    static_assert(m * n == 256, "the CPU device has wmma fragments of 16x16, 32x8 and 8x32 alone");
    static_assert(cpu_same<T, float>::is || cpu_same<T, __half>::is || cpu_same<T, int>::is,
                  "the CPU device has wmma accumulators of float, __half and int alone");

  public:
    typedef T element_type;
    typedef T storage_element_type;
    enum { num_elements = 8, num_storage_elements = 8 };
    T x[num_elements];
};

template <typename F> static CPU_INLINE uint32_t cpu_fragment_register(const F &f, int i)
{
    uint32_t r;

    __builtin_memcpy(&r, (const void *)&f.x[i * 4 / (int)sizeof(f.x[0])], 4);
    return r;
}

template <typename F> static CPU_INLINE void cpu_set_fragment_register(F &f, int i, uint32_t r)
{
    __builtin_memcpy((void *)&f.x[i * 4 / (int)sizeof(f.x[0])], &r, 4);
}

template <typename F>
static CPU_INLINE void fill_fragment(F &f, const typename F::storage_element_type &value)
{
    CPU_UNROLL
    for (int i = 0; i < F::num_elements; i++)
        f.x[i] = value;
}

/* --- A and B from memory --- */

/* p: where what lane 0 holds begins; by_k: what follows each other along k lies side by side. */
template <typename S> static CPU_INLINE uint32_t cpu_load_words(const S *p, unsigned ld, bool by_k)
{
    unsigned g = cpu_laneid() / 4, t = cpu_laneid() % 4;
    uint32_t r = 0;

    if (sizeof(S) == 4)
        return *(const uint32_t *)(by_k ? &p[g * ld + t] : &p[t * ld + g]);
    if (by_k)
        return *(const uint32_t *)&p[g * ld + 4 / sizeof(S) * t];
    if (sizeof(S) == 2)
        return cpu_matrix_transpose(*(const uint32_t *)&p[g * ld + 2 * t]);
    for (unsigned j = 0; j < 4; j++)
        r |= (uint32_t) * (const unsigned char *)&p[(4 * t + j) * ld + g] << 8 * j;
    return r;
}

template <typename Use, int m, int n, int k, typename T, typename Layout>
static CPU_INLINE void
load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f,
                 const typename fragment<Use, m, n, k, T, Layout>::storage_element_type *p,
                 unsigned ldm)
{
    typedef cpu_operand<Use, m, n, k, T> operand;
    constexpr bool by_k = operand::is_a == cpu_same<Layout, row_major>::is;
    constexpr int together = operand::registers < 4 ? operand::registers : 4;
    const unsigned along_outer = by_k ? ldm : 1, along_k = by_k ? 1 : ldm;

    if (sizeof(*p) == 2 && cpu_is_shared(p)) {
        CPU_UNROLL
        for (int i = 0; i < operand::registers; i += together) {
            int row = (int)cpu_laneid() / 8 % together + i;
            cpu_r4 v = cpu_matrix_load(p + operand::outer_of(row) * along_outer +
                                           operand::k_of(row) * along_k + cpu_laneid() % 8 * ldm,
                                       together | (by_k ? 0 : CPU_MATRIX_TRANSPOSED));

            CPU_UNROLL
            for (int j = 0; j < together; j++)
                cpu_set_fragment_register(f, i + j, v.r[j]);
        }
    } else {
        CPU_UNROLL
        for (int i = 0; i < operand::registers; i++)
            cpu_set_fragment_register(
                f, i,
                cpu_load_words(p + operand::outer_of(i) * along_outer + operand::k_of(i) * along_k,
                               ldm, by_k));
    }
    CPU_UNROLL
    for (int i = operand::registers * operand::type::per_register; i < operand::elements; i++)
        f.x[i] = f.x[i % (operand::registers * operand::type::per_register)];
}

/* --- accumulators from and to memory --- */

/* The elements 2 i and 2 i + 1 of this lane: the row and column of the first one, where 8x32 is
 * 32x8. */
template <int m> static CPU_INLINE unsigned cpu_pair_row(int i)
{
    return cpu_laneid() / 4 + i % 2 * 8 + (m == 16 ? 0 : i / 2 * 16);
}
template <int m> static CPU_INLINE unsigned cpu_pair_column(int i)
{
    return cpu_laneid() % 4 * 2 + (m == 16 ? i / 2 * 8 : 0);
}

/* Two words of 32 bits that lie side by side, as one access. */
struct alignas(8) cpu_word_pair {
    uint32_t x, y;

    CPU_COPIED_WHOLE(cpu_word_pair)
    CPU_INLINE cpu_word_pair(uint32_t first, uint32_t second) : x(first), y(second)
    {
    }
};

/* The first word of a pair of halves whose columns lie one below the other in memory: as a row of
 * the transposed 8 x 8 has it. */
template <int m, typename T> static CPU_INLINE T *cpu_turned_word(T *p, int i, unsigned ldm)
{
    unsigned row = i % 2 * 8 + (m == 16 ? 0 : i / 2 * 16), column = m == 16 ? i / 2 * 8 : 0;

    return p + (column + cpu_laneid() / 4) * ldm + row + cpu_laneid() % 4 * 2;
}

template <int m, int n, int k, typename T>
static CPU_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p,
                                        unsigned ldm, layout_t layout)
{
    const bool side_by_side = (layout == mem_row_major) != (m == 8);

    CPU_UNROLL
    for (int i = 0; i < 4; i++) {
        unsigned row = cpu_pair_row<m>(i), column = cpu_pair_column<m>(i);

        if (sizeof(T) == 2) {
            cpu_set_fragment_register(
                f, i,
                side_by_side
                    ? *(const uint32_t *)&p[row * ldm + column]
                    : cpu_matrix_transpose(*(const uint32_t *)cpu_turned_word<m>(p, i, ldm)));
        } else if (side_by_side) {
            cpu_word_pair v = *(const cpu_word_pair *)&p[row * ldm + column];

            cpu_set_fragment_register(f, 2 * i, v.x);
            cpu_set_fragment_register(f, 2 * i + 1, v.y);
        } else {
            f.x[2 * i] = p[column * ldm + row];
            f.x[2 * i + 1] = p[(column + 1) * ldm + row];
        }
    }
}

template <int m, int n, int k, typename T>
static CPU_INLINE void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f,
                                         unsigned ldm, layout_t layout)
{
    const bool side_by_side = (layout == mem_row_major) != (m == 8);

    CPU_UNROLL
    for (int i = 0; i < 4; i++) {
        unsigned row = cpu_pair_row<m>(i), column = cpu_pair_column<m>(i);

        if (sizeof(T) == 2 && side_by_side) {
            *(uint32_t *)&p[row * ldm + column] = cpu_fragment_register(f, i);
        } else if (sizeof(T) == 2) {
            *(uint32_t *)cpu_turned_word<m>(p, i, ldm) =
                cpu_matrix_transpose(cpu_fragment_register(f, i));
        } else if (side_by_side) {
            *(cpu_word_pair *)&p[row * ldm + column] =
                cpu_word_pair(cpu_fragment_register(f, 2 * i), cpu_fragment_register(f, 2 * i + 1));
        } else {
            p[column * ldm + row] = f.x[2 * i];
            p[(column + 1) * ldm + row] = f.x[2 * i + 1];
        }
    }
}

/* --- products --- */

/* The half h of the accumulator: d = a b + c by one instruction, whose A begins at register i of
 * the operand a, and whose B at register j of b. */
template <unsigned what, int registers, typename D, typename A, typename B, typename C>
static CPU_INLINE void cpu_multiply(D &d, const A &a, int i, const B &b, int j, const C &c, int h)
{
    constexpr int sums = sizeof(d.x[0]) == 2 ? 2 : 4;
    cpu_r4 first = {}, sum = {};
    cpu_r2 second = {};

    CPU_UNROLL
    for (int r = 0; r < registers; r++)
        first.r[r] = cpu_fragment_register(a, i + r);
    CPU_UNROLL
    for (int r = 0; r < registers / 2; r++)
        second.r[r] = cpu_fragment_register(b, j + r);
    CPU_UNROLL
    for (int r = 0; r < sums; r++)
        sum.r[r] = cpu_fragment_register(c, sums * h + r);
    sum = cpu_tensor_mma(what, first, second, sum);
    CPU_UNROLL
    for (int r = 0; r < sums; r++)
        cpu_set_fragment_register(d, sums * h + r, sum.r[r]);
}

/* Both halves, each by one instruction, of tf32 by two; first: the operand that is their A. */
template <int m, typename T, unsigned flags, typename D, typename A, typename B, typename C>
static CPU_INLINE void cpu_multiply_both(D &d, const A &first, const B &second, const C &c)
{
    typedef cpu_fragment_type<T> type;
    constexpr bool tf32 = type::what == CPU_TENSOR_TF32, wide = m == 16;
    constexpr int registers = type::per_register == 2 ? 4 : 2;
    constexpr cpu_tensor kind =
        cpu_same<typename D::element_type, __half>::is ? CPU_TENSOR_F16_ALL : type::what;
    constexpr unsigned what = (unsigned)kind + (tf32 ? 4 : 16) * (unsigned)CPU_TENSOR_DEPTH + flags;

    CPU_UNROLL
    for (int h = 0; h < 2; h++) {
        int step = tf32 ? 2 : 1; /* instructions, registers of B */

        cpu_multiply<what, registers>(d, first, wide ? 0 : registers * h, second,
                                      wide ? registers / 2 * step * h : 0, c, h);
        if (tf32)
            cpu_multiply<what, registers>(d, first, 2, second, 2 * h + 1, d, h);
    }
}

template <int m, int n, int k, typename T, typename S, typename LayoutA, typename LayoutB>
static CPU_INLINE void mma_sync(fragment<accumulator, m, n, k, S> &d,
                                const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                                const fragment<matrix_b, m, n, k, T, LayoutB> &b,
                                const fragment<accumulator, m, n, k, S> &c, bool saturate = false)
{
    constexpr bool ints = cpu_fragment_type<T>::what >= CPU_TENSOR_S8;
    static_assert(cpu_same<S, int>::is == ints &&
                      (!cpu_same<S, __half>::is || cpu_same<T, __half>::is),
                  "the CPU device has no wmma product with this accumulator");

    if (m == 8 && ints && saturate)
        cpu_multiply_both<m, T, CPU_TENSOR_SATURATE>(d, b, a, c);
    else if (m == 8)
        cpu_multiply_both<m, T, 0>(d, b, a, c);
    else if (ints && saturate)
        cpu_multiply_both<m, T, CPU_TENSOR_SATURATE>(d, a, b, c);
    else
        cpu_multiply_both<m, T, 0>(d, a, b, c);
}

} // namespace wmma
} // namespace nvcuda
#endif
#endif
