/*
 * The rule by which integers go into bins, against a division; ranges that are none; what the host
 * counts of elements whose bins are known; and what the inputs promise.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "families/histogram/histogram_count.h"
#include "families/histogram/histogram_values.h"

#define MANY 100000

/* As bin_in_range of histogram.h computes it, which only device code has. */
static uint64_t bin_by_multiplier(const struct bins *b, uint64_t d)
{
    uint64_t scaled = (uint32_t)(d << b->shift);
    uint64_t upper = b->multiplier >> 32, lower = (uint32_t)b->multiplier;

    return (scaled * upper + (scaled * lower >> 32)) >> 32;
}

static void compare_bins(int64_t low, uint64_t width, size_t count)
{
    const struct range range = {.ints = {low, low + (int64_t)width}};
    struct bins b = bins_of(&range, &type_i32, count);

    assert_int_equal(b.last, width - 1);
    for (uint64_t k = 0; k < count; k++) {
        uint64_t edge = (k * width + count - 1) / count; /* the first of bin k, if it has any */

        for (uint64_t d = edge > 0 ? edge - 1 : 0; d <= edge + 1 && d < width; d++)
            assert_true(bin_by_multiplier(&b, d) == d * count / width);
    }
    assert_true(bin_by_multiplier(&b, width - 1) == (width - 1) * count / width);
}

static void multiplying_is_dividing(void **state)
{
    static const uint64_t widths[] = {
        1,    2,        3,          10,         177,        255,         256,         257,
        1000, 16777213, 0x7fffffff, 0x80000000, 0x80000001, 4294967291u, 0xffffffffu, 0x100000000};
    static const size_t counts[] = {1, 2, 3, 10, 255, 256, 257, 1000, 65521, 65535, 65536};

    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++) {
        for (size_t k = 0; k < COUNT(counts); k++)
            compare_bins(INT32_MIN, widths[i], counts[k]);
    }
}

static void refused(const char *text, const struct type *type)
{
    struct capture c;
    struct range range;
    int status;

    capture_start(&c, STDERR_FILENO);
    status = range_parse(&range, text, type);
    assert_one_line(capture_stop(&c), text);
    assert_int_equal(status, BAD_USAGE);
}

static void ranges_are_read(void **state)
{
    struct range r;

    (void)state;
    assert_int_equal(range_parse(&r, "-0.5:1e3", &type_f32), 0);
    assert_true(r.f32[0] == -0.5f && r.f32[1] == 1000);
    assert_int_equal(range_parse(&r, "-2^31:2^31", &type_i32), 0);
    assert_true(r.ints[0] == INT32_MIN && r.ints[1] == (int64_t)1 << 31);
    assert_int_equal(range_parse(&r, "0:256", &type_u8), 0);
    assert_int_equal(range_parse(&r, NULL, &type_u32), 0);
}

static void ranges_that_are_none(void **state)
{
    static const char *const floats[] = {"1:1",   "2:1",     "nan:1", "0:inf",      "1",      ":",
                                         "0:1:2", "0:1e-34", "",      "-3e38:3e38", "0:1e38 "};
    static const char *const ints[] = {"5:5",           "6:5",   "0:2147483649",
                                       "-2147483649:0", "1.5:2", "-:3"};

    (void)state;
    for (size_t i = 0; i < COUNT(floats); i++)
        refused(floats[i], &type_f32);
    for (size_t i = 0; i < COUNT(ints); i++)
        refused(ints[i], &type_i32);
    refused("0:257", &type_u8);
    refused("-1:5", &type_u8);
    refused("0:1", &type_u32);
}

static void floats_are_counted(void **state)
{
    const float x[] = {NAN,
                       INFINITY,
                       -INFINITY,
                       -0.0f,
                       0x1p-149f,
                       -0x1p-149f,
                       0.25f,
                       1,
                       nextafterf(0.25f, 0),
                       nextafterf(1, 0),
                       0.5f,
                       -1};
    const struct range range = {.f32 = {0, 1}};
    uint64_t counts[5];

    (void)state;
    assert_int_equal(count_on_host(counts, x, COUNT(x), &type_f32, &range, 4), 0);
    assert_int_equal(counts[0], 3); /* -0.0, a denormal, the last one before 0.25 */
    assert_int_equal(counts[1], 1);
    assert_int_equal(counts[2], 1);
    assert_int_equal(counts[3], 1);
    assert_int_equal(counts[4], 6);
}

static void integers_are_counted(void **state)
{
    const int32_t x[] = {-100, -101, 76, 77, 0, INT32_MIN, INT32_MAX};
    const struct range range = {.ints = {-100, 77}};
    const uint32_t u[] = {0, 9, 10, 4294967295u};
    uint64_t counts[178];

    (void)state;
    assert_int_equal(count_on_host(counts, x, COUNT(x), &type_i32, &range, 177), 0);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[100], 1);
    assert_int_equal(counts[176], 1);
    assert_int_equal(counts[177], 4);
    assert_int_equal(count_on_host(counts, u, COUNT(u), &type_u32, &range, 10), 0);
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[9], 1);
    assert_int_equal(counts[5], 1);
    assert_int_equal(counts[10], 0);
}

static uint32_t *filled(const char *input, const struct type *type)
{
    const struct setting setting = {.type = type, .input = input, .seed = 7};
    struct range range;
    uint32_t *x = malloc(MANY * sizeof(*x));

    assert_non_null(x);
    assert_int_equal(range_parse(&range, NULL, type), 0);
    values_fill(x, MANY, &setting, &range);
    return x;
}

static void inputs_are_what_they_say(void **state)
{
    float *sorted = (float *)filled("sorted", &type_f32), *zipf;
    uint32_t *equal = filled("equal", &type_i32);
    const struct range range = {.f32 = {0, 1}};
    uint64_t *counts = malloc(65537 * sizeof(*counts)), most = 0;

    (void)state;
    for (size_t i = 1; i < MANY; i++) {
        assert_true(sorted[i] >= sorted[i - 1]);
        assert_int_equal(equal[i], equal[0]);
    }
    assert_true(sorted[0] == 0 && sorted[MANY - 1] > 0.9999f && sorted[MANY - 1] < 1);
    zipf = (float *)filled("zipf", &type_f32);
    assert_int_equal(count_on_host(counts, zipf, MANY, &type_f32, &range, 65536), 0);
    for (size_t b = 0; b < 65536; b++)
        most = counts[b] > most ? counts[b] : most;
    assert_int_equal(counts[65536], 0);
    /* 1/16 of 100000, and 5 standard deviations of 77 to either side */
    assert_in_range(most, 6250 - 385, 6250 + 385);
    free(sorted);
    free(equal);
    free(zipf);
    free(counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiplying_is_dividing), cmocka_unit_test(ranges_are_read),
        cmocka_unit_test(ranges_that_are_none),    cmocka_unit_test(floats_are_counted),
        cmocka_unit_test(integers_are_counted),    cmocka_unit_test(inputs_are_what_they_say),
    };

    return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
