/*
 * Inline PTX of whole warps: products on the tensor cores, of one warp or of four, and matrices of
 * 8 x 8 from and to shared memory. Registers of any type are handed over as 32 bits: see abi.h.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/ptx_warp.h"

/* m16n8k* with A by rows and B by columns: the types of D, A, B and C, what abi.h calls them, and
 * the registers of each. */
static const struct {
    const char *shape, *types, *what;
    int d, a, b;
} products[] = {
    {"m16n8k8", "f32.f16.f16.f32", "CPU_TENSOR_F16 + 8", 4, 2, 1},
    {"m16n8k16", "f32.f16.f16.f32", "CPU_TENSOR_F16 + 16", 4, 4, 2},
    {"m16n8k8", "f16.f16.f16.f16", "CPU_TENSOR_F16_ALL + 8", 2, 2, 1},
    {"m16n8k16", "f16.f16.f16.f16", "CPU_TENSOR_F16_ALL + 16", 2, 4, 2},
    {"m16n8k8", "f32.bf16.bf16.f32", "CPU_TENSOR_BF16 + 8", 4, 2, 1},
    {"m16n8k16", "f32.bf16.bf16.f32", "CPU_TENSOR_BF16 + 16", 4, 4, 2},
    {"m16n8k4", "f32.tf32.tf32.f32", "CPU_TENSOR_TF32 + 4", 4, 2, 1},
    {"m16n8k8", "f32.tf32.tf32.f32", "CPU_TENSOR_TF32 + 8", 4, 4, 2},
    {"m16n8k16", "s32.s8.s8.s32", "CPU_TENSOR_S8 + 16", 4, 2, 1},
    {"m16n8k32", "s32.s8.s8.s32", "CPU_TENSOR_S8 + 32", 4, 4, 2},
    {"m16n8k16", "s32.u8.u8.s32", "CPU_TENSOR_U8 + 16", 4, 2, 1},
    {"m16n8k32", "s32.u8.u8.s32", "CPU_TENSOR_U8 + 32", 4, 4, 2},
};
enum { PRODUCTS = sizeof(products) / sizeof(products[0]) };

bool is_warp_instruction(const char *name)
{
    return !strncmp(name, "mma.", 4) || !strncmp(name, "ldmatrix.", 9) ||
           !strncmp(name, "stmatrix.", 9) || !strncmp(name, "movmatrix.", 10) ||
           !strncmp(name, "wgmma.mma_async.", 16);
}

static void check_registers(const struct token *at, const char *name, const struct ptx_vector *v,
                            int registers)
{
    if (v->count != registers)
        fail(at, "inline PTX: %s has %d registers where there are %d", name, registers, v->count);
}

/* The operand as a cpu_r2 or cpu_r4. */
static const char *vector_text(const char *type, const struct ptx_vector *v)
{
    char *text = format_text("%s{{", type);

    for (int i = 0; i < v->count; i++)
        text = format_text("%s%s(uint32_t)cpu_bits(%s)", text, i ? ", " : "", v->value[i]);
    return format_text("%s}}", text);
}

static void put_results(struct text *out, const struct ptx_vector *v)
{
    for (int i = 0; i < v->count; i++)
        put_format(out, "%s = cpu_value<decltype(%s)>(cpu_d.r[%d]); ", v->value[i], v->value[i], i);
}

static bool put_product(struct text *out, const struct token *at, const char *name,
                        const struct ptx_vector *o, int operands)
{
    for (int i = 0; i < PRODUCTS; i++) {
        const char *plain =
            format_text("mma.sync.aligned.%s.row.col.%s", products[i].shape, products[i].types);
        const char *clamped = format_text("mma.sync.aligned.%s.row.col.satfinite.%s",
                                          products[i].shape, products[i].types);
        bool ints = *products[i].types == 's', clamps = ints && !strcmp(name, clamped);
        const char *plus = strchr(products[i].what, '+');

        if (strcmp(name, plain) && !clamps)
            continue;
        if (operands != 4)
            fail(at, "inline PTX: %s has 4 operands", name);
        check_registers(at, name, &o[0], products[i].d);
        check_registers(at, name, &o[1], products[i].a);
        check_registers(at, name, &o[2], products[i].b);
        check_registers(at, name, &o[3], products[i].d);
        put_format(out,
                   "{ cpu_r4 cpu_d = cpu_tensor_mma(%.*s+%s * CPU_TENSOR_DEPTH%s, %s, %s, %s); ",
                   (int)(plus - products[i].what), products[i].what, plus + 1,
                   clamps ? " + CPU_TENSOR_SATURATE" : "", vector_text("cpu_r4", &o[1]),
                   vector_text("cpu_r2", &o[2]), vector_text("cpu_r4", &o[3]));
        put_results(out, &o[0]);
        put_format(out, "} ");
        return true;
    }
    return false;
}

/* Does the name have this word between its dots? It is counted. */
static bool has(const char *name, const char *word, int *words)
{
    bool found = strstr(format_text("%s.", name), format_text(".%s.", word));

    *words += found;
    return found;
}

static int words_of(const char *name)
{
    int words = 0;

    for (; *name; name++)
        words += *name == '.';
    return words;
}

/* ldmatrix and stmatrix of 8 x 8 elements of 16 bits. */
static bool put_matrices(struct text *out, const struct token *at, const char *name,
                         const struct ptx_vector *o, int operands)
{
    bool loads = *name == 'l', turned, shared;
    const struct ptx_vector *v = &o[!loads], *row = &o[loads];
    int words = 0, count;

    turned = has(name, "trans", &words);
    shared = has(name, "shared", &words) || has(name, "shared::cta", &words);
    count = has(name, "x4", &words)   ? 4
            : has(name, "x2", &words) ? 2
            : has(name, "x1", &words) ? 1
                                      : 0;
    if (!has(name, "sync", &words) || !has(name, "aligned", &words) || !has(name, "m8n8", &words) ||
        !has(name, "b16", &words) || !count || words != words_of(name))
        return false;
    if (operands != 2)
        fail(at, "inline PTX: %s has 2 operands", name);
    check_registers(at, name, v, count);
    check_registers(at, name, row, 1);
    put_format(out, "{ %scpu_matrix_%s(%s(%s), %d%s", loads ? "cpu_r4 cpu_d = " : "",
               loads ? "load" : "store", shared ? "__cvta_shared_to_generic" : "(void *)",
               row->value[0], count, turned ? " | CPU_MATRIX_TRANSPOSED" : "");
    if (loads)
        put_format(out, "); ");
    else
        put_format(out, ", %s); ", vector_text("cpu_r4", v));
    if (loads)
        put_results(out, v);
    put_format(out, "} ");
    return true;
}

static bool put_turned(struct text *out, const struct token *at, const char *name,
                       const struct ptx_vector *o, int operands)
{
    if (strcmp(name, "movmatrix.sync.aligned.m8n8.trans.b16"))
        return false;
    if (operands != 2)
        fail(at, "inline PTX: %s has 2 operands", name);
    check_registers(at, name, &o[0], 1);
    check_registers(at, name, &o[1], 1);
    put_format(out, "%s = cpu_matrix_transpose(%s); ", o[0].value[0], o[1].value[0]);
    return true;
}

/* wgmma.mma_async of f16 and bf16 with sums of f32: D, A as a descriptor or in four registers, the
 * descriptor of B, whether D is added to, the signs of A and B, and, of what is in shared memory,
 * whether it is turned. */
static bool put_group(struct text *out, const struct token *at, const char *name,
                      const struct ptx_vector *o, int operands)
{
    static const char *const types[][2] = {{"f32.f16.f16", "CPU_TENSOR_F16"},
                                           {"f32.bf16.bf16", "CPU_TENSOR_BF16"}};
    static const char head[] = "wgmma.mma_async.sync.aligned.m64n";
    const char *type = NULL;
    char *behind;
    long columns;
    bool registers = operands > 1 && o[1].count > 1;

    if (strncmp(name, head, sizeof(head) - 1))
        return false;
    columns = strtol(name + sizeof(head) - 1, &behind, 10);
    for (int i = 0; i < 2; i++)
        if (!strcmp(behind, format_text("k16.%s", types[i][0])))
            type = types[i][1];
    if (!type || columns < 8 || columns > 2 * MOST_IN_VECTOR || columns % 8)
        return false;
    if (operands != 8 - registers)
        fail(at, "inline PTX: %s has %d operands", name, 8 - registers);
    check_registers(at, name, &o[0], (int)columns / 2);
    if (registers)
        check_registers(at, name, &o[1], 4);
    put_format(out, "cpu_ptx_group(%s, cpu_ptx_group_how(%s, %s, %s, %s)%s, %s, %s, %s, %s", type,
               o[4].value[0], o[5].value[0], registers ? "0" : o[6].value[0],
               o[registers ? 6 : 7].value[0], registers ? " | CPU_GROUP_A_REGISTERS" : "",
               registers ? "0" : o[1].value[0], o[2].value[0],
               registers ? vector_text("cpu_r4", &o[1]) : "cpu_r4{}", o[3].value[0]);
    for (int i = 0; i < o[0].count; i++)
        put_format(out, ", %s", o[0].value[i]);
    put_format(out, "); ");
    return true;
}

bool put_warp_instruction(struct text *out, const struct token *at, const char *name,
                          const struct ptx_vector *operand, int operands)
{
    return !strncmp(name, "mma.", 4) ? put_product(out, at, name, operand, operands)
           : *name == 'w'            ? put_group(out, at, name, operand, operands)
           : *name == 'm'            ? put_turned(out, at, name, operand, operands)
                                     : put_matrices(out, at, name, operand, operands);
}
