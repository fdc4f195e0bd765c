#include "families/sort/sort_input.h"

#include <float.h>
#include <math.h>

#include "harness/kit/input.h"
#include "harness/kit/parallel.h"

enum kind { RANDOM, SORTED, REVERSED, EQUAL, FEW, DIGIT, HOSTILE };

const char *const sort_inputs[] = {"random", "sorted", "reversed", "equal",
                                   "few",    "digit",  "hostile",  NULL};

/* One call of sort_fill. */
struct keys {
    void *x;
    size_t n;
    enum kind kind;
    uint64_t seed;
    const struct type *type;
};

/* i / n of the whole range of numbers, i below n: of its upper bits those that n has room for. */
static uint64_t part_of(size_t i, size_t n)
{
    int room = n > 1 ? __builtin_clzll((unsigned long long)n - 1) : 0;

    return room == 0 ? 0 : (((uint64_t)i << room) / n) << (64 - room);
}

static uint64_t hostile(const struct keys *k, uint64_t bits)
{
    static const float extremes[] = {NAN,       -NAN,       INFINITY,  -INFINITY,
                                     FLT_MAX,   -FLT_MAX,   0x1p-149f, -0x1p-149f,
                                     0x1p-127f, -0x1p-127f, 0,         -0.0f};
    uint64_t ends[] = {0, 1, 2, ~0ull, ~1ull, 1ull << 63, (1ull << 63) - 1, (1ull << 63) + 1};
    bool crowded = k->seed % 4 != 0;
    uint32_t word;

    if (crowded && bits >> 62 != 0)
        return bits & (1ull << 63 | 3ull << 32 | 3);
    if (!crowded && bits >> 55 != 0)
        return bits;
    if (k->type != &type_f32)
        return ends[bits % COUNT(ends)] | ends[bits % COUNT(ends)] << 32;
    memcpy(&word, &extremes[bits % COUNT(extremes)], sizeof(word));
    return (uint64_t)field_number_f32(word) << 32 | (word == 0x80000000u);
}

/* A number of 64 bits; that of a narrower key is its upper half. */
static uint64_t number_at(const struct keys *k, size_t i)
{
    uint64_t bits = input_bits(k->seed, i), digit = 0xffull << (k->type->bytes == 8 ? 8 : 40);

    switch (k->kind) {
    case SORTED:
        return part_of(i, k->n);
    case REVERSED:
        return ~part_of(i, k->n);
    case EQUAL:
        return input_bits(k->seed, 0);
    case FEW:
        return input_bits(k->seed, bits % 16);
    case DIGIT:
        return (bits & ~digit) | (input_bits(~k->seed, 0) & digit);
    case HOSTILE:
        return hostile(k, bits);
    default:
        return bits;
    }
}

/* The key of 32 bits with this number. */
static uint32_t key_of(const struct keys *k, size_t i)
{
    uint64_t number = number_at(k, i);
    uint32_t upper = (uint32_t)(number >> 32);

    if (k->type == &type_i32)
        return upper ^ 0x80000000u;
    if (k->type != &type_f32)
        return upper;
    if (k->kind == HOSTILE && upper == 0x80000000u && number & 1)
        return 0x80000000u; /* -0 */
    return upper >> 31 ? upper ^ 0x80000000u : ~upper;
}

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct keys *k = (const struct keys *)context;

    (void)chunk;
    for (size_t i = begin; i < end; i++) {
        if (k->type == &type_u64)
            ((uint64_t *)k->x)[i] = number_at(k, i);
        else if (k->type == &type_f32 && k->kind == RANDOM)
            ((float *)k->x)[i] = input_f32(INPUT_RANDOM, k->seed, i);
        else
            ((uint32_t *)k->x)[i] = key_of(k, i);
    }
}

void sort_fill(void *x, size_t n, const struct setting *setting)
{
    struct keys k = {x, n, RANDOM, setting->seed, setting->type};

    while (strcmp(sort_inputs[k.kind], setting->input) != 0)
        k.kind = (enum kind)(k.kind + 1);
    parallel_for(n, fill_chunk, &k);
}
