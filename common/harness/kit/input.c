#include "harness/kit/input.h"

#include <math.h>
#include <string.h>

#include "harness/kit/element.h"
#include "harness/kit/input_values.h"
#include "harness/kit/parallel.h"
#include "harness/kit/vector_code.h"

uint64_t input_bits(uint64_t seed, uint64_t i)
{
    return input_sequence(input_mix(seed), i);
}

VECTOR_CODE void input_bits_row(uint64_t *bits, uint64_t seed, uint64_t begin, size_t count)
{
    uint64_t mixed = input_mix(seed);

    for (size_t i = 0; i < count; i++)
        bits[i] = input_sequence(mixed, begin + i);
}

static float random_f32(uint64_t seed, uint64_t i)
{
    return input_fraction(input_bits(seed, i));
}

/* Exponents: of the least huge one, how many more, of the tiny ones, and of the smallest number. */
struct extremes {
    int huge, range, tiny, smallest;
    unsigned denormal_bits;
};
static const struct extremes f32_extremes = {60, 20, -100, -149, 23},
                             f16_extremes = {4, 8, -14, -24, 10};

/* Eight elements a group; the huge and the tiny ones of a group cancel. */
static float cancelling(const struct extremes *e, uint64_t seed, uint64_t i)
{
    uint64_t group = input_bits(seed, i / 8);
    uint64_t own = input_bits(~seed, i);
    float fraction = 1 + (float)(group >> 41) * 0x1p-23f;
    float huge = ldexpf(fraction, e->huge + (int)(group % (unsigned)e->range));
    float tiny = ldexpf(fraction, e->tiny);
    float denormal = ldexpf((float)(own >> (64 - e->denormal_bits) | 1), e->smallest);

    switch (i % 8) {
    case 0:
        return huge;
    case 1:
        return tiny;
    case 2:
        return denormal;
    case 3:
        return -huge;
    case 4:
        return random_f32(seed, i);
    case 5:
        return -tiny;
    case 6:
        return -denormal;
    default:
        return -0.0f;
    }
}

static float hostile(const struct extremes *e, uint64_t seed, uint64_t i)
{
    uint64_t first = input_mix(seed) % 500, second = 500 + input_mix(~seed) % 500;
    unsigned choice = seed % 4;

    if (choice == 0)
        return cancelling(e, seed, i);
    if (i == first)
        return choice == 1 ? NAN : INFINITY;
    if (i == second && choice > 1)
        return choice == 2 ? INFINITY : -INFINITY;
    return random_f32(seed, i);
}

static int32_t hostile_i32(uint64_t seed, uint64_t i)
{
    static const int32_t values[] = {INT32_MIN, INT32_MAX, -1,         0x55555555,
                                     1 << 30,   0,         0x7fff0000, -65536};

    return values[input_bits(seed, i) % COUNT(values)];
}

float input_f32(enum input kind, uint64_t seed, size_t i)
{
    return kind == INPUT_HOSTILE ? hostile(&f32_extremes, seed, i)
                                 : input_value_f32(kind, input_mix(seed), i);
}

int32_t input_i32(enum input kind, uint64_t seed, size_t i)
{
    return kind == INPUT_HOSTILE ? hostile_i32(seed, i) : input_value_i32(kind, input_mix(seed), i);
}

uint16_t input_half(enum input kind, const struct type *type, uint64_t seed, size_t i)
{
    bool bf16 = type == &type_bf16;

    if (kind != INPUT_HOSTILE)
        return input_value_half(kind, bf16, input_mix(seed), i);
    return bf16 ? bf16_of_f32(hostile(&f32_extremes, seed, i))
                : f16_of_f32(hostile(&f16_extremes, seed, i));
}

const char *const input_names[] = {"random", "ones", "ramp", "exact", "hostile", NULL};

struct fill {
    void *x;
    const struct setting *setting;
    enum input kind;
};

/* The kind that is used at the largest sizes, without a choice for every element. */
VECTOR_CODE static void fill_random(void *x, const struct setting *setting, size_t begin,
                                    size_t end)
{
    uint64_t mixed = input_mix(setting->seed);
    float *f = (float *)x;
    uint32_t *k = (uint32_t *)x;

    if (setting->type == &type_f32) {
        for (size_t i = begin; i < end; i++)
            f[i] = input_fraction(input_sequence(mixed, i));
    } else {
        for (size_t i = begin; i < end; i++)
            k[i] = (uint32_t)input_sequence(mixed, i);
    }
}

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct fill *fill = (const struct fill *)context;
    uint64_t seed = fill->setting->seed;
    float *f = (float *)fill->x;
    int32_t *k = (int32_t *)fill->x;
    uint16_t *h = (uint16_t *)fill->x;

    (void)chunk;
    if (type_is_half(fill->setting->type)) {
        for (size_t i = begin; i < end; i++)
            h[i] = input_half(fill->kind, fill->setting->type, seed, i);
        return;
    }
    if (fill->kind == INPUT_RANDOM) {
        fill_random(fill->x, fill->setting, begin, end);
        return;
    }
    for (size_t i = begin; i < end; i++) {
        if (fill->setting->type == &type_f32)
            f[i] = input_f32(fill->kind, seed, i);
        else
            k[i] = input_i32(fill->kind, seed, i);
    }
}

bool input_exact(const struct setting *setting, size_t n)
{
    return setting->input && strcmp(setting->input, input_names[INPUT_EXACT]) == 0 &&
           n <= EXACT_TERMS;
}

enum input input_kind(const struct setting *setting)
{
    int kind = INPUT_RANDOM;

    while (strcmp(input_names[kind], setting->input) != 0)
        kind++;
    return (enum input)kind;
}

void input_fill(void *x, size_t n, const struct setting *setting)
{
    struct fill fill = {x, setting, input_kind(setting)};

    parallel_for(n, fill_chunk, &fill);
}
