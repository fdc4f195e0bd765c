/*
 * The two types of 16 bits: their conversions against the CPU device's, and the bound of sums on
 * tensor cores against what the CPU device's sum: within it, and beyond it where a term is missing.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "cpu/abi.h"
#include "cpu/runtime/tensor_sums.h"
#include "harness/kit/element.h"
#include "harness/kit/half.h"
#include "harness/kit/input.h"
#include "harness/kit/sums.h"

enum { DEPTH = 512, SUMS = 200 };

static void all_halves_convert(void **unused)
{
    (void)unused;
    for (uint32_t h = 0; h < 65536; h++) {
        float f = f32_of_f16((uint16_t)h), expected = cpu_f32_of_f16((uint16_t)h);
        bool is_nan = (h & 0x7fff) > 0x7c00;

        assert_true(is_nan ? isnan(f) && !signbit(f) && !signbit(expected)
                           : f == expected && signbit(f) == signbit(expected));
        assert_int_equal(f16_of_f32(f), is_nan ? 0x7fff : h);
        f = f32_of_bf16((uint16_t)h);
        assert_int_equal(bf16_of_f32(f), isnan(f) ? 0x7fff : h);
    }
}

static void floats_round_as_on_the_device(void **unused)
{
    (void)unused;
    for (uint64_t i = 0; i < 300000; i++) {
        float f = half_float_of((uint32_t)input_bits(1, i)); /* of all magnitudes */
        float g = ldexpf(half_float_of(0x3f800000 | ((uint32_t)i << 11 & 0x7fffff)),
                         (int)(i % 48) - 28); /* about those of f16, many of them in the middle */

        assert_int_equal(f16_of_f32(f), cpu_f16_of_f64(f, CPU_TO_NEAREST));
        assert_int_equal(bf16_of_f32(f), cpu_bf16_of_f64(f, CPU_TO_NEAREST));
        assert_int_equal(f16_of_f32(g), cpu_f16_of_f64(g, CPU_TO_NEAREST));
        assert_int_equal(bf16_of_f32(-g), cpu_bf16_of_f64(-g, CPU_TO_NEAREST));
    }
}

static void inputs_are_of_the_type(void **unused)
{
    static const struct type *const types[] = {&type_f16, &type_bf16};

    (void)unused;
    for (int t = 0; t < 2; t++)
        for (int kind = INPUT_RANDOM; kind <= INPUT_HOSTILE; kind++) {
            const struct setting setting = {
                .type = types[t], .input = input_names[kind], .seed = 4};
            uint16_t h[1001];
            unsigned special = 0;

            h[1000] = 0xabcd;
            input_fill(h, 1000, &setting);
            assert_int_equal(h[1000], 0xabcd);
            for (size_t i = 0; i < 1000; i++) {
                float f = t ? f32_of_bf16(h[i]) : f32_of_f16(h[i]);
                float wide = input_f32((enum input)kind, 4, i);

                assert_int_equal(h[i], input_half((enum input)kind, types[t], 4, i));
                special += !isfinite(f);
                if (kind == INPUT_RANDOM && t)
                    assert_true(fabsf(f - wide) <= 0x1p-8f * fabsf(wide));
                else if (kind == INPUT_RANDOM)
                    assert_true(f >= -0.25f && f < 0.75f && f * 2048 == rintf(f * 2048));
                else if (kind != INPUT_HOSTILE)
                    assert_true(fabsf(f - wide) <= (t && wide > 256 ? 2 : 0));
            }
            assert_int_equal(special, 0);
        }
}

/* One element of a product, by instructions of 16 products; without the term `missing`. */
static double sum_on_device(enum cpu_tensor type, const uint16_t *a, const uint16_t *b, int missing)
{
    uint32_t sum = 0;

    for (int k = 0; k < DEPTH; k += 16) {
        struct tensor_line x = {{0}}, y = {{0}};

        for (int i = 0; i < 16; i++) {
            tensor_set(&x, (unsigned)i, type, k + i == missing ? 0 : a[k + i]);
            tensor_set(&y, (unsigned)i, type, b[k + i]);
        }
        sum = tensor_sum(type, &x, &y, 16, sum);
    }
    return half_float_of(sum);
}

static void sums_keep_to_the_bound(void **unused)
{
    unsigned rounded = 0, seen = 0;

    (void)unused;
    for (int t = 0; t < 2; t++)
        for (uint64_t n = 0; n < SUMS; n++) {
            const struct type *type = t ? &type_bf16 : &type_f16;
            enum cpu_tensor unit = t ? CPU_TENSOR_BF16 : CPU_TENSOR_F16;
            uint16_t a[DEPTH], b[DEPTH];
            double term[DEPTH], sum = 0, magnitude = 0, bound, missing;

            for (size_t i = 0; i < DEPTH; i++) {
                double x, y;

                a[i] = input_half(INPUT_RANDOM, type, 2 * n, i);
                b[i] = input_half(INPUT_RANDOM, type, 2 * n + 1, i);
                x = t ? f32_of_bf16(a[i]) : f32_of_f16(a[i]);
                y = t ? f32_of_bf16(b[i]) : f32_of_f16(b[i]);
                term[i] = x * y;
                sum += term[i]; /* exact: a double has bits enough */
                magnitude += fabs(term[i]);
            }
            bound = tensor_bound(DEPTH, magnitude);
            assert_true(fabs(sum_on_device(unit, a, b, -1) - sum) <= bound);
            rounded += sum_on_device(unit, a, b, -1) != sum;
            missing = fabs(sum_on_device(unit, a, b, (int)n % DEPTH) - sum);
            if (fabs(term[n % DEPTH]) > 2 * bound) {
                assert_true(missing > bound);
                seen++;
            }
        }
    assert_true(rounded > SUMS); /* so the bound is about something: of most sums */
    assert_true(seen > SUMS);    /* of most terms it shows that they are missing */
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_halves_convert), cmocka_unit_test(floats_round_as_on_the_device),
        cmocka_unit_test(inputs_are_of_the_type), cmocka_unit_test(sums_keep_to_the_bound)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
