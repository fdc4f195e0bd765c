#define _POSIX_C_SOURCE 200809L
#include "families/segmented/segmented_input.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/element.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/parallel.h"

#define PAD 128 /* elements: their flags are 128 bytes, or 128 bits */
#define KEYS_PIECE ((size_t)1 << 16)

/* How many there are in a list, as "1,0,1". */
static size_t listed(const char *list)
{
    size_t count = 1;

    for (; *list; list++)
        count += *list == ',';
    return count;
}

/* The element at the start of text, in *value; what follows it, or NULL if that is no element. */
static const char *read_element(const char *text, const struct type *type, void *value)
{
    char *end;
    long integer;
    int32_t whole;
    float real;

    if (*text == '\0' || *text == ',' || strchr(" \t\n\v\f\r", *text))
        return NULL;
    errno = 0;
    if (type == &type_f32) {
        real = strtof(text, &end);
        memcpy(value, &real, sizeof(real));
    } else {
        integer = strtol(text, &end, 10);
        if (errno || integer < INT32_MIN || integer > INT32_MAX)
            return NULL;
        whole = (int32_t)integer;
        memcpy(value, &whole, sizeof(whole));
    }
    return end > text && (*end == ',' || *end == '\0') ? end : NULL;
}

static int accept_flags(const char *flags, size_t axis[MAX_AXES], bool sized)
{
    size_t count = listed(flags);

    for (const char *c = flags;; c += 2) {
        if ((*c != '0' && *c != '1') || (c[1] != ',' && c[1]))
            return complain(BAD_USAGE, "--flags %s: not accepted; accepted: 0 and 1, as 1,0,1",
                            *flags ? flags : "''");
        if (!c[1])
            break;
    }
    if (*flags != '1')
        return complain(BAD_USAGE,
                        "--flags %s: a segment begins with element 0; accepted: a list "
                        "that begins with 1",
                        flags);
    if (sized && axis[0] != count)
        return complain(BAD_USAGE,
                        "--flags has %zu flags for %zu elements; accepted: one each, or "
                        "no --size",
                        count, axis[0]);
    axis[0] = count;
    return 0;
}

static int accept_values(const char *values, const char *flags, const struct type *type)
{
    char value[8];

    if (!flags)
        return complain(BAD_USAGE, "--values needs --flags; accepted: a flag for each value");
    if (listed(values) != listed(flags))
        return complain(BAD_USAGE, "--values has %zu values for %zu flags; accepted: one each",
                        listed(values), listed(flags));
    for (const char *c = values, *end;; c = end + 1) {
        end = read_element(c, type, value);
        if (!end)
            return complain(BAD_USAGE,
                            "--values %s: not accepted; accepted: numbers of type %s, as "
                            "3,1,2",
                            *values ? values : "''", type->name);
        if (*end == '\0')
            return 0;
    }
}

int segmented_accept(const struct setting *setting, size_t axis[MAX_AXES], bool sized)
{
    const char *flags = setting->parameters[FLAGS], *values = setting->parameters[VALUES];
    int status = flags ? accept_flags(flags, axis, sized) : 0;

    return status == 0 && values ? accept_values(values, flags, setting->type) : status;
}

struct heads {
    unsigned char *flags;
    uint32_t *bits;
    const char *list; /* NULL: none */
    size_t listed;
    uint64_t seed, rarely; /* a random number up to this begins a segment */
};

/* A word of flags and its bits, from place i on. */
static void fill_word(const struct heads *h, size_t i, size_t count)
{
    uint64_t random[32];
    uint32_t bits = 0;

    input_bits_row(random, h->seed, i, count);
    for (size_t k = 0; k < count; k++) {
        bool listed = i + k < h->listed;

        h->flags[i + k] =
            listed ? h->list[2 * (i + k)] == '1' : i + k == 0 || random[k] <= h->rarely;
        bits |= (uint32_t)h->flags[i + k] << k;
    }
    h->bits[i / 32] = bits;
}

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct heads *h = (const struct heads *)context;

    static_assert(PARALLEL_CHUNK % 32 == 0, "chunks of whole words");
    (void)chunk;
    for (size_t i = begin; i < end; i += 32)
        fill_word(h, i, end - i < 32 ? end - i : 32);
}

int segmented_fill_values(struct buffer *x, const struct setting *setting)
{
    const char *values = setting->parameters[VALUES];

    if (!values)
        return 0;
    for (size_t i = 0; i < x->capacity && *values; i++) {
        values = read_element(values, setting->type, (char *)x->host + i * x->bytes);
        values += *values == ',';
    }
    return buffer_upload(x);
}

int segmented_reserve_flags(struct buffer *flags, struct buffer *bits, size_t n)
{
    size_t padded = (n + PAD - 1) / PAD * PAD;
    int status = buffer_reserve(flags, padded);

    if (status == 0)
        status = buffer_reserve(bits, padded / 32);
    if (status == 0)
        status = buffer_reserve_host(flags, padded);
    return status == 0 ? buffer_reserve_host(bits, padded / 32) : status;
}

int segmented_fill_flags(struct buffer *flags, struct buffer *bits, size_t n, size_t segment,
                         const struct setting *setting)
{
    const char *list = setting->parameters[FLAGS];
    struct heads h = {.list = list,
                      .listed = list ? listed(list) : 0,
                      .rarely = UINT64_MAX / (segment > 0 ? segment : 1)};
    int status;

    h.flags = (unsigned char *)memset(flags->host, 0, flags->capacity);
    h.bits = (uint32_t *)memset(bits->host, 0, bits->capacity * sizeof(*h.bits));
    h.seed = setting->seed ^ 0x5e6; /* others than those of x */
    parallel_for(n, fill_chunk, &h);
    status = buffer_upload(flags);
    return status == 0 ? buffer_upload(bits) : status;
}

int segmented_fill_keys(struct buffer *keys, const unsigned char *flags, size_t n)
{
    int32_t piece[KEYS_PIECE], key = 0;
    int status = buffer_reserve(keys, n);

    for (size_t at = 0; at < n && status == 0; at += KEYS_PIECE) {
        size_t length = n - at < KEYS_PIECE ? n - at : KEYS_PIECE;

        for (size_t i = 0; i < length; i++)
            piece[i] = key += flags[at + i];
        status = device_check(cudaMemcpy((int32_t *)keys->device + at, piece,
                                         length * sizeof(*piece), cudaMemcpyHostToDevice));
    }
    return status;
}
