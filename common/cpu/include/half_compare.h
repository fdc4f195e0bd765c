/*
 * Half precision and bfloat16: comparisons, maxima and minima. A part of half_types.h, included by
 * it once for each of the two.
 *
 * A comparison with NaN is false, and true under the names that end in u. Of two: 1.0 or 0.0 for
 * each (__heq2), all bits for each (__heq2_mask), or whether it holds for both (__hbeq2).
 */
static CPU_INLINE bool __hisnan(CPU_16 a)
{
    return (a.__x & 0x7fff) > CPU_16_INFINITY;
}
static CPU_INLINE int __hisinf(CPU_16 a)
{
    return (a.__x & 0x7fff) == CPU_16_INFINITY ? (a.__x >> 15 ? -1 : 1) : 0;
}
#define CPU_ONE_IF(condition) CPU_16_BITS((condition) ? CPU_16_ONE : 0)
static CPU_INLINE CPU_16x2 __hisnan2(CPU_16x2 a)
{
    return CPU_16x2(CPU_ONE_IF(__hisnan(a.x)), CPU_ONE_IF(__hisnan(a.y)));
}

#define CPU_COMPARE_2(NAME, NAME2, BOTH)                                                           \
    static CPU_INLINE CPU_16x2 NAME2(CPU_16x2 a, CPU_16x2 b)                                       \
    {                                                                                              \
        return CPU_16x2(CPU_ONE_IF(NAME(a.x, b.x)), CPU_ONE_IF(NAME(a.y, b.y)));                   \
    }                                                                                              \
    static CPU_INLINE unsigned NAME2##_mask(CPU_16x2 a, CPU_16x2 b)                                \
    {                                                                                              \
        return (NAME(a.x, b.x) ? 0xffffu : 0) | (NAME(a.y, b.y) ? 0xffff0000u : 0);                \
    }                                                                                              \
    static CPU_INLINE bool BOTH(CPU_16x2 a, CPU_16x2 b)                                            \
    {                                                                                              \
        return NAME(a.x, b.x) && NAME(a.y, b.y);                                                   \
    }
#define CPU_COMPARE(NAME, OP)                                                                      \
    static CPU_INLINE bool __h##NAME(CPU_16 a, CPU_16 b)                                           \
    {                                                                                              \
        return !__hisnan(a) && !__hisnan(b) && CPU_16_VALUE(a) OP CPU_16_VALUE(b);                 \
    }                                                                                              \
    static CPU_INLINE bool __h##NAME##u(CPU_16 a, CPU_16 b)                                        \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) || CPU_16_VALUE(a) OP CPU_16_VALUE(b);                   \
    }                                                                                              \
    CPU_COMPARE_2(__h##NAME, __h##NAME##2, __hb##NAME##2)                                          \
    CPU_COMPARE_2(__h##NAME##u, __h##NAME##u2, __hb##NAME##u2)
#define CPU_COMPARE_OPERATOR(OP, NAME, NAME2)                                                      \
    static CPU_INLINE bool operator OP(const CPU_16 &a, const CPU_16 &b)                           \
    {                                                                                              \
        return NAME(a, b);                                                                         \
    }                                                                                              \
    static CPU_INLINE bool operator OP(const CPU_16x2 &a, const CPU_16x2 &b)                       \
    {                                                                                              \
        return NAME2(a, b);                                                                        \
    }
CPU_COMPARE(eq, ==)
CPU_COMPARE(ne, !=)
CPU_COMPARE(lt, <)
CPU_COMPARE(le, <=)
CPU_COMPARE(gt, >)
CPU_COMPARE(ge, >=)
CPU_COMPARE_OPERATOR(==, __heq, __hbeq2)
CPU_COMPARE_OPERATOR(!=, __hneu, __hbneu2)
CPU_COMPARE_OPERATOR(<, __hlt, __hblt2)
CPU_COMPARE_OPERATOR(<=, __hle, __hble2)
CPU_COMPARE_OPERATOR(>, __hgt, __hbgt2)
CPU_COMPARE_OPERATOR(>=, __hge, __hbge2)

/* The number when one is NaN, or NaN under the names that end in _nan; -0 is less than +0. */
#define CPU_EXTREME(NAME, BEFORE, ZEROS)                                                           \
    static CPU_INLINE CPU_16 NAME(CPU_16 a, CPU_16 b)                                              \
    {                                                                                              \
        if (__hisnan(a) || __hisnan(b))                                                            \
            return __hisnan(b) ? (__hisnan(a) ? CPU_16_BITS(0x7fff) : a) : b;                      \
        return a == b ? CPU_16_BITS(a.__x ZEROS b.__x) : BEFORE(a, b) ? a : b;                     \
    }                                                                                              \
    static CPU_INLINE CPU_16 NAME##_nan(CPU_16 a, CPU_16 b)                                        \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) ? CPU_16_BITS(0x7fff) : NAME(a, b);                      \
    }                                                                                              \
    static CPU_INLINE CPU_16x2 NAME##2(CPU_16x2 a, CPU_16x2 b)                                     \
    {                                                                                              \
        return CPU_16x2(NAME(a.x, b.x), NAME(a.y, b.y));                                           \
    }                                                                                              \
    static CPU_INLINE CPU_16x2 NAME##2_nan(CPU_16x2 a, CPU_16x2 b)                                 \
    {                                                                                              \
        return CPU_16x2(NAME##_nan(a.x, b.x), NAME##_nan(a.y, b.y));                               \
    }
CPU_EXTREME(__hmax, __hgt, &)
CPU_EXTREME(__hmin, __hlt, |)

#undef CPU_ONE_IF
#undef CPU_COMPARE
#undef CPU_COMPARE_2
#undef CPU_COMPARE_OPERATOR
#undef CPU_EXTREME
