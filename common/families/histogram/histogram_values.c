#include "families/histogram/histogram_values.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "harness/kit/parallel.h"
#include "harness/kit/vector_code.h"

#define GAMMA 0x9e3779b97f4a7c15u /* the step of SplitMix64's sequence */

enum kind { UNIFORM, EQUAL, SORTED, ZIPF, HOSTILE };

const char *const histogram_inputs[] = {"uniform", "equal", "sorted", "zipf", "hostile", NULL};

/* One call of values_fill. */
struct values {
    void *x;
    size_t n;
    enum kind kind;
    uint64_t seed; /* mixed, so that near ones differ */
    const struct type *type;
    const struct range *range;
};

/* The finalizer of SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
 * Generators", 2014. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t random_bits(const struct values *v, uint64_t i)
{
    return mix(v->seed + (i + 1) * GAMMA);
}

/* i / n in units of 2^-32, of which the upper 24 bits are enough. */
static uint32_t part_of(size_t i, size_t n)
{
    return (uint32_t)(((uint64_t)i << 24) / n << 8);
}

/* A number of 1 to 2^digits - 1 with a probability of about 1/number, then its bits in another
 * order: the odd factor makes that a permutation of 0 to 2^digits - 1. */
static uint32_t scattered(uint64_t bits, unsigned digits)
{
    unsigned k = (unsigned)(bits >> 32) % digits;
    uint32_t rank = ((uint32_t)1 << k) | ((uint32_t)(bits >> 40) & (((uint32_t)1 << k) - 1));

    return (rank * 40503u + 12345u) & (((uint32_t)1 << digits) - 1);
}

/* Where in its range element i lies, in units of 2^-32: for all kinds but hostile. */
static uint32_t place_of(const struct values *v, size_t i)
{
    bool bytes = v->type == &type_u8;
    unsigned digits = bytes ? 8 : 16;
    uint64_t bits;

    if (v->kind == EQUAL)
        return (uint32_t)(v->seed >> 32);
    if (v->kind == SORTED)
        return part_of(i, v->n);
    bits = random_bits(v, i);
    if (v->kind == UNIFORM)
        return (uint32_t)bits;
    if (v->type == &type_u32)
        return scattered(bits, digits);
    return scattered(bits, digits) << (32 - digits) |
           ((uint32_t)bits & (((uint32_t)1 << (32 - digits)) - 1));
}

/* --- what is hostile
 * ------------------------------------------------------------------------------ */

/* The least integer in bin k of so many. */
static int64_t edge_of(const struct range *r, uint64_t k, uint64_t bins)
{
    uint64_t width = (uint64_t)(r->ints[1] - r->ints[0]);

    return r->ints[0] + (int64_t)((k * width + bins - 1) / bins);
}

/* An edge of one of some numbers of bins, or a neighbour; modulo 2^32 or 2^8, when it is stored. */
static int64_t hostile_integer(const struct values *v, uint64_t bits)
{
    static const uint64_t bins[] = {1, 2, 3, 10, 256, 1000, 65536};
    static const int64_t extremes[] = {INT32_MIN, INT32_MAX, -1, 0, 1, 255, 128, INT32_MIN + 1};
    uint64_t among = bins[bits % COUNT(bins)];

    if (bits >> 60 < 4)
        return extremes[bits >> 8 & (COUNT(extremes) - 1)];
    if (v->type == &type_u32)
        return (int64_t)((bits >> 32) / among * among) - (int64_t)(bits >> 8 & 1);
    return edge_of(v->range, (bits >> 32) % (among + 1), among) - (int64_t)(bits >> 8 & 1);
}

static float hostile_f32(const struct values *v, uint64_t bits)
{
    static const unsigned bins[] = {1, 2, 3, 10, 256, 1000, 4096, 65536};
    const float extremes[] = {NAN,       -NAN,       INFINITY,  -INFINITY, FLT_MAX, -FLT_MAX,
                              0x1p-149f, -0x1p-149f, 0x1p-127f, -0.0f,     0,       0x1p31f,
                              -0x1p31f,  0x1p63f,    -1,        2};
    float low = v->range->f32[0], high = v->range->f32[1], edge;
    unsigned among = bins[bits % COUNT(bins)];

    if (bits >> 60 < 4)
        return extremes[bits >> 8 & (COUNT(extremes) - 1)];
    edge = low + (high - low) * ((float)((bits >> 32) % (among + 1)) / (float)among);
    switch (bits >> 8 & 3) {
    case 0:
        return edge;
    case 1:
        return nextafterf(edge, -INFINITY);
    case 2:
        return nextafterf(edge, INFINITY);
    default:
        return -edge;
    }
}

/* -------------------------------------------------------------------------------------------------
 */

static float value_f32(const struct values *v, size_t i)
{
    float low = v->range->f32[0], high = v->range->f32[1], value;

    if (v->kind == HOSTILE)
        return hostile_f32(v, random_bits(v, i));
    value = low + (high - low) * ((float)(place_of(v, i) >> 8) * 0x1p-24f);
    return value < high ? value : nextafterf(high, -INFINITY);
}

static uint32_t value_int(const struct values *v, size_t i)
{
    uint64_t width = (uint64_t)(v->range->ints[1] - v->range->ints[0]);

    if (v->kind == HOSTILE)
        return (uint32_t)hostile_integer(v, random_bits(v, i));
    if (v->type == &type_u32)
        return place_of(v, i);
    return (uint32_t)v->range->ints[0] + (uint32_t)(place_of(v, i) * width >> 32);
}

/* The kind of the largest sizes, without a choice per element; not for whole numbers of a byte. */
VECTOR_CODE static void fill_uniform(const struct values *v, size_t begin, size_t end)
{
    float low = v->range->f32[0], high = v->range->f32[1], last = nextafterf(high, -INFINITY);
    uint64_t seed = v->seed, width = (uint64_t)(v->range->ints[1] - v->range->ints[0]);
    uint32_t least = (uint32_t)v->range->ints[0], *wide = (uint32_t *)v->x;
    float *f32 = (float *)v->x;

    if (v->type == &type_f32) {
        for (size_t i = begin; i < end; i++) {
            uint32_t place = (uint32_t)mix(seed + (i + 1) * GAMMA);
            float value = low + (high - low) * ((float)(int32_t)(place >> 8) * 0x1p-24f);

            f32[i] = value < high ? value : last;
        }
    } else if (v->type == &type_u32) {
        for (size_t i = begin; i < end; i++)
            wide[i] = (uint32_t)mix(seed + (i + 1) * GAMMA);
    } else {
        for (size_t i = begin; i < end; i++)
            wide[i] = least + (uint32_t)((uint32_t)mix(seed + (i + 1) * GAMMA) * width >> 32);
    }
}

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct values *v = (const struct values *)context;
    float *f32 = (float *)v->x;
    uint32_t *wide = (uint32_t *)v->x;
    uint8_t *narrow = (uint8_t *)v->x;

    (void)chunk;
    if (v->kind == UNIFORM && v->type != &type_u8) {
        fill_uniform(v, begin, end);
    } else if (v->type == &type_f32) {
        for (size_t i = begin; i < end; i++)
            f32[i] = value_f32(v, i);
    } else if (v->type == &type_u8) {
        for (size_t i = begin; i < end; i++)
            narrow[i] = (uint8_t)value_int(v, i);
    } else {
        for (size_t i = begin; i < end; i++)
            wide[i] = value_int(v, i);
    }
}

void values_fill(void *x, size_t n, const struct setting *setting, const struct range *range)
{
    struct values v = {x, n, UNIFORM, mix(setting->seed), setting->type, range};

    while (strcmp(histogram_inputs[v.kind], setting->input) != 0)
        v.kind = (enum kind)(v.kind + 1);
    parallel_for(n, fill_chunk, &v);
}
