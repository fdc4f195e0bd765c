/*
 * Roots of unity to half an ulp; the definition of the transform, against vectors whose transforms
 * are known, and the library against the definition; the bound; and that the comparison finds one
 * wrong point.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "families/fft/fft_compare.h"
#include "families/fft/fft.h"
#include "families/fft/fft_reference.h"
#include "families/fft/fft_roots.h"

/* The nearest float is off by at most half the distance of its neighbours. */
static void near(float is, long double exact)
{
    float up = nextafterf(is, 2), down = nextafterf(is, -2);

    assert_true(fabsl(is - exact) <= ((long double)up - is) / 2 ||
                fabsl(is - exact) <= ((long double)is - down) / 2);
    assert_true(fabsl(is - exact) <= 0x1p-25L); /* of all in -1 to 1 */
}

static void roots_are_exact(void **state)
{
    static const size_t lengths[] = {1,  2,  3,  4,    5,    7,     8,      12,
                                     16, 31, 64, 1000, 4096, 65536, 1 << 24};

    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        size_t n = lengths[i], step = n > 70000 ? 16411 : 1;

        for (size_t k = 0; k < n; k += step) {
            struct root w = fft_root(k, n), same = fft_root(k + 3 * n, n);
            long double angle = 2 * acosl(-1) * (long double)k / (long double)n;

            assert_true(w.re == same.re && w.im == same.im);
            assert_true(fabsl(w.re - cosl(angle)) < 0x1p-58L);
            assert_true(fabsl(w.im + sinl(angle)) < 0x1p-58L);
            near((float)w.re, w.re);
            near((float)w.im, w.im);
        }
    }
    assert_true(fft_root(2, 8).re == 0 && fft_root(2, 8).im == -1);
    assert_true((float)fft_root(1, 8).re == -(float)fft_root(1, 8).im && fft_root(4, 8).re == -1);
}

static float *random_points(size_t n)
{
    float *x = malloc(2 * n * sizeof(*x));

    assert_non_null(x);
    for (size_t i = 0; i < 2 * n; i++)
        x[i] = (float)((i * 2654435761u + 12345) % 65521) / 65521 - 0.5f;
    return x;
}

/* A point alone gives roots; ones give their number, and nothing else. */
static void definition_of_known_vectors(void **state)
{
    static const size_t lengths[] = {1, 2, 3, 8, 12, 64};

    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        size_t n = lengths[i];
        float *x = calloc(4 * n, sizeof(*x));
        double *y = malloc(4 * n * sizeof(*y));

        x[2 * (n / 3)] = 1; /* the first vector; the second has ones */
        for (size_t k = 0; k < n; k++)
            x[2 * (n + k)] = 1;
        for (int inverse = 0; inverse < 2; inverse++) {
            assert_int_equal(fft_reference_direct(y, x, n, 2, inverse), 0);
            for (size_t k = 0; k < n; k++) {
                struct root w = fft_root(n / 3 * k, n);

                assert_true(fabs(y[2 * k] - (double)w.re) < 1e-15);
                assert_true(fabs(y[2 * k + 1] - (double)(inverse ? -w.im : w.im)) < 1e-15);
                assert_true(fabs(y[2 * (n + k)] - (k == 0 ? (double)n : 0)) < 1e-13);
                assert_true(fabs(y[2 * (n + k) + 1]) < 1e-13);
            }
        }
        free(x);
        free(y);
    }
}

/* Vectors so many and so long that fft_reference takes the library, if there is one; and radix 2.
 */
static void library_agrees_with_the_definition(void **state)
{
    static const size_t lengths[] = {8192, 8191, 4096 * 3};

    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        size_t n = lengths[i];
        float *x = random_points(n);
        double *direct = malloc(2 * n * sizeof(*direct)), *other = malloc(2 * n * sizeof(*other));

        assert_true(n * n > FFT_DIRECT);
        for (int inverse = 0; inverse < 2; inverse++) {
            double norm = 0, error = 0;

            assert_int_equal(fft_reference_direct(direct, x, n, 1, inverse), 0);
            assert_int_equal(fft_reference(other, x, n, 1, inverse), 0);
            for (int way = 0; way < 2; way++) {
                if (way == 1 && (n & (n - 1)))
                    continue;
                if (way == 1)
                    assert_int_equal(fft_reference_halves(other, x, n, 1, inverse), 0);
                norm = error = 0;
                for (size_t k = 0; k < 2 * n; k++) {
                    norm += direct[k] * direct[k];
                    error += (direct[k] - other[k]) * (direct[k] - other[k]);
                }
                assert_true(sqrt(error) < 1e-13 * sqrt(norm));
            }
        }
        free(x);
        free(direct);
        free(other);
    }
}

/* By hand: u = 2^-24; mu = 0.7071 u, gamma_4 = 4 u; eta = 0.7071 u + 4 u * 1.4142 = 6.364 u. */
static void bound_by_hand(void **state)
{
    (void)state;
    assert_true(fabs(fft_bound(8, 1) / (3 * 6.364 * 0x1p-24) - 1) < 1e-4);
    assert_true(fabs(fft_bound(1 << 20, 2) / (40 * 6.364 * 0x1p-24) - 1) < 1e-4);
    assert_true(fft_bound(1, 1) >= 0 && fft_bound(1, 1) < 1e-40);
    assert_true(fft_bound(64, 0) == 1024 * 0x1p-149);
    assert_true(isnan(fft_bound(64, NAN)));
}

static struct worst compared(size_t length, size_t batch, const float *y, double *reference)
{
    double *norms = malloc(batch * sizeof(*norms)), *bounds = malloc(batch * sizeof(*bounds));
    struct buffer out = {.host = (void *)(size_t)y}, at = {.host = reference};
    struct buffer of_norms = {.host = norms}, of_bounds = {.host = bounds};
    struct comparison c = {.out = &out,
                           .reference = &at,
                           .norms = &of_norms,
                           .bounds = &of_bounds,
                           .length = length,
                           .batch = batch};
    struct worst worst = WORST_NONE;

    for (size_t v = 0; v < batch; v++) {
        double sum = 0;

        for (size_t i = 2 * v * length; i < 2 * (v + 1) * length; i++)
            sum += reference[i] * reference[i];
        norms[v] = isfinite(sum) ? sqrt(sum) : NAN;
        bounds[v] = fft_bound(length, norms[v]);
    }
    fft_compare_on_host(&c, &worst);
    free(norms);
    free(bounds);
    return worst;
}

static void one_wrong_point_is_found(void **state)
{
    static const size_t shapes[][2] = {{8, 100}, {64, 3}, {4096, 5}, {1 << 18, 3}, {1 << 20, 1}};

    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        size_t length = shapes[i][0], batch = shapes[i][1], n = length * batch;
        float *y = random_points(n);
        double *reference = malloc(2 * n * sizeof(*reference));
        size_t places[] = {0, n / 3, n - 1};

        for (size_t k = 0; k < 2 * n; k++)
            reference[k] = y[k];
        assert_int_equal(compared(length, batch, y, reference).wrong, 0);
        for (size_t p = 0; p < COUNT(places); p++) {
            size_t at = places[p], next = at + 1 < n ? at + 1 : 0;
            float kept = y[2 * at];
            struct worst worst;

            y[2 * at] = y[2 * next]; /* another point's */
            worst = compared(length, batch, y, reference);
            assert_int_equal(worst.wrong, 1);
            assert_int_equal(worst.at, at / length);
            y[2 * at] = NAN;
            assert_int_equal(compared(length, batch, y, reference).wrong, 1);
            y[2 * at] = kept;
        }
        free(y);
        free(reference);
    }
}

/* A vector with a NaN: all of its results must show it, those of others must not, and poison is
 * none. */
static void what_is_not_finite(void **state)
{
    float y[32];
    double reference[32];

    (void)state;
    for (int i = 0; i < 32; i++)
        reference[i] = y[i] = (float)i;
    reference[3] = NAN;
    for (int i = 0; i < 16; i += 2)
        y[i] = i % 4 ? NAN : INFINITY;
    assert_int_equal(compared(8, 2, y, reference).wrong, 0);
    y[4] = 1;
    assert_int_equal(compared(8, 2, y, reference).wrong, 1);
    memset(&y[4], 0xff, 2 * sizeof(*y));
    assert_int_equal(compared(8, 2, y, reference).wrong, 1);
    y[4] = NAN;
    y[5] = 1;
    assert_int_equal(compared(8, 2, y, reference).wrong, 0);
    y[31] = NAN;
    assert_int_equal(compared(8, 2, y, reference).at, 1);
}

/* The least that any device gives a block must do; no device has a gigabyte of it. */
static void shared_memory_of_a_block(void **state)
{
    char why[128] = "";

    (void)state;
    assert_false(device_lacks_shared(48 * 1024, why, sizeof(why)));
    assert_string_equal(why, "");
    assert_true(device_lacks_shared((size_t)1 << 30, why, sizeof(why)));
    assert_non_null(strstr(why, "needs 1073741824 bytes of shared memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_exact),
        cmocka_unit_test(definition_of_known_vectors),
        cmocka_unit_test(library_agrees_with_the_definition),
        cmocka_unit_test(bound_by_hand),
        cmocka_unit_test(one_wrong_point_is_found),
        cmocka_unit_test(what_is_not_finite),
        cmocka_unit_test(shared_memory_of_a_block),
    };

    return cmocka_run_group_tests_name("fft", tests, NULL, NULL);
}
