/*
 * Products of matrices: the reference against one worked by hand; that the comparison finds a fault
 * in any one element, and Freivalds' check one in any row; that a float product in another order
 * stays within the bound; scalars that are none.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "families/gemm/gemm_product.h"
#include "families/gemm/gemm_scalars.h"
#include "harness/kit/element.h"
#include "harness/kit/half.h"
#include "harness/kit/input.h"

enum { ROWS = 13, COLS = 29, DEPTH = 37, PAD_A = 3, PAD_B = 2, PAD_C = 5 };
enum { LDA = DEPTH + PAD_A, LDB = COLS + PAD_B, LDC = COLS + PAD_C };

struct matrices {
    float a[ROWS * LDA], b[DEPTH * LDB], before[ROWS * LDC], c[ROWS * LDC];
    struct product product;
};

static struct matrices *make(const char *input, uint64_t seed, float alpha, float beta)
{
    struct matrices *m = calloc(1, sizeof(*m));
    const struct setting setting = {.input = input, .seed = seed};
    const struct scalars scalars = {alpha, beta, 0};

    assert_non_null(m);
    scalars_fill(m->a, COUNT(m->a), OPERAND_A, &setting);
    scalars_fill(m->b, COUNT(m->b), OPERAND_B, &setting);
    scalars_fill(m->before, COUNT(m->before), OPERAND_C, &setting);
    m->product = (struct product){.a = {m->a, LDA, 1},
                                  .b = {m->b, LDB, 1},
                                  .c = {m->before, LDC, 1},
                                  .m = ROWS,
                                  .n = COLS,
                                  .k = DEPTH,
                                  .alpha = alpha,
                                  .beta = beta,
                                  .exact = scalars_exact(&setting, &scalars, DEPTH)};
    return m;
}

/* C in float, added from the end, as no kernel does. */
static void multiply(struct matrices *m, float sign)
{
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) {
            float sum = 0;

            for (int l = DEPTH; l-- > 0;)
                sum += sign * m->a[i * LDA + l] * m->b[l * LDB + j];
            sum *= (float)m->product.alpha;
            if (m->product.beta != 0)
                sum += (float)m->product.beta * m->before[i * LDC + j];
            m->c[i * LDC + j] = sum;
        }
    }
}

static struct worst compared(const struct matrices *m, const struct term *terms, double sign)
{
    struct worst w = WORST_NONE;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++)
            product_compare(&w, &m->product, &terms[i * COLS + j], i * COLS + j, m->c[i * LDC + j],
                            sign);
    }
    return w;
}

/* The check of all rows, or of all columns. */
static struct worst checked(const struct matrices *m, bool turned, double sign)
{
    struct product p = turned ? product_turned(&m->product) : m->product;
    struct row rows[COLS], scratch[DEPTH];
    unsigned char signs[COLS];
    struct worst w = WORST_NONE;

    for (size_t j = 0; j < p.n; j++)
        signs[j] = product_signs(1, j);
    product_rows(rows, scratch, &p, signs);
    for (size_t i = 0; i < p.m; i++) {
        double found[PRODUCT_CHECKS] = {0};

        for (size_t j = 0; j < p.n; j++) {
            double x = m->c[turned ? j * LDC + i : i * LDC + j];

            for (int r = 0; r < PRODUCT_CHECKS; r++)
                found[r] += signs[j] >> r & 1 ? -x : x;
        }
        product_compare_row(&w, &p, &rows[i], i, found, sign);
    }
    return w;
}

static void small_by_hand(void **state)
{
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, -1, 2, 0, 0, 3}, c[] = {10, 20, 30, 40};
    const struct product p = {{a, 3, 1}, {b, 2, 1}, {c, 2, 1}, 2, 2, 3, 2, 3, true};
    const float wanted[] = {40, 76, 118, 148}; /* 2 {5, 8, 14, 14} + 3 c */
    struct term terms[4];
    struct worst w = WORST_NONE;

    (void)state;
    product_terms(terms, &p);
    assert_true(terms[0].sum == 5 && terms[1].sum == 8 && terms[2].sum == 14 && terms[3].sum == 14);
    assert_true(terms[1].magnitude == 10);
    for (size_t i = 0; i < 4; i++)
        product_compare(&w, &p, &terms[i], i, wanted[i], 1);
    assert_int_equal(w.wrong, 0);
    product_compare(&w, &p, &terms[2], 2, 118.00001f, 1);
    assert_int_equal(w.wrong, 1);
    assert_int_equal(w.at, 2);
}

static void any_order_is_right(void **state)
{
    static const char *const inputs[] = {"random", "ones", "ramp", "exact"};

    (void)state;
    for (size_t k = 0; k < COUNT(inputs); k++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            struct matrices *m = make(inputs[k], 7, k == 0 ? 0.75f : 2, k == 0 ? -1.5f : 3);
            struct term *terms = calloc(ROWS * COLS, sizeof(*terms));

            product_terms(terms, &m->product);
            multiply(m, (float)sign);
            assert_int_equal(compared(m, terms, sign).wrong, 0);
            assert_int_equal(checked(m, false, sign).wrong, 0);
            assert_int_equal(checked(m, true, sign).wrong, 0);
            if (k > 0 && k != 2)
                assert_true(m->product.exact && compared(m, terms, sign).bound == 0);
            free(terms);
            free(m);
        }
    }
}

/* One element off by one in exact integers, or twice its bound in others; one not written. */
static void each_fault_is_found(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        struct matrices *m = make(exact ? "exact" : "random", 3, 1, 0);
        struct term *terms = calloc(ROWS * COLS, sizeof(*terms));

        product_terms(terms, &m->product);
        multiply(m, 1);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j < COLS; j++) {
                float *at = &m->c[i * LDC + j], kept = *at;

                *at = exact ? kept + 1
                            : kept + (float)(2.0 * (DEPTH + 2) / 16777216 *
                                             terms[i * COLS + j].magnitude);
                assert_int_equal(compared(m, terms, 1).wrong, 1);
                assert_int_equal(compared(m, terms, 1).at, i * COLS + j);
                if (exact) {
                    assert_int_equal(checked(m, false, 1).wrong, PRODUCT_CHECKS);
                    assert_int_equal(checked(m, false, 1).at, i);
                    assert_int_equal(checked(m, true, 1).at, j);
                }
                memset(at, 0xff, sizeof(*at));
                assert_int_equal(compared(m, terms, 1).wrong, 1);
                assert_true(checked(m, false, 1).wrong > 0);
                *at = kept;
            }
        }
        free(terms);
        free(m);
    }
}

static void special_values_spread(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct matrices *m = make("hostile", seed, 1, seed == 3 ? 0 : 1);
        struct term *terms = calloc(ROWS * COLS, sizeof(*terms));
        size_t special = 0;

        product_terms(terms, &m->product);
        multiply(m, 1);
        assert_int_equal(compared(m, terms, 1).wrong, 0);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j < COLS; j++) {
                float *at = &m->c[i * LDC + j], kept = *at;

                if (isfinite(kept))
                    continue;
                special++;
                *at = isnan(kept) ? 1 : -kept; /* a number for a NaN; the other infinity */
                assert_int_equal(compared(m, terms, 1).wrong, 1);
                *at = kept;
            }
        }
        assert_true(seed % 3 == 0 ? special == 0 : special > 0);
        free(terms);
        free(m);
    }
}

static void samples_are_everywhere(void **state)
{
    const struct product p = {.m = 1000, .n = 777, .k = 5};
    size_t count = product_samples(&p), last = 0;

    (void)state;
    assert_int_equal(count, PRODUCT_SAMPLES);
    for (size_t s = 0; s < count; s++) {
        size_t place = product_sample(&p, s, 1);

        assert_true(s == 0 || place > last);
        assert_true(place < p.m * p.n && place >= s * (p.m * p.n) / count);
        last = place;
    }
    assert_true(last >= p.m * p.n - p.m * p.n / count - 1);
}

static void refused(const char *alpha, const char *pad)
{
    struct setting setting = {.parameters = {alpha, NULL, pad}};
    struct scalars s;
    struct capture c;
    int status;

    capture_start(&c, STDERR_FILENO);
    status = scalars_parse(&s, &setting);
    assert_non_null(strstr(capture_stop(&c), "not accepted"));
    assert_int_equal(status, BAD_USAGE);
}

static void scalars_that_are_none(void **state)
{
    struct setting setting = {.parameters = {"-0.5", "1e3", "4096"}};
    struct scalars s;

    (void)state;
    assert_int_equal(scalars_parse(&s, &setting), 0);
    assert_true(s.alpha == -0.5f && s.beta == 1000 && s.pad == 4096);
    refused("", NULL);
    refused("nan", NULL);
    refused("inf", NULL);
    refused("1048577", NULL);
    refused("1x", NULL);
    refused(" 1", NULL);
    refused("1", "4097");
    refused("1", "-1");
}

static void exact_where_it_is(void **state)
{
    struct setting setting = {.input = "exact"};
    struct scalars s = {1, 0, 0};

    (void)state;
    assert_true(scalars_exact(&setting, &s, 262144));
    assert_false(scalars_exact(&setting, &s, 262145));
    s.beta = 0.5f;
    assert_false(scalars_exact(&setting, &s, 10));
    s = (struct scalars){2, 0, 0};
    assert_false(scalars_exact(&setting, &s, 262144));
    setting.input = "random";
    assert_false(scalars_exact(&setting, &s, 1));
}

/* What the bits of halves stand for is what the reference gets, and no f16 is subnormal: the bound
 * of tensor cores does not hold for those. */
static void halves_are_what_they_stand_for(void **state)
{
    static const char *const inputs[] = {"random", "ones", "ramp", "exact", "hostile"};
    const struct type *types[] = {&type_f16, &type_bf16};

    (void)state;
    for (size_t k = 0; k < COUNT(inputs) * COUNT(types); k++) {
        const struct type *type = types[k % COUNT(types)];
        const struct setting setting = {.input = inputs[k / COUNT(types)], .type = type};
        uint16_t halves[1000];
        float values[1000];

        scalars_fill_halves(halves, values, COUNT(halves), OPERAND_A, &setting);
        for (size_t i = 0; i < COUNT(halves); i++) {
            uint16_t size = halves[i] & 0x7fff;

            assert_true((type == &type_f16 ? f32_of_f16(halves[i]) : f32_of_bf16(halves[i])) ==
                        values[i]);
            assert_true(type == &type_bf16 || size == 0 || size >= 0x400);
        }
    }
}

static void bound_of_tensor_cores(void **state)
{
    struct matrices *m = make("random", 5, 0.75f, -1.5f);
    struct term *terms = calloc(ROWS * COLS, sizeof(*terms));
    double bound;

    (void)state;
    assert_non_null(terms);
    product_terms(terms, &m->product);
    multiply(m, 1);
    bound = compared(m, terms, 1).bound;
    m->product.tensor = true;
    assert_int_equal(compared(m, terms, 1).wrong, 0);
    assert_int_equal(checked(m, false, 1).wrong, 0);
    assert_true(compared(m, terms, 1).bound > bound);
    for (size_t at = 0; at < COUNT(m->c); at += LDC + 1) { /* one of each row */
        float was = m->c[at];

        m->c[at] += 1;
        assert_int_equal(compared(m, terms, 1).wrong, 1);
        assert_int_equal(checked(m, false, 1).wrong, PRODUCT_CHECKS);
        m->c[at] = was;
    }
    free(terms);
    free(m);
}

static void layouts(void **state)
{
    struct setting setting = {.parameters = {NULL, NULL, NULL, "NT"}};
    struct scalars s;
    struct capture c;

    (void)state;
    assert_int_equal(scalars_parse(&s, &setting), 0);
    assert_true(s.transposed);
    setting.parameters[LAYOUT] = "NN";
    assert_int_equal(scalars_parse(&s, &setting), 0);
    assert_false(s.transposed);
    setting.parameters[LAYOUT] = "TN";
    capture_start(&c, STDERR_FILENO);
    assert_int_equal(scalars_parse(&s, &setting), BAD_USAGE);
    assert_non_null(strstr(capture_stop(&c), "--layout TN: not accepted; accepted: NN, NT"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_by_hand),          cmocka_unit_test(any_order_is_right),
        cmocka_unit_test(each_fault_is_found),    cmocka_unit_test(special_values_spread),
        cmocka_unit_test(samples_are_everywhere), cmocka_unit_test(scalars_that_are_none),
        cmocka_unit_test(exact_where_it_is),      cmocka_unit_test(halves_are_what_they_stand_for),
        cmocka_unit_test(bound_of_tensor_cores),  cmocka_unit_test(layouts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
