/*
 * What NCCL's calls compute. The ranks' values are added one after the other in the type itself, so
 * a sum of floats is rounded as often as on a ring of so many GPUs, if not in the same order. The
 * average is a sum of values that were multiplied by 1 / ranks, and of integers a quotient, as NCCL
 * has it.
 */
#include "cpu/runtime/nccl_reduce.h"
#include "cpu/abi.h"

static const struct {
    size_t bytes;
    const char *name;
} types[ncclNumTypes] = {
    [ncclInt8] = {1, "ncclInt8"},         [ncclUint8] = {1, "ncclUint8"},
    [ncclInt32] = {4, "ncclInt32"},       [ncclUint32] = {4, "ncclUint32"},
    [ncclInt64] = {8, "ncclInt64"},       [ncclUint64] = {8, "ncclUint64"},
    [ncclFloat16] = {2, "ncclFloat16"},   [ncclFloat32] = {4, "ncclFloat32"},
    [ncclFloat64] = {8, "ncclFloat64"},   [ncclBfloat16] = {2, "ncclBfloat16"},
    [ncclFloat8e4m3] = {0, "float8e4m3"}, [ncclFloat8e5m2] = {0, "float8e5m2"},
};

static bool is_type(ncclDataType_t type)
{
    return (int)type >= 0 && type < ncclNumTypes;
}

size_t nccl_type_bytes(ncclDataType_t type)
{
    return is_type(type) ? types[type].bytes : 0;
}

const char *nccl_type_name(ncclDataType_t type)
{
    return is_type(type) ? types[type].name : "no type";
}

bool nccl_op_known(ncclRedOp_t op)
{
    return (int)op >= 0 && op < ncclNumOps;
}

const char *nccl_op_name(ncclRedOp_t op)
{
    static const char *const names[ncclNumOps] = {"ncclSum", "ncclProd", "ncclMax", "ncclMin",
                                                  "ncclAvg"};

    return nccl_op_known(op) ? names[op] : "no operation";
}

/* T: of a value in memory; A: that it computes with. */
#define REDUCE(NAME, T, A, LOAD, STORE, SCALE, QUOTIENT)                                           \
    static void reduce_##NAME(T *to, const void *const *from, int ranks, size_t count,             \
                              ncclRedOp_t op)                                                      \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            A sum = SCALE(LOAD(((const T *)from[0])[i]));                                          \
                                                                                                   \
            for (int r = 1; r < ranks; r++) {                                                      \
                A v = SCALE(LOAD(((const T *)from[r])[i]));                                        \
                                                                                                   \
                switch (op) {                                                                      \
                case ncclProd:                                                                     \
                    sum = (A)(sum * v);                                                            \
                    break;                                                                         \
                case ncclMax:                                                                      \
                    sum = v > sum ? v : sum;                                                       \
                    break;                                                                         \
                case ncclMin:                                                                      \
                    sum = v < sum ? v : sum;                                                       \
                    break;                                                                         \
                default:                                                                           \
                    sum = (A)(sum + v);                                                            \
                }                                                                                  \
                sum = LOAD(STORE(sum));                                                            \
            }                                                                                      \
            to[i] = STORE(QUOTIENT(sum));                                                          \
        }                                                                                          \
    }

#define SAME(v) (v)
#define SCALED_F32(v) (op == ncclAvg ? (v) * (1.0f / (float)ranks) : (v))
#define SCALED_F64(v) (op == ncclAvg ? (v) * (1.0 / ranks) : (v))
#define DIVIDED_S(v) (op == ncclAvg ? (v) / ranks : (v))
#define DIVIDED_U(v) (op == ncclAvg ? (v) / (unsigned)ranks : (v))
#define OF_F16(v) cpu_f32_of_f16(v)
#define TO_F16(v) cpu_f16_of_f64(v, CPU_TO_NEAREST)
#define OF_BF16(v) cpu_f32_of_bf16(v)
#define TO_BF16(v) cpu_bf16_of_f64(v, CPU_TO_NEAREST)
#define TO_I8(v) (int8_t)(v)
#define TO_U8(v) (uint8_t)(v)
#define TO_I32(v) (int32_t)(v)
#define TO_I64(v) (int64_t)(v)

/* Integers wrap: they are computed without a sign where that is the same. */
REDUCE(i8, int8_t, int32_t, SAME, TO_I8, SAME, DIVIDED_S)
REDUCE(u8, uint8_t, uint32_t, SAME, TO_U8, SAME, DIVIDED_U)
REDUCE(u32, uint32_t, uint32_t, SAME, SAME, SAME, DIVIDED_U)
REDUCE(u64, uint64_t, uint64_t, SAME, SAME, SAME, DIVIDED_U)
REDUCE(i32, int32_t, int64_t, SAME, TO_I32, SAME, DIVIDED_S)
REDUCE(i64, int64_t, __int128_t, SAME, TO_I64, SAME, DIVIDED_S)
REDUCE(f16, uint16_t, float, OF_F16, TO_F16, SCALED_F32, SAME)
REDUCE(bf16, uint16_t, float, OF_BF16, TO_BF16, SCALED_F32, SAME)
REDUCE(f32, float, float, SAME, SAME, SCALED_F32, SAME)
REDUCE(f64, double, double, SAME, SAME, SCALED_F64, SAME)

void nccl_reduce(void *to, const void *const *from, int ranks, size_t count, ncclDataType_t type,
                 ncclRedOp_t op)
{
    switch (type) {
    case ncclInt8:
        reduce_i8(to, from, ranks, count, op);
        break;
    case ncclUint8:
        reduce_u8(to, from, ranks, count, op);
        break;
    case ncclInt32:
        reduce_i32(to, from, ranks, count, op);
        break;
    case ncclUint32:
        reduce_u32(to, from, ranks, count, op);
        break;
    case ncclInt64:
        reduce_i64(to, from, ranks, count, op);
        break;
    case ncclUint64:
        reduce_u64(to, from, ranks, count, op);
        break;
    case ncclFloat16:
        reduce_f16(to, from, ranks, count, op);
        break;
    case ncclBfloat16:
        reduce_bf16(to, from, ranks, count, op);
        break;
    case ncclFloat32:
        reduce_f32(to, from, ranks, count, op);
        break;
    default:
        reduce_f64(to, from, ranks, count, op);
    }
}
