#include "families/histogram/histogram_range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/message.h"
#include "harness/kit/number.h"

const struct type type_u8 = {"u8", 1};

/* One side of a range of integers: a number as --size takes it, with or without a sign. */
static bool parse_integer(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    uint64_t magnitude;

    if (!number_parse(text + negative, &magnitude) || magnitude > (uint64_t)1 << 32)
        return false;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool parse_float(const char *text, float *value)
{
    char *end;

    *value = strtof(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static int parse_integers(int64_t ints[2], const char *text, const char *const side[2],
                          const struct type *type)
{
    bool wide = type == &type_i32;
    int64_t least = wide ? INT32_MIN : 0, most = wide ? INT32_MAX : 255;

    if (parse_integer(side[0], &ints[0]) && parse_integer(side[1], &ints[1]) && ints[0] >= least &&
        ints[0] < ints[1] && ints[1] <= most + 1)
        return 0;
    return complain(BAD_USAGE,
                    "--range %s: accepted for %s: LOW:HIGH, integers with LOW below HIGH, within "
                    "%lld:%lld",
                    text, type->name, (long long)least, (long long)most + 1);
}

/* The width and the scale of any number of bins must be floats, neither 0 nor infinite. */
static int parse_floats(float f32[2], const char *text, const char *const side[2])
{
    if (parse_float(side[0], &f32[0]) && parse_float(side[1], &f32[1]) && f32[0] < f32[1] &&
        isnormal(f32[1] - f32[0]) && isnormal(1 / (f32[1] - f32[0])) &&
        isfinite(MAX_BINS / (f32[1] - f32[0])))
        return 0;
    return complain(BAD_USAGE,
                    "--range %s: accepted for f32: LOW:HIGH, numbers with LOW below HIGH, more "
                    "than 2^-112 and at most 2^126 apart",
                    text);
}

int range_parse(struct range *range, const char *text, const struct type *type)
{
    const char *colon = text ? strchr(text, ':') : NULL;
    char low[64] = "";
    const char *side[2] = {low, colon ? colon + 1 : ""};

    *range = (struct range){{0, 1}, {0, type == &type_u8 ? 256 : (int64_t)1 << 31}};
    if (!text)
        return 0;
    if (type == &type_u32)
        return complain(BAD_USAGE,
                        "--range %s: u32 elements are counted modulo the bins; use --type f32, "
                        "i32 or u8",
                        text);
    if (colon && (size_t)(colon - text) < sizeof(low))
        memcpy(low, text, (size_t)(colon - text));
    return type == &type_f32 ? parse_floats(range->f32, text, side)
                             : parse_integers(range->ints, text, side, type);
}

/* ceil(count * 2^64 / range), for a range of 2^31 to 2^32: two steps of a long division. */
static unsigned long long multiplier_of(uint64_t count, uint64_t range)
{
    uint64_t upper = (count << 32) / range, rest = (count << 32) % range;

    return (upper << 32) + ((rest << 32) + range - 1) / range;
}

struct bins bins_of(const struct range *range, const struct type *type, size_t count)
{
    struct bins b = {.count = (unsigned)count};
    uint64_t width = (uint64_t)(range->ints[1] - range->ints[0]);

    if (type == &type_f32) {
        b.low = range->f32[0];
        b.high = range->f32[1];
        b.scale = (float)b.count / (b.high - b.low);
    } else if (type != &type_u32) {
        b.first = (unsigned)range->ints[0];
        b.last = (unsigned)(width - 1);
        while (width << b.shift < (uint64_t)1 << 31)
            b.shift++;
        b.multiplier = multiplier_of(count, width << b.shift);
        b.short_multiplier = (uint32_t)b.multiplier == 0;
    }
    return b;
}
