/*
 * What translated inline PTX calls: see translate/ptx.c. Registers have the types that the text
 * gives them, and an instruction takes their bits.
 */
#ifndef PTX_FUNCTIONS_H
#define PTX_FUNCTIONS_H

#include "warp_functions.h"

/* A library's header has PTX that the CPU device does not have. */
static inline void cpu_ptx_unknown(const char *instruction)
{
    char why[128];

    snprintf(why, sizeof(why), "the CPU device has no inline PTX of this kind (%s)", instruction);
    cpu_refuse_kernel(why);
}

/* ld and st of COUNT values of the type T, in one access; a register may be wider. */
template <typename T, unsigned COUNT> struct alignas(sizeof(T) * COUNT) cpu_ptx_vector {
    T value[COUNT];
};

/* A word of PTX for a register, or the other way round: a float's bits where the other has no type
 * but a size. */
template <typename TO, typename FROM> static CPU_INLINE TO cpu_ptx_word(FROM from)
{
    if constexpr (std::is_floating_point<TO>::value != std::is_floating_point<FROM>::value)
        return cpu_value<TO>(cpu_bits(from));
    else
        return (TO)from;
}

template <typename T, typename... R>
static CPU_INLINE void cpu_ptx_load(unsigned long long from, R &...to)
{
    cpu_ptx_vector<T, sizeof...(R)> all = *(const cpu_ptx_vector<T, sizeof...(R)> *)from;
    unsigned i = 0;

    ((to = cpu_ptx_word<R>(all.value[i++])), ...);
}

template <typename T, typename... R>
static CPU_INLINE void cpu_ptx_store(unsigned long long to, R... values)
{
    *(cpu_ptx_vector<T, sizeof...(R)> *)to = {{cpu_ptx_word<T>(values)...}};
}

/* As of cuda::atomic, whose orders are relaxed, 0, acquire, 2, and release, 3. */
template <typename T, typename R>
static CPU_INLINE void cpu_ptx_ordered_load(unsigned long long from, R &to, bool acquires,
                                            enum cpu_scope scope)
{
    uint64_t bits;

    cpu_atomic_order(acquires ? 2 : 0);
    cpu_atomic_scope(scope);
    bits = cpu_atomic_load((const void *)from, sizeof(T));
    to = cpu_ptx_word<R>(cpu_value<T>(acquires ? cpu_acquired(scope, bits) : bits));
}

template <typename T, typename R>
static CPU_INLINE void cpu_ptx_ordered_store(unsigned long long to, R value, bool releases,
                                             enum cpu_scope scope)
{
    if (releases)
        cpu_fence_as(scope, CPU_FENCE_RELEASES);
    cpu_atomic_order(releases ? 3 : 0);
    cpu_atomic_scope(scope);
    cpu_atomic_store((void *)to, cpu_bits(cpu_ptx_word<T>(value)), sizeof(T));
}

static CPU_INLINE bool &cpu_ptx_nowhere()
{
    static thread_local bool unused;

    return unused;
}

static CPU_INLINE int cpu_ptx_signed(unsigned value)
{
    return (int)value;
}

static CPU_INLINE int cpu_ptx_signed(int number) /* that stands in the text */
{
    return number;
}

static CPU_INLINE long long cpu_ptx_signed(unsigned long long value)
{
    return (long long)value;
}

static CPU_INLINE unsigned cpu_ptx_bfe(unsigned value, unsigned from, unsigned bits)
{
    from &= 255;
    bits &= 255;
    value = from > 31 ? 0 : value >> from;
    return bits > 31 ? value : value & ((1u << bits) - 1);
}

static CPU_INLINE unsigned long long cpu_ptx_bfe64(unsigned long long value, unsigned from,
                                                   unsigned bits)
{
    from &= 255;
    bits &= 255;
    value = from > 63 ? 0 : value >> from;
    return bits > 63 ? value : value & ((1ull << bits) - 1);
}

static CPU_INLINE unsigned cpu_ptx_bfi(unsigned value, unsigned into, unsigned from, unsigned bits)
{
    unsigned mask;

    from &= 255;
    bits &= 255;
    mask = from > 31 ? 0 : (bits > 31 ? ~0u : (1u << bits) - 1) << from;
    return (into & ~mask) | (from > 31 ? 0 : (value << from & mask));
}

template <typename W, typename L> static CPU_INLINE void cpu_ptx_split(L &low, L &high, W value)
{
    low = cpu_value<L>((unsigned)cpu_bits(value));
    high = cpu_value<L>(cpu_bits(value) >> 32);
}

template <typename W, typename L> static CPU_INLINE void cpu_ptx_join(W &value, L low, L high)
{
    value = cpu_value<W>((uint64_t)(unsigned)cpu_bits(high) << 32 | (unsigned)cpu_bits(low));
}

/* shfl.sync: from lane `from`, if that is within what c, the clamp and the mask of a segment,
 * allows; else from the lane itself, and it is told. */
template <typename D, typename A>
static CPU_INLINE void cpu_ptx_shuffle(D &to, bool &inside, A value, int from, bool within,
                                       unsigned members)
{
    int lane = (int)cpu_laneid();

    inside = within;
    to = cpu_value<D>(__shfl_sync(members, (unsigned)cpu_bits(value), within ? from : lane));
}

struct cpu_ptx_segment {
    int lane, first, last;
};

static CPU_INLINE cpu_ptx_segment cpu_ptx_segment_of(unsigned c)
{
    int lane = (int)cpu_laneid(), mask = (int)(c >> 8 & 31), clamp = (int)(c & 31);

    return {lane, lane & mask, (lane & mask) | (clamp & ~mask)};
}

template <typename D, typename A>
static CPU_INLINE void cpu_ptx_shuffle_up(D &to, bool &inside, A value, unsigned by, unsigned c,
                                          unsigned members)
{
    cpu_ptx_segment s = cpu_ptx_segment_of(c);
    int from = s.lane - (int)(by & 31);

    cpu_ptx_shuffle(to, inside, value, from, from >= s.last, members);
}

template <typename D, typename A>
static CPU_INLINE void cpu_ptx_shuffle_down(D &to, bool &inside, A value, unsigned by, unsigned c,
                                            unsigned members)
{
    cpu_ptx_segment s = cpu_ptx_segment_of(c);
    int from = s.lane + (int)(by & 31);

    cpu_ptx_shuffle(to, inside, value, from, from <= s.last, members);
}

template <typename D, typename A>
static CPU_INLINE void cpu_ptx_shuffle_bfly(D &to, bool &inside, A value, unsigned by, unsigned c,
                                            unsigned members)
{
    cpu_ptx_segment s = cpu_ptx_segment_of(c);
    int from = s.lane ^ (int)(by & 31);

    cpu_ptx_shuffle(to, inside, value, from, from <= s.last, members);
}

template <typename D, typename A>
static CPU_INLINE void cpu_ptx_shuffle_idx(D &to, bool &inside, A value, unsigned by, unsigned c,
                                           unsigned members)
{
    cpu_ptx_segment s = cpu_ptx_segment_of(c);
    int from = s.first | (int)(by & 31 & ~(c >> 8));

    cpu_ptx_shuffle(to, inside, value, from, from <= s.last, members);
}

/* cvt.rna.tf32.f32: to the nearest tf32, of two the one further from 0; a float, or its bits. */
struct cpu_tf32 {
    uint32_t bits;

    CPU_INLINE operator unsigned() const
    {
        return bits;
    }
    CPU_INLINE operator float() const
    {
        float v;

        __builtin_memcpy(&v, &bits, sizeof(v));
        return v;
    }
};
static CPU_INLINE cpu_tf32 cpu_to_tf32(float v)
{
    uint32_t bits;

    __builtin_memcpy(&bits, &v, sizeof(bits));
    if ((bits & 0x7fffffff) < 0x7f800000)
        bits = (bits + 0x1000) & ~(uint32_t)0x1fff;
    return cpu_tf32{bits};
}

/* Boxes of tensors, at as many coordinates as there are dimensions; the others are 0. */
static CPU_INLINE void cpu_tensor_load_at(void *to, const void *map, uint64_t *object,
                                          unsigned mask, unsigned rank, int x0, int x1 = 0,
                                          int x2 = 0, int x3 = 0, int x4 = 0)
{
    cpu_tensor_load(to, map, object, mask, rank, x0, x1, x2, x3, x4);
}

static CPU_INLINE void cpu_tensor_store_at(const void *map, const void *from, unsigned rank, int x0,
                                           int x1 = 0, int x2 = 0, int x3 = 0, int x4 = 0)
{
    cpu_tensor_store(map, from, rank, x0, x1, x2, x3, x4);
}

/* mbarrier: the object at an address of shared memory, or at a generic one. */
static CPU_INLINE uint64_t *cpu_ptx_object_shared(unsigned at)
{
    return (uint64_t *)cpu_shared_at(at);
}

static CPU_INLINE uint64_t *cpu_ptx_object(unsigned long long at)
{
    return (uint64_t *)at;
}

static CPU_INLINE uint64_t cpu_ptx_arrive_expecting(uint64_t *object, unsigned bytes)
{
    cpu_object_expect(object, bytes);
    return cpu_object_arrive(object, 1, CPU_ARRIVE, CPU_SCOPE_BLOCK);
}

/* cp.async.bulk: an address in shared memory is as PTX has it, one in global memory a generic
 * one. */
static CPU_INLINE void *cpu_ptx_shared(unsigned at)
{
    return cpu_shared_at(at);
}

static CPU_INLINE void cpu_ptx_bulk_load(unsigned to, unsigned long long from, unsigned bytes,
                                         unsigned object, unsigned mask)
{
    cpu_bulk_load(cpu_ptx_shared(to), (const void *)from, bytes, cpu_ptx_object_shared(object),
                  mask);
}

static CPU_INLINE void cpu_ptx_bulk_send(unsigned to, unsigned from, unsigned bytes,
                                         unsigned object)
{
    cpu_bulk_send(cpu_ptx_shared(to), cpu_ptx_shared(from), bytes, cpu_ptx_object_shared(object));
}

/* st.async of one value, or of 2 or 4. */
template <typename T, typename... R>
static CPU_INLINE void cpu_ptx_store_async(unsigned to, unsigned object, R... values)
{
    cpu_ptx_vector<T, sizeof...(R)> all = {{cpu_value<T>(cpu_bits(values))...}};

    cpu_store_async(cpu_ptx_shared(to), &all, sizeof(all), cpu_ptx_object_shared(object));
}

static CPU_INLINE void cpu_ptx_bulk_store(unsigned long long to, unsigned from, unsigned bytes)
{
    cpu_bulk_store((void *)to, cpu_ptx_shared(from), bytes);
}

template <typename... X>
static CPU_INLINE void cpu_ptx_tensor_load(unsigned to, unsigned long long map, unsigned object,
                                           unsigned mask, X... x)
{
    cpu_tensor_load_at(cpu_ptx_shared(to), (const void *)map, cpu_ptx_object_shared(object), mask,
                       sizeof...(X), x...);
}

template <typename... X>
static CPU_INLINE void cpu_ptx_tensor_store(unsigned long long map, unsigned from, X... x)
{
    cpu_tensor_store_at((const void *)map, cpu_ptx_shared(from), sizeof...(X), x...);
}

/* .multicast::cluster: the mask of the cluster's blocks. */
static CPU_INLINE unsigned cpu_ptx_to_blocks(unsigned mask)
{
    if (!(mask & 0xffff))
        cpu_stop("a copy in bulk is sent to no block of the cluster");
    return mask & 0xffff;
}

/* elect.sync. */
static CPU_INLINE unsigned cpu_ptx_elect(unsigned members)
{
    return (unsigned)__builtin_ctz(__ballot_sync(members, 1));
}

/* mapa and getctarank: of an address in shared memory as PTX has it, and of a generic one. */
static CPU_INLINE unsigned cpu_ptx_map(unsigned address, unsigned rank)
{
    return (unsigned)cpu_shared_address(cpu_cluster_map(cpu_ptx_shared(address), rank));
}

static CPU_INLINE unsigned long long cpu_ptx_map(unsigned long long address, unsigned rank)
{
    return (unsigned long long)cpu_cluster_map((const void *)address, rank);
}

static CPU_INLINE unsigned cpu_ptx_rank(unsigned address)
{
    return (unsigned)cpu_cluster_owner(cpu_ptx_shared(address));
}

static CPU_INLINE unsigned cpu_ptx_rank(unsigned long long address)
{
    return (unsigned)cpu_cluster_owner((const void *)address);
}

/* An address of shared memory as a generic one. */
static CPU_INLINE unsigned long long cpu_ptx_generic(unsigned address)
{
    return (unsigned long long)cpu_ptx_shared(address);
}

/* %clusterid and %nclusterid are of the grid, %cluster_ctaid and %cluster_nctaid of the cluster. */
static CPU_INLINE dim3 cpu_ptx_clusters()
{
    return __clusterGridDimInClusters();
}

/* atom and red. */
#define CPU_PTX_ATOMIC(NAME, CALL)                                                                 \
    template <typename T, typename R>                                                              \
    static CPU_INLINE T cpu_ptx_atomic_##NAME(unsigned long long at, R value)                      \
    {                                                                                              \
        return CALL((T *)at, cpu_value<T>(cpu_bits(value)));                                       \
    }
CPU_PTX_ATOMIC(add, atomicAdd)
CPU_PTX_ATOMIC(min, atomicMin)
CPU_PTX_ATOMIC(max, atomicMax)
CPU_PTX_ATOMIC(and, atomicAnd)
CPU_PTX_ATOMIC(or, atomicOr)
CPU_PTX_ATOMIC(xor, atomicXor)
CPU_PTX_ATOMIC(exch, atomicExch)
CPU_PTX_ATOMIC(inc, atomicInc)
CPU_PTX_ATOMIC(dec, atomicDec)
#undef CPU_PTX_ATOMIC
template <typename T, typename R, typename S>
static CPU_INLINE T cpu_ptx_atomic_cas(unsigned long long at, R old, S value)
{
    return atomicCAS((T *)at, cpu_value<T>(cpu_bits(old)), cpu_value<T>(cpu_bits(value)));
}

/* setmaxnreg: registers are not modelled. */
static CPU_INLINE void cpu_ptx_registers(unsigned count)
{
    if (count < 24 || count > 256 || count % 8)
        cpu_stop("setmaxnreg takes a multiple of 8 from 24 to 256");
}

/* wgmma.mma_async. No instrumented code, and no inlined one, so that the list of addresses is no
 * array of the kernel's. */
template <typename... D>
static __attribute__((noinline, no_sanitize("thread"))) void
cpu_ptx_group(cpu_tensor type, unsigned how, unsigned long long a, unsigned long long b,
              cpu_r4 a_registers, bool add, D &...sums)
{
    float *const all[] = {&sums...};
    cpu_group_product p = {type, 2 * sizeof...(D), how, add, a, b, a_registers, all};

    cpu_group_multiply(&p, (uintptr_t)__builtin_return_address(0));
}

/* What imm-scale and imm-trans say. */
static CPU_INLINE unsigned cpu_ptx_group_how(int scale_a, int scale_b, int turned_a, int turned_b)
{
    return (scale_a < 0 ? CPU_GROUP_A_MINUS : 0) | (scale_b < 0 ? CPU_GROUP_B_MINUS : 0) |
           (turned_a ? CPU_GROUP_A_TURNED : 0) | (turned_b ? CPU_GROUP_B_TURNED : 0);
}

/* cp.async: from a global to a shared address as PTX has it; what the source has fewer than `bytes`
 * become zeros. */
static CPU_INLINE void cpu_ptx_copy(unsigned to, const void *from, unsigned bytes, unsigned source)
{
    if ((bytes != 4 && bytes != 8 && bytes != 16) || source > bytes)
        cpu_stop("cp.async copies 4, 8 or 16 bytes, of which the source has no more");
    cpu_copy_async(cpu_shared_at(to), from, bytes, bytes - source);
}

#endif
