/* The transform's reference by kernels, on the CPU device, beside the host's. */
#include <math.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "unit.h"

#include "families/fft/fft_compare.h"
#include "families/fft/fft.h"
#include "families/fft/fft_reference.h"
#include "harness/kit/buffer.h"

#define POINTS ((size_t)1 << 12)

static float x[2 * POINTS];
static double wanted[2 * POINTS];

static void fill(size_t points, unsigned seed)
{
    for (size_t i = 0; i < 2 * points; i++) {
        seed = seed * 1664525 + 1013904223;
        x[i] = (float)((int)seed / 65536) / 32768;
    }
}

static void reserve(struct buffer *b, size_t elements, size_t bytes)
{
    *b = (struct buffer){.what = "a test's array", .bytes = bytes};
    assert_int_equal(buffer_reserve(b, elements), 0);
}

static double norm_of(const double *y, size_t length)
{
    double sum = 0;

    for (size_t i = 0; i < 2 * length; i++)
        sum += y[i] * y[i];
    return sqrt(sum);
}

/* All vectors of a length, and that what is behind them stays as it is. */
static void check(size_t length, size_t batch, bool inverse)
{
    struct buffer in, reference, norms, bounds, pieces;
    const struct comparison c = {
        .reference = &reference, .norms = &norms, .bounds = &bounds, .pieces = &pieces};
    bool made = false;

    reserve(&in, 2 * length * batch, 4);
    reserve(&reference, 2 * length * batch + 1, 8);
    reserve(&norms, batch, 8);
    reserve(&bounds, batch, 8);
    reserve(&pieces, batch * pieces_of(length), 8);
    fill(length * batch, (unsigned)length);
    memcpy(in.device, x, length * batch * 8);
    ((double *)reference.device)[2 * length * batch] = 42;
    assert_int_equal(
        fft_reference_on_device(&c, (const float *)in.device, length, batch, inverse, &made), 0);
    assert_true(made);
    assert_int_equal(cudaDeviceSynchronize(), 0);
    assert_int_equal(fft_reference_direct(wanted, x, length, batch, inverse), 0);
    for (size_t v = 0; v < batch; v++) {
        double norm = norm_of(wanted + 2 * v * length, length), off = 0;
        const double *is = (const double *)reference.device + 2 * v * length;

        for (size_t i = 0; i < 2 * length; i++)
            off = fmax(off, fabs(is[i] - wanted[2 * v * length + i]));
        assert_true(off <= 2 * fft_reference_bound(length, norm) + (double)length * 0x1p-52);
        assert_true(fabs(((double *)norms.device)[v] - norm) <= 1e-12 * norm);
        assert_true(fabs(((double *)bounds.device)[v] - fft_bound(length, norm)) <=
                    1e-12 * fft_bound(length, norm));
    }
    assert_true(((double *)reference.device)[2 * length * batch] == 42);
    buffer_free(&in);
    buffer_free(&reference);
    buffer_free(&norms);
    buffer_free(&bounds);
    buffer_free(&pieces);
}

static void test_lengths(void **state)
{
    static const size_t lengths[] = {1, 2, 4, 8, 32, 128, 1024, 2048, 4096};

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        check(lengths[i], 1, false);
        check(lengths[i], lengths[i] < POINTS ? POINTS / lengths[i] - 1 : 1, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
