#include "harness/kit/input.h"

#include <math.h>
#include <string.h>

#include "harness/kit/element.h"
#include "harness/kit/parallel.h"
#include "harness/kit/vector_code.h"

/* The finalizer of SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
 * Generators", 2014. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The i-th number of SplitMix64's sequence from a mixed seed: seeds are mixed first, so that near
 * ones differ. */
static uint64_t sequence(uint64_t mixed, uint64_t i)
{
    return mix(mixed + (i + 1) * 0x9e3779b97f4a7c15u);
}

uint64_t input_bits(uint64_t seed, uint64_t i)
{
    return sequence(mix(seed), i);
}

VECTOR_CODE void input_bits_row(uint64_t *bits, uint64_t seed, uint64_t begin, size_t count)
{
    uint64_t mixed = mix(seed);

    for (size_t i = 0; i < count; i++)
        bits[i] = sequence(mixed, begin + i);
}

static float fraction_of(uint64_t bits)
{
    int32_t steps = (int32_t)(bits >> 40) - (1 << 22);

    return (float)steps * 0x1p-24f;
}

static float random_f32(uint64_t seed, uint64_t i)
{
    return fraction_of(input_bits(seed, i));
}

/* Eight elements a group; the huge and the tiny ones of a group cancel. */
static float cancelling_f32(uint64_t seed, uint64_t i)
{
    uint64_t group = input_bits(seed, i / 8);
    uint64_t own = input_bits(~seed, i);
    float fraction = 1 + (float)(group >> 41) * 0x1p-23f;
    float huge = ldexpf(fraction, 60 + (int)(group % 20));
    float tiny = fraction * 0x1p-100f;
    float denormal = (float)(own >> 41 | 1) * 0x1p-149f;

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

static float hostile_f32(uint64_t seed, uint64_t i)
{
    uint64_t first = mix(seed) % 500, second = 500 + mix(~seed) % 500;
    unsigned choice = seed % 4;

    if (choice == 0)
        return cancelling_f32(seed, i);
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

static int32_t exact(uint64_t seed, uint64_t i)
{
    uint64_t bits = input_bits(seed, i);
    int32_t size = 1 + (int32_t)(bits >> 40 & 7);

    return bits >> 63 ? -size : size;
}

float input_f32(enum input kind, uint64_t seed, size_t i)
{
    switch (kind) {
    case INPUT_RANDOM:
        return random_f32(seed, i);
    case INPUT_ONES:
        return 1;
    case INPUT_RAMP:
        return (float)(i % 1000);
    case INPUT_EXACT:
        return (float)exact(seed, i);
    default:
        return hostile_f32(seed, i);
    }
}

int32_t input_i32(enum input kind, uint64_t seed, size_t i)
{
    switch (kind) {
    case INPUT_RANDOM:
        return (int32_t)(uint32_t)input_bits(seed, i);
    case INPUT_ONES:
        return 1;
    case INPUT_RAMP:
        return (int32_t)(i % 1000);
    case INPUT_EXACT:
        return exact(seed, i);
    default:
        return hostile_i32(seed, i);
    }
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
    uint64_t mixed = mix(setting->seed);
    float *f = (float *)x;
    uint32_t *k = (uint32_t *)x;

    if (setting->type == &type_f32) {
        for (size_t i = begin; i < end; i++)
            f[i] = fraction_of(sequence(mixed, i));
    } else {
        for (size_t i = begin; i < end; i++)
            k[i] = (uint32_t)sequence(mixed, i);
    }
}

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct fill *fill = (const struct fill *)context;
    uint64_t seed = fill->setting->seed;
    float *f = (float *)fill->x;
    int32_t *k = (int32_t *)fill->x;

    (void)chunk;
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

void input_fill(void *x, size_t n, const struct setting *setting)
{
    struct fill fill = {x, setting, INPUT_RANDOM};

    while (strcmp(input_names[fill.kind], setting->input) != 0)
        fill.kind = (enum input)(fill.kind + 1);
    parallel_for(n, fill_chunk, &fill);
}
