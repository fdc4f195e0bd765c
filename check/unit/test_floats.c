#include "unit.h"

#include "harness/kit/element.h"
#include "harness/kit/floats.h"

static void elements_are_read_by_type(void **state)
{
    const float single[] = {1.5f, -0.0f};
    const uint16_t f16[] = {0x3e00, 0x0001}, bf16[] = {0x3fc0, 0x0001};

    (void)state;
    assert_true(float_at(single, float_type_of(&type_f32), 0) == 1.5f);
    assert_true(float_at(f16, float_type_of(&type_f16), 0) == 1.5f);
    assert_true(float_at(f16, FLOAT_F16, 1) == 0x1p-24f);
    assert_true(float_at(bf16, float_type_of(&type_bf16), 0) == 1.5f);
    assert_true(float_at(bf16, FLOAT_BF16, 1) == 0x1p-133f);
}

/* All its bits are set; a NaN that a conversion gives is another one. */
static void poison_is_no_result(void **state)
{
    const uint16_t narrow[] = {0xffff, f16_of_f32(NAN), bf16_of_f32(-NAN), 0xff80};
    const uint32_t single[] = {0xffffffff, 0x7fc00000};

    (void)state;
    assert_true(poison_at(narrow, FLOAT_F16, 0) && poison_at(narrow, FLOAT_BF16, 0));
    for (size_t i = 1; i < 4; i++)
        assert_false(poison_at(narrow, FLOAT_F16, i) || poison_at(narrow, FLOAT_BF16, i));
    assert_true(poison_at(single, FLOAT_F32, 0));
    assert_false(poison_at(single, FLOAT_F32, 1));
}

/* No float is off by more than the bound when it is rounded, and some by nearly all of it. */
static void rounding_has_a_bound(void **state)
{
    double most[] = {0, 0};

    (void)state;
    for (uint32_t bits = 1; bits < 0x7f7f0000; bits += 77777) {
        float v = half_float_of(bits);
        double off[] = {fabs((double)f32_of_f16(f16_of_f32(v)) - v),
                        fabs((double)f32_of_bf16(bf16_of_f32(v)) - v)};

        for (int type = FLOAT_F16; type <= FLOAT_BF16; type++) {
            double part = off[type - FLOAT_F16] / float_rounding(v, (enum float_type)type);

            if (type == FLOAT_F16 && v >= 65520)
                continue;
            assert_true(part <= 1);
            most[type - FLOAT_F16] = fmax(most[type - FLOAT_F16], part);
        }
    }
    assert_true(most[0] > 0.99 && most[1] > 0.99);
    assert_true(float_rounding(1, FLOAT_F32) == 0);
}

static void infinities_come_where_numbers_end(void **state)
{
    (void)state;
    assert_true(isinf(f32_of_f16(f16_of_f32(65520))) &&
                float_overflows(INFINITY, 65520, FLOAT_F16));
    assert_false(isinf(f32_of_f16(f16_of_f32(65519))));
    assert_false(float_overflows(-INFINITY, 65519, FLOAT_F16));
    assert_true(isinf(f32_of_bf16(bf16_of_f32(0x1.ffp127f))));
    assert_true(float_overflows(-INFINITY, 0x1.ffp127, FLOAT_BF16));
    assert_false(float_overflows(INFINITY, 0x1.fep127, FLOAT_BF16));
    assert_false(float_overflows(65504, 65530, FLOAT_F16));
    assert_false(float_overflows(INFINITY, 1e300, FLOAT_F32));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_read_by_type),
        cmocka_unit_test(poison_is_no_result),
        cmocka_unit_test(rounding_has_a_bound),
        cmocka_unit_test(infinities_come_where_numbers_end),
    };

    return cmocka_run_group_tests_name("floats", tests, NULL, NULL);
}
