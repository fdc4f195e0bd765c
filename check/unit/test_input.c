#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "harness/kit/element.h"
#include "harness/kit/input.h"
#include "harness/kit/sums.h"

#define N 600000 /* three chunks */

static void fill(void *x, size_t n, const struct type *type, enum input kind, uint64_t seed)
{
    const struct setting setting = {.type = type, .input = input_names[kind], .seed = seed};

    input_fill(x, n, &setting);
}

static void the_array_is_the_function(void **state)
{
    float *f = malloc(N * sizeof(*f));
    int32_t *k = malloc(N * sizeof(*k));

    (void)state;
    assert_true(f && k);
    for (int kind = INPUT_RANDOM; kind <= INPUT_HOSTILE; kind++) {
        for (uint64_t seed = 0; seed < 5; seed++) {
            fill(f, N, &type_f32, kind, seed);
            fill(k, N, &type_i32, kind, seed);
            for (size_t i = 0; i < N; i += i < 2000 ? 1 : 997) {
                float expected = input_f32((enum input)kind, seed, i);

                assert_memory_equal(&f[i], &expected, sizeof(expected));
                assert_int_equal(k[i], input_i32((enum input)kind, seed, i));
            }
        }
    }
    free(f);
    free(k);
}

static void a_prefix_is_the_smaller_input(void **state)
{
    float *large = malloc(N * sizeof(*large)), small[1000];

    (void)state;
    assert_non_null(large);
    fill(large, N, &type_f32, INPUT_HOSTILE, 3);
    fill(small, 1000, &type_f32, INPUT_HOSTILE, 3);
    assert_memory_equal(large, small, sizeof(small));
    free(large);
}

static void random_is_as_documented(void **state)
{
    double sum = 0, magnitude = 0;
    size_t differ = 0;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        float x = input_f32(INPUT_RANDOM, 7, i);

        assert_true(x >= -0.25f && x < 0.75f);
        assert_true(x * 0x1p24f == truncf(x * 0x1p24f));
        sum += x;
        magnitude += fabsf(x);
        differ += x != input_f32(INPUT_RANDOM, 8, i);
    }
    assert_true(fabs(sum / N - 0.25) < 0.002); /* 5 sigma of the mean */
    assert_true(fabs(magnitude / sum - 1.25) < 0.01);
    assert_true(differ > N - 10); /* seeds matter */
}

static void hostile_kinds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        float x[1000];
        struct accumulator a = {0};
        size_t denormals = 0, huge = 0;

        fill(x, 1000, &type_f32, INPUT_HOSTILE, seed);
        for (size_t i = 0; i < 1000; i++) {
            accumulate(&a, x[i]);
            denormals += fpclassify(x[i]) == FP_SUBNORMAL;
            huge += fabsf(x[i]) >= 0x1p60f && isfinite(x[i]);
        }
        assert_int_equal(a.nans, seed % 4 == 1);
        assert_int_equal(a.plus_infinities, seed % 4 == 2 ? 2 : seed % 4 == 3);
        assert_int_equal(a.minus_infinities, seed % 4 == 3);
        assert_int_equal(denormals, seed % 4 == 0 ? 250 : 0);
        assert_int_equal(huge, seed % 4 == 0 ? 250 : 0);
        /* Were all of 2^40 elements like this, no partial sum would overflow. */
        assert_true(a.magnitude / 1000 * 0x1p40 < 0x1p127);
        if (seed % 4 == 0)
            assert_true(fabs(accumulated(&a).value) < 1e-12 * a.magnitude);
    }
}

static void ones_and_ramp(void **state)
{
    (void)state;
    assert_true(input_f32(INPUT_ONES, 5, 123456789) == 1);
    assert_int_equal(input_i32(INPUT_ONES, 5, 0), 1);
    assert_true(input_f32(INPUT_RAMP, 5, 1999) == 999);
    assert_int_equal(input_i32(INPUT_RAMP, 5, 1000), 0);
}

/* Partial sums stay far below 2^24: after m terms some 5 sqrt(m), and here never above 40 sqrt(m).
 */
static void exact_sums_stay_small(void **state)
{
    long long sum = 0, most = 0;
    size_t positive = 0, sizes[9] = {0};

    (void)state;
    for (size_t i = 0; i < N; i++) {
        int32_t x = input_i32(INPUT_EXACT, 3, i);

        assert_true(input_f32(INPUT_EXACT, 3, i) == (float)x);
        assert_in_range(abs(x), 1, 8);
        sizes[abs(x)]++;
        positive += x > 0;
        sum += x;
        most = llabs(sum) > most ? llabs(sum) : most;
    }
    for (int size = 1; size <= 8; size++)
        assert_true(fabs(sizes[size] / (N / 8.) - 1) < 0.03);
    assert_true(fabs(positive / (N / 2.) - 1) < 0.01);
    assert_true((double)most < 40 * sqrt(N));
}

static void what_is_exact(void **state)
{
    struct setting setting = {.type = &type_f32, .input = "exact"};

    (void)state;
    assert_true(input_exact(&setting, 0));
    assert_true(input_exact(&setting, EXACT_TERMS));
    assert_false(input_exact(&setting, EXACT_TERMS + 1));
    setting.input = "random";
    assert_false(input_exact(&setting, 10));
    setting.input = NULL;
    assert_false(input_exact(&setting, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_array_is_the_function),
        cmocka_unit_test(a_prefix_is_the_smaller_input),
        cmocka_unit_test(random_is_as_documented),
        cmocka_unit_test(hostile_kinds),
        cmocka_unit_test(ones_and_ramp),
        cmocka_unit_test(exact_sums_stay_small),
        cmocka_unit_test(what_is_exact),
    };

    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
