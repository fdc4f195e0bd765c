#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "harness/kit/element.h"
#include "harness/kit/input.h"
#include "harness/kit/parallel.h"
#include "harness/kit/sums.h"

static struct reference reference_sum_f32(const float *x, size_t n)
{
    struct spans spans;
    struct reference r;

    assert_int_equal(spans_fill(&spans, x, n, &type_f32, false), 0);
    r = spans_sum_f32(&spans, x, n);
    spans_free(&spans);
    return r;
}

static int32_t reference_sum_i32(const int32_t *x, size_t n)
{
    struct spans spans;
    int32_t sum;

    assert_int_equal(spans_fill(&spans, x, n, &type_i32, false), 0);
    sum = spans_sum_i32(&spans, x, n);
    spans_free(&spans);
    return sum;
}

static void fill(float *x, size_t n, enum input kind, uint64_t seed)
{
    const struct setting setting = {.type = &type_f32, .input = input_names[kind], .seed = seed};

    input_fill(x, n, &setting);
}

static float chain(const float *x, size_t n)
{
    float sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static float tree(const float *x, size_t n)
{
    return n == 0 ? 0 : n == 1 ? x[0] : tree(x, n - n / 2) + tree(x + (n - n / 2), n / 2);
}

static void reference_keeps_what_double_loses(void **state)
{
    const float x[] = {0x1p100f, 1, -0x1p100f, 0x1p-60f};
    struct reference r = reference_sum_f32(x, 4);

    (void)state;
    assert_true(r.value == 1 + 0x1p-60 || r.value == 1);
    assert_true(r.value == 1.0); /* 2^-60 is below the last digit of 1 */
    assert_true(r.magnitude == 0x1p101);
    assert_int_equal(r.terms, 4);
    assert_false(r.integers);
}

/* The sum of random inputs, whose elements are multiples of 2^-24, is exact in 64-bit integers. */
static void reference_equals_exact_sum(void **state)
{
    size_t n = 3 * PARALLEL_CHUNK + 12345;
    float *x = malloc(n * sizeof(*x));
    int64_t exact = 0;
    struct reference r, again;

    (void)state;
    assert_non_null(x);
    fill(x, n, INPUT_RANDOM, 3);
    for (size_t i = 0; i < n; i++)
        exact += (int64_t)(x[i] * 0x1p24f);
    r = reference_sum_f32(x, n);
    again = reference_sum_f32(x, n);
    assert_true(r.value == (double)exact * 0x1p-24);
    assert_true(r.value == again.value && r.magnitude == again.magnitude);
    free(x);
}

static void reference_of_special_values(void **state)
{
    const float nan[] = {1, NAN, 2}, plus[] = {1, INFINITY}, minus[] = {-INFINITY, 1};
    const float both[] = {INFINITY, 1, -INFINITY};

    (void)state;
    assert_true(isnan(reference_sum_f32(nan, 3).value));
    assert_true(reference_sum_f32(nan, 1).value == 1);
    assert_true(reference_sum_f32(plus, 2).value == INFINITY);
    assert_true(reference_sum_f32(minus, 2).value == -INFINITY);
    assert_true(isnan(reference_sum_f32(both, 3).value));
    assert_true(reference_sum_f32(NULL, 0).value == 0);
}

static void special_values_must_match(void **state)
{
    const float values[] = {NAN, INFINITY, -INFINITY, 1};
    struct result result;

    (void)state;
    for (size_t expected = 0; expected < 4; expected++) {
        struct reference r = {values[expected], 1, 2, false};

        for (size_t got = 0; got < 4; got++) {
            verify_sum_f32(&result, values[got], &r, 1);
            assert_int_equal(result.verdict == VERDICT_OK, got == expected);
        }
    }
}

/* Sums in float, in two orders, stay inside the bound for their depth; and the bound is of use: it
 * is below a thousandth of the sum where the depth is small. */
static void bounds_hold(void **state)
{
    const size_t sizes[] = {1, 2, 3, 31, 1000, 65537, 1000003};
    float *x = malloc(1000003 * sizeof(*x));
    struct result result;

    (void)state;
    assert_non_null(x);
    for (int kind = INPUT_RANDOM; kind <= INPUT_HOSTILE; kind++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            fill(x, 1000003, kind, seed);
            for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
                size_t n = sizes[s];
                struct reference r = reference_sum_f32(x, n);

                verify_sum_f32(&result, chain(x, n), &r, (double)n - 1);
                assert_int_equal(result.verdict, VERDICT_OK);
                verify_sum_f32(&result, tree(x, n), &r, ceil(log2((double)n)));
                assert_int_equal(result.verdict, VERDICT_OK);
                if (kind == INPUT_RANDOM && n > 100)
                    assert_true(result.bound < 1e-3 * fabs(r.value));
            }
        }
    }
    free(x);
}

static void an_error_just_over_the_bound_is_caught(void **state)
{
    const float x[] = {0.1f, 0.7f, -0.3f, 0.2f};
    struct reference r = reference_sum_f32(x, 4);
    double bound = sum_bound(&r, 2);
    float good = (float)r.value;
    struct result result;

    (void)state;
    /* By hand: d = 2, gamma = 2 * 2^-24 to first order, the magnitude is 1.3. */
    assert_true(fabs(bound / (2 * 0x1p-24 * 1.3) - 1) < 1e-6);
    while (good - r.value <= bound)
        good = nextafterf(good, INFINITY);
    verify_sum_f32(&result, good, &r, 2);
    assert_int_equal(result.verdict, VERDICT_WRONG);
    assert_true(result.error > result.bound);
    verify_sum_f32(&result, nextafterf(good, -INFINITY), &r, 2);
    assert_int_equal(result.verdict, VERDICT_OK);
}

static void integers_are_held_to_be_exact(void **state)
{
    float *x = malloc(20000 * sizeof(*x));
    struct reference r;
    struct result result;

    (void)state;
    assert_non_null(x);
    fill(x, 20000, INPUT_RAMP, 0);
    r = reference_sum_f32(x, 20000);
    verify_sum_f32(&result, 9990000, &r, 1000);
    assert_true(result.verdict == VERDICT_OK && result.bound == 0);
    verify_sum_f32(&result, 9990001, &r, 1000); /* an element of 1 counted twice */
    assert_int_equal(result.verdict, VERDICT_WRONG);
    x[5] = 5.5f;
    r = reference_sum_f32(x, 20000);
    assert_true(sum_bound(&r, 10) > 0);
    x[5] = 0x1p24f; /* now over 2^24 in all */
    r = reference_sum_f32(x, 20000);
    assert_true(sum_bound(&r, 10) > 0);
    free(x);
}

static void bound_grows_with_depth_up_to_n(void **state)
{
    struct reference r = {1, 1, 1001, false};

    (void)state;
    assert_true(sum_bound(&r, 20) > 1.9 * sum_bound(&r, 10));
    assert_true(sum_bound(&r, 1000) == sum_bound(&r, 1e30));
    r.terms = (size_t)1 << 26; /* d u above 1: the bound for any order takes over */
    assert_true(sum_bound(&r, 1e30) < 5 && sum_bound(&r, 1e30) > 3.9);
}

static void integers_wrap(void **state)
{
    const int32_t x[] = {INT32_MAX, 1, INT32_MIN, -1, INT32_MAX, INT32_MAX};
    struct result result;

    (void)state;
    assert_int_equal(reference_sum_i32(x, 2), INT32_MIN);
    assert_int_equal(reference_sum_i32(x, 6), -3);
    assert_int_equal(reference_sum_i32(x, 0), 0);
    verify_i32(&result, -3, -3);
    assert_true(result.verdict == VERDICT_OK && result.error == 0);
    verify_i32(&result, -2, -3);
    assert_int_equal(result.verdict, VERDICT_WRONG);
    assert_true(result.error == 1);
}

static void accumulators_join(void **state)
{
    struct accumulator whole = {0}, a = {0}, b = {0};

    (void)state;
    for (size_t i = 0; i < 4000; i++) {
        float x = input_f32(INPUT_HOSTILE, 4, i);

        accumulate(&whole, x);
        accumulate(i < 1700 ? &a : &b, x);
    }
    accumulate_other(&a, &b);
    assert_int_equal(a.terms, whole.terms);
    assert_true(fabs(accumulated(&a).value - accumulated(&whole).value) <=
                0x1p-50 * whole.magnitude);
    accumulate(&b, -INFINITY);
    accumulate_other(&a, &b);
    assert_true(accumulated(&a).value == -INFINITY);
}

/* Any number of first elements gives the same as adding them up, from spans of more of them. */
static void beginnings_add_up(void **state)
{
    const size_t n = PARALLEL_CHUNK + 5 * SUM_SPAN + 17;
    const size_t ends[] = {0, 1, SUM_SPAN - 1, SUM_SPAN, SUM_SPAN + 1, PARALLEL_CHUNK, n};
    float *x = malloc(n * sizeof(*x));
    struct spans f32, i32;

    (void)state;
    assert_non_null(x);
    fill(x, n, INPUT_RANDOM, 9);
    assert_int_equal(spans_fill(&f32, x, n, &type_f32, false), 0);
    assert_int_equal(spans_fill(&i32, x, n, &type_i32, false), 0);
    for (size_t e = 0; e < COUNT(ends); e++) {
        int64_t exact = 0;
        uint32_t bits = 0;

        for (size_t i = 0; i < ends[e]; i++) {
            exact += (int64_t)(x[i] * 0x1p24f);
            bits += ((const uint32_t *)x)[i];
        }
        assert_true(spans_sum_f32(&f32, x, ends[e]).value == (double)exact * 0x1p-24);
        assert_int_equal(spans_sum_f32(&f32, x, ends[e]).terms, ends[e]);
        assert_int_equal((uint32_t)spans_sum_i32(&i32, (const int32_t *)x, ends[e]), bits);
    }
    spans_free(&f32);
    spans_free(&i32);
    free(x);
}

/* Beyond 2^24 in magnitudes an input of random signs is still compared by equality, also where the
 * spans begin. */
static void small_sums_are_exact(void **state)
{
    const size_t n = (1u << 22) + 5, ends[] = {0, 1, SUM_SPAN - 1, SUM_SPAN, SUM_SPAN + 1, n};
    float *x = malloc(n * sizeof(*x));
    struct spans spans;

    (void)state;
    assert_non_null(x);
    fill(x, n, INPUT_EXACT, 1);
    assert_int_equal(spans_fill(&spans, x, n, &type_f32, true), 0);
    for (size_t e = 0; e < COUNT(ends); e++) {
        struct reference r = spans_sum_f32(&spans, x, ends[e]);

        assert_true(r.small && sum_bound(&r, 1e6) == 0);
        assert_true(chain(x, ends[e]) == r.value && tree(x, ends[e]) == r.value);
    }
    spans_free(&spans);
    assert_int_equal(spans_fill(&spans, x, n, &type_f32, false), 0);
    assert_true(spans.f32[n / SUM_SPAN].magnitude > 0x1p24);
    {
        struct reference r = spans_sum_f32(&spans, x, n);

        assert_true(sum_bound(&r, 1e6) > 0);
    }
    spans_free(&spans);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_keeps_what_double_loses),
        cmocka_unit_test(reference_equals_exact_sum),
        cmocka_unit_test(reference_of_special_values),
        cmocka_unit_test(special_values_must_match),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(an_error_just_over_the_bound_is_caught),
        cmocka_unit_test(integers_are_held_to_be_exact),
        cmocka_unit_test(bound_grows_with_depth_up_to_n),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(accumulators_join),
        cmocka_unit_test(beginnings_add_up),
        cmocka_unit_test(small_sums_are_exact),
    };

    return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}
