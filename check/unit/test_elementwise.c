/*
 * The one right sum of two elements, against the host's own addition, and what is no sum.
 */
#include "unit.h"

#include "families/elementwise/elementwise_compare.h"
#include "harness/kit/input.h"

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* The host adds floats in float: one rounding, as a device's addition has. */
static void test_floats(void **state)
{
    static const float values[] = {0.f,     -0.f,     1.f,      -1.f,   0x1p-24f, 0x1.fffffep127f,
                                   0x1p24f, 0x1p-149, 0x1p-126, 1e-30f, INFINITY, -INFINITY};

    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        for (size_t k = 0; k < COUNT(values); k++) {
            volatile float sum = values[i] + values[k];

            assert_true(is_sum(bits_of(sum), bits_of(values[i]), bits_of(values[k]), true));
        }
    }
    for (size_t i = 0; i < 100000; i++) {
        float a = float_of((uint32_t)input_bits(1, i)), b = float_of((uint32_t)input_bits(2, i));
        volatile float sum = a + b;

        assert_true(is_sum(bits_of(sum), bits_of(a), bits_of(b), true));
        assert_false(is_sum(bits_of(sum) ^ 1, bits_of(a), bits_of(b), true) && !isnan(sum));
    }
}

static void test_zeros(void **state)
{
    (void)state;
    assert_false(is_sum(bits_of(-0.f), bits_of(1), bits_of(-1), true)); /* it is +0 */
    assert_true(is_sum(bits_of(-0.f), bits_of(-0.f), bits_of(-0.f), true));
}

static void test_nans(void **state)
{
    (void)state;
    assert_true(is_sum(bits_of(NAN) | 1, bits_of(INFINITY), bits_of(-INFINITY), true));
    assert_false(is_sum(UINT32_MAX, bits_of(NAN), bits_of(1), true)); /* poison */
    assert_false(is_sum(bits_of(NAN), bits_of(1), bits_of(1), true));
    assert_false(is_sum(bits_of(1), bits_of(NAN), bits_of(1), true));
}

static void test_integers(void **state)
{
    (void)state;
    assert_true(is_sum(1, UINT32_MAX, 2, false)); /* wraps */
    assert_true(is_sum(UINT32_MAX, UINT32_MAX, 0, false));
    assert_false(is_sum(2, UINT32_MAX, 2, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_nans),
        cmocka_unit_test(test_integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
