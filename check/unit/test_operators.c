/*
 * The operators' references and verdicts: what each must be, and that a fault of one element is
 * seen.
 */
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "families/operators/operators_reference.h"
#include "families/operators/operators_verdict.h"
#include "harness/kit/element.h"
#include "harness/kit/input.h"
#include "harness/kit/parallel.h"

static struct expected expect_f32(const float *x, const float *z, size_t n)
{
    struct expected e;

    assert_int_equal(operators_expect(&e, false, x, z, n, &type_f32, false), 0);
    return e;
}

static enum verdict verdict(union operators_result got, enum operator_kind kind,
                            const struct expected *e, const struct type *type)
{
    struct result result = {VERDICT_OK};

    operators_verify(&result, &got, kind, e, type, 20);
    return result.verdict;
}

static enum verdict of_float(float value, enum operator_kind kind, const struct expected *e)
{
    return verdict((union operators_result){.element.f32 = value}, kind, e, &type_f32);
}

static enum verdict of_mean(unsigned long long count, double mean, double variance,
                            const struct expected *e)
{
    return verdict((union operators_result){.moments = {count, (float)mean, (float)variance}}, MEAN,
                   e, &type_f32);
}

static enum verdict of_greatest(float value, size_t at, const struct expected *e)
{
    return verdict((union operators_result){.greatest = {{.f32 = value}, at}}, ARGMAX, e,
                   &type_f32);
}

static void test_numbers(void **state)
{
    const float x[] = {3, -1, 0, 4, -5, 4}, z[] = {1, 2, 1, 2, 1, 4};
    struct expected e = expect_f32(x, z, 6);
    const struct {
        enum operator_kind kind;
        float value;
    } right[] = {{SUM, 5},        {PRODUCT, 16}, {MINIMUM, -5}, {MAXIMUM, 4}, {LOGICAL_AND, 0},
                 {LOGICAL_OR, 1}, {SQUARES, 67}, {DOT, 20},     {SUBTRACT, 1}};

    (void)state;
    for (size_t i = 0; i < COUNT(right); i++) {
        assert_int_equal(of_float(right[i].value, right[i].kind, &e), VERDICT_OK);
        assert_int_equal(of_float(right[i].value + 1, right[i].kind, &e), VERDICT_WRONG);
        assert_int_equal(of_float(NAN, right[i].kind, &e), VERDICT_WRONG);
    }
    assert_int_equal(of_greatest(4, 3, &e), VERDICT_OK);
    assert_int_equal(of_greatest(4, 5, &e), VERDICT_WRONG); /* the first of equals */
    assert_int_equal(of_greatest(3, 3, &e), VERDICT_WRONG);
    assert_int_equal((int)e.equal, 1); /* x[2] is 0 */
    assert_int_equal(of_mean(6, 5 / 6., 67 / 6. - 25 / 36., &e), VERDICT_OK);
    assert_int_equal(of_mean(5, 5 / 6., 67 / 6. - 25 / 36., &e), VERDICT_WRONG);
    assert_int_equal(of_mean(6, 0.83, 67 / 6. - 25 / 36., &e), VERDICT_WRONG);
    assert_int_equal(of_mean(6, 5 / 6., 10.5, &e), VERDICT_WRONG);
}

static void test_nothing(void **state)
{
    struct expected e = expect_f32((float[]){7}, (float[]){7}, 0);

    (void)state;
    assert_int_equal(of_float(0, SUM, &e), VERDICT_OK);
    assert_int_equal(of_float(1, PRODUCT, &e), VERDICT_OK);
    assert_int_equal(of_float(INFINITY, MINIMUM, &e), VERDICT_OK);
    assert_int_equal(of_float(-INFINITY, MAXIMUM, &e), VERDICT_OK);
    assert_int_equal(of_float(1, LOGICAL_AND, &e), VERDICT_OK);
    assert_int_equal(of_float(0, LOGICAL_OR, &e), VERDICT_OK);
    assert_int_equal(of_greatest(-INFINITY, 0, &e), VERDICT_OK);
    assert_int_equal(of_mean(0, NAN, NAN, &e), VERDICT_OK);
    assert_int_equal(of_mean(0, 0, NAN, &e), VERDICT_WRONG);
    assert_int_equal(of_mean(0, NAN, 0, &e), VERDICT_WRONG);
    assert_int_equal(operators_expect(&e, false, "", "", 0, &type_i32, false), 0);
    assert_true(e.least == INT32_MAX && e.greatest == INT32_MIN);
}

static void test_special(void **state)
{
    const float x[] = {1, INFINITY, NAN, INFINITY, NAN}, z[] = {1, 1, 1, 1, 1};
    const float huge[] = {0x1p70f, -0x1p70f, 0x1p60f}, low[] = {-INFINITY, -INFINITY};
    struct expected e = expect_f32(x, z, 5);

    (void)state;
    assert_int_equal(of_float(NAN, MINIMUM, &e), VERDICT_OK);
    assert_int_equal(of_float(1, MINIMUM, &e), VERDICT_WRONG);
    assert_int_equal(of_greatest(NAN, 2, &e), VERDICT_OK);
    assert_int_equal(of_greatest(INFINITY, 1, &e), VERDICT_WRONG);
    assert_int_equal(of_greatest(NAN, 4, &e), VERDICT_WRONG);
    assert_int_equal(of_mean(5, NAN, NAN, &e), VERDICT_OK);
    e = expect_f32(x, z, 2);
    assert_int_equal(of_mean(2, INFINITY, NAN, &e), VERDICT_OK);
    assert_int_equal(of_mean(2, INFINITY, INFINITY, &e), VERDICT_WRONG);
    assert_int_equal(of_float(INFINITY, SQUARES, &e), VERDICT_OK);
    e = expect_f32(huge, z, 3); /* squares that no float holds */
    assert_int_equal(of_float(INFINITY, SQUARES, &e), VERDICT_OK);
    assert_int_equal(of_float(FLT_MAX, SQUARES, &e), VERDICT_WRONG);
    assert_int_equal(of_mean(3, 0x1p60 / 3, INFINITY, &e), VERDICT_OK);
    assert_int_equal(of_mean(3, 0x1p60 / 3, FLT_MAX, &e), VERDICT_WRONG);
    e = expect_f32(low, z, 2);
    assert_int_equal(of_greatest(-INFINITY, 0, &e), VERDICT_OK);
    assert_int_equal(of_greatest(-INFINITY, 1, &e), VERDICT_WRONG);
}

/* Several chunks, joined in order; and one element less is seen by every operator that can. */
static void test_chunks(void **state)
{
    struct setting setting = {.type = &type_i32, .input = "random", .seed = 3};
    size_t n = 2 * PARALLEL_CHUNK + 77, at = n - 3;
    int32_t *x = malloc(n * sizeof(*x)), *z = malloc(n * sizeof(*z));
    uint32_t sum = 0, product = 1, dot = 0;
    struct expected e;

    (void)state;
    input_fill(x, n, &setting);
    operators_fill(z, n, &setting);
    x[at] = INT32_MAX;
    x[at + 1] = INT32_MAX;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(z[i] & 1, 1);
        sum += (uint32_t)x[i];
        product *= (uint32_t)z[i];
        dot += (uint32_t)x[i] * (uint32_t)z[i];
    }
    assert_int_equal(operators_expect(&e, false, x, z, n, &type_i32, false), 0);
    assert_true(e.i32_sum == sum && e.i32_product == product && e.i32_dot == dot);
    assert_true(e.at == at && e.n == n && e.first == x[0] && e.any);
    assert_int_equal(operators_expect(&e, false, x, z, n - 1, &type_i32, false), 0);
    assert_true(e.i32_sum != sum && e.i32_product != product && e.n == n - 1);
    free(x);
    free(z);
}

static void assert_same(const struct expected *a, const struct expected *b)
{
    assert_true(a->n == b->n && a->equal == b->equal && a->at == b->at && a->nan == b->nan);
    assert_true(a->sum.sum == b->sum.sum && a->sum.carry == b->sum.carry);
    assert_true(a->squares.sum == b->squares.sum && a->dot.sum == b->dot.sum);
    assert_true(a->dot.carry == b->dot.carry && a->product == b->product);
    assert_true(a->least == b->least && a->greatest == b->greatest && a->first == b->first);
    assert_true(a->fractions == b->fractions && a->all == b->all && a->any == b->any);
}

/* From chunk to chunk, to the next that is whole, and from a part of one, where nothing is kept. */
static void test_continues(void **state)
{
    static const size_t sizes[] = {PARALLEL_CHUNK, PARALLEL_CHUNK + 5, 2 * PARALLEL_CHUNK,
                                   2 * PARALLEL_CHUNK + 1, PARALLEL_CHUNK};
    struct setting setting = {.type = &type_f32, .input = "ramp", .seed = 3};
    size_t most = 2 * PARALLEL_CHUNK + 1;
    float *x = malloc(most * sizeof(*x)), *z = malloc(most * sizeof(*z));
    struct expected e, whole;
    bool continues = false;

    (void)state;
    input_fill(x, most, &setting);
    operators_fill(z, most, &setting);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        assert_int_equal(operators_expect(&e, continues, x, z, sizes[i], &type_f32, false), 0);
        whole = expect_f32(x, z, sizes[i]);
        assert_same(&e, &whole);
        continues = true;
    }
    free(x);
    free(z);
}

static void test_factors(void **state)
{
    struct setting setting = {.type = &type_f32, .input = "random", .seed = 1};
    size_t n = (size_t)1 << 20, fractions = 0, minus = 0;
    float *z = malloc(n * sizeof(*z));
    double expected = 1024 * (1 + log((double)n / 1024)), logarithms = 0;

    (void)state;
    operators_fill(z, n, &setting);
    for (size_t i = 0; i < n; i++) {
        assert_true(fabsf(z[i]) <= 1 + 0x1p-13f && fabsf(z[i]) >= 1 - 0x1p-13f);
        fractions += fabsf(z[i]) != 1;
        minus += z[i] < 0;
        logarithms += fabs(log2(fabs(z[i])));
    }
    assert_true((double)fractions < 1.1 * expected && (double)fractions > 0.8 * expected);
    assert_true(minus > n * 49 / 100 && minus < n * 51 / 100);
    assert_true(logarithms < 8); /* whatever is multiplied, in whatever order */
    free(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_special),   cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_continues), cmocka_unit_test(test_factors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
