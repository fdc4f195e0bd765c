#include "unit.h"

#include "harness/kit/number.h"

static void reads_every_form(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"0", 0},
        {"1000003", 1000003},
        {"2^24", 16777216},
        {"2^0", 1},
        {"2^63", (uint64_t)1 << 63},
        {"16Mi", 16777216},
        {"1Ki", 1024},
        {"3Gi", (uint64_t)3 << 30},
        {"1e6", 1000000},
        {"12e0", 12},
        {"0e99", 0},
        {"0^3", 0},
        {"0^0", 1},
        {"1^99999999999", 1},
        {"007", 7},
        {"18446744073709551615", UINT64_MAX},
        {"10^19", 10000000000000000000u},
    };
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        value = 42;
        if (!number_parse(cases[i].text, &value) || value != cases[i].value)
            fail_msg("%s gave %llu", cases[i].text, (unsigned long long)value);
    }
}

static void refuses_all_else(void **state)
{
    static const char *const cases[] = {
        "",
        " 1",
        "1 ",
        "-1",
        "+1",
        "0x",
        "0x10",
        "12abc",
        "2^",
        "^2",
        "2^-1",
        "2^64",
        "1e",
        "1e20",
        "e6",
        "1.5",
        "16M",
        "16Mib",
        "16mi",
        "2^4Mi",
        "18446744073709551616",
        "99999999999999999999",
        "1e6e1",
        "17179869184Gi",
        "1,000",
        "nan",
    };
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (number_parse(cases[i], &value))
            fail_msg("'%s' was taken for %llu", cases[i], (unsigned long long)value);
    }
}

static void reads_matrices(void **state)
{
    static const char *const bad[] = {"",          "x",    "3x",   "x3",    "3x3x3", "0x",
                                      "2^20x2^21", "2^41", "2^21", "3 x 3", "-1x3"};
    size_t rows, cols;

    (void)state;
    assert_true(number_parse_matrix("4096", &rows, &cols));
    assert_int_equal(rows, 4096);
    assert_int_equal(cols, 4096);
    assert_true(number_parse_matrix("1000x3000", &rows, &cols));
    assert_int_equal(rows, 1000);
    assert_int_equal(cols, 3000);
    assert_true(number_parse_matrix("2^4x1Ki", &rows, &cols));
    assert_int_equal(rows, 16);
    assert_int_equal(cols, 1024);
    assert_true(number_parse_matrix("0x10", &rows, &cols));
    assert_int_equal(rows, 0);
    assert_int_equal(cols, 10);
    assert_true(number_parse_matrix("2^40x1", &rows, &cols));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (number_parse_matrix(bad[i], &rows, &cols))
            fail_msg("'%s' was taken", bad[i]);
    }
}

static void prints_powers_of_two(void **state)
{
    char text[32];

    (void)state;
    assert_string_equal(number_print(text, sizeof(text), 16777216), "2^24");
    assert_string_equal(number_print(text, sizeof(text), 1024), "2^10");
    assert_string_equal(number_print(text, sizeof(text), 512), "512");
    assert_string_equal(number_print(text, sizeof(text), 1025), "1025");
    assert_string_equal(number_print(text, sizeof(text), 0), "0");
    assert_string_equal(number_print(text, sizeof(text), UINT64_MAX), "18446744073709551615");
}

static void multiplies_without_overflow(void **state)
{
    (void)state;
    assert_int_equal(multiply_or_max(6, 7), 42);
    assert_int_equal(multiply_or_max(SIZE_MAX, 0), 0);
    assert_int_equal(multiply_or_max(SIZE_MAX, 1), SIZE_MAX);
    assert_true(multiply_or_max((size_t)1 << 32, (size_t)1 << 32) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_form),
        cmocka_unit_test(refuses_all_else),
        cmocka_unit_test(reads_matrices),
        cmocka_unit_test(prints_powers_of_two),
        cmocka_unit_test(multiplies_without_overflow),
    };

    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
