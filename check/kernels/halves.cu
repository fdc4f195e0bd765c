/*
 * Half precision and bfloat16, in host code: every value, and what lies beside it and half way to the
 * next, in each rounding mode; then arithmetic.
 *
 * The expected results do not come from the conversions: the table of all values is made from their
 * fields, the results of what lies between two of them follow from which two they are, and half
 * precision's arithmetic is done in whole numbers of 2^-48.
 */
#include "expect.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

enum mode { RN, RZ, RD, RU };

template <typename T> struct format;
template <> struct format<__half> {
    enum { FRACTION = 10, BIAS = 15, INF = 0x7c00 };
    static unsigned rounded(double v, mode m)
    {
        float f = (float)v;

        return m == RN   ? __half_as_ushort(__double2half(v))
               : m == RZ ? __half_as_ushort(__float2half_rz(f))
               : m == RD ? __half_as_ushort(__float2half_rd(f))
                         : __half_as_ushort(__float2half_ru(f));
    }
    static __half of_bits(unsigned bits)
    {
        return __ushort_as_half((unsigned short)bits);
    }
};
template <> struct format<__nv_bfloat16> {
    enum { FRACTION = 7, BIAS = 127, INF = 0x7f80 };
    static unsigned rounded(double v, mode m)
    {
        float f = (float)v;

        return m == RN   ? __bfloat16_as_ushort(__double2bfloat16(v))
               : m == RZ ? __bfloat16_as_ushort(__float2bfloat16_rz(f))
               : m == RD ? __bfloat16_as_ushort(__float2bfloat16_rd(f))
                         : __bfloat16_as_ushort(__float2bfloat16_ru(f));
    }
    static __nv_bfloat16 of_bits(unsigned bits)
    {
        return __ushort_as_bfloat16((unsigned short)bits);
    }
};

/* The value of these bits, from their fields; of infinity, what would stand there. */
template <typename T> static double field_value(unsigned bits)
{
    enum { FRACTION = format<T>::FRACTION, BIAS = format<T>::BIAS };
    int exponent = (int)(bits >> FRACTION), fraction = (int)bits & ((1 << FRACTION) - 1);

    return exponent ? ldexp((1 << FRACTION) + fraction, exponent - BIAS - FRACTION)
                    : ldexp(fraction, 1 - BIAS - FRACTION);
}

/* Results for v, which lies between values i and i + 1, in each mode, of both signs. half: -1 below
 * the middle, 0 in it, 1 above; 2: it is value i. */
template <typename T> static int wrong_between(double v, unsigned i, int half)
{
    unsigned up = half == 2 ? i : i + 1;
    unsigned nearest = half == 2 || half < 0 ? i : half > 0 ? i + 1 : i + (i & 1);
    bool is_float = (double)(float)v == v; /* only double converts directly in other modes */
    int wrong = 0;

    wrong += format<T>::rounded(v, RN) != nearest;
    wrong += format<T>::rounded(-v, RN) != (nearest | 0x8000);
    if (!is_float)
        return wrong;
    wrong += format<T>::rounded(v, RZ) != i || format<T>::rounded(-v, RZ) != (i | 0x8000);
    wrong += format<T>::rounded(v, RD) != i || format<T>::rounded(-v, RD) != (up | 0x8000);
    wrong += format<T>::rounded(v, RU) != up || format<T>::rounded(-v, RU) != (i | 0x8000);
    return wrong;
}

template <typename T> static void conversions(const char *type)
{
    int wrong = 0, between = 0;
    char text[100];

    for (unsigned i = 0; i < 0x10000; i++) {
        T h = format<T>::of_bits(i);
        unsigned magnitude = i & 0x7fff;
        double v = i >> 15 ? -field_value<T>(magnitude) : field_value<T>(magnitude);

        if (magnitude > format<T>::INF)
            wrong += !isnan((float)h) || !__hisnan(h);
        else if (magnitude == format<T>::INF)
            wrong += (float)h != (i >> 15 ? -INFINITY : INFINITY) || !__hisinf(h);
        else
            wrong += (float)h != v || (signbit((float)h) != 0) != (i >> 15);
    }
    snprintf(text, sizeof(text), "all 65536 values of %s to float", type);
    expect_equal(wrong, 0, text);
    for (unsigned i = 0; i < format<T>::INF; i++) {
        double low = field_value<T>(i), high = field_value<T>(i + 1), middle = (low + high) / 2;

        between += wrong_between<T>(low, i, 2);
        between += wrong_between<T>(middle, i, 0);
        between += wrong_between<T>(nextafter(low, high), i, -1);
        between += wrong_between<T>(nextafter(middle, low), i, -1);
        between += wrong_between<T>(nextafter(middle, high), i, 1);
        between += wrong_between<T>(nextafterf((float)middle, (float)low), i, -1);
        between += wrong_between<T>(nextafterf((float)middle, (float)high), i, 1);
    }
    snprintf(text, sizeof(text), "to %s, at all values and around all middles", type);
    expect_equal(between, 0, text);
    expect(format<T>::rounded(NAN, RN) == 0x7fff && format<T>::rounded(-NAN, RZ) == 0x7fff,
           "NaN is 0x7fff");
}

/* --- half precision's arithmetic in whole numbers of 2^-48 --- */

typedef __int128 fixed;

static fixed fixed_of(__half h)
{
    unsigned magnitude = __half_as_ushort(h) & 0x7fffu;
    fixed v = (fixed)ldexp(field_value<__half>(magnitude), 48);

    return __half_as_ushort(h) >> 15 ? -v : v;
}

/* The half nearest to v, by a search among all. zero: the bits of an exact zero. */
static unsigned nearest_half(fixed v, unsigned zero)
{
    unsigned low = 0, high = format<__half>::INF, sign = v < 0 ? 0x8000 : 0;

    if (v == 0)
        return zero;
    v = v < 0 ? -v : v;
    while (high - low > 1) { /* low is the last value not above v */
        unsigned middle = (low + high) / 2;

        if ((fixed)ldexp(field_value<__half>(middle), 48) <= v)
            low = middle;
        else
            high = middle;
    }
    fixed below = v - (fixed)ldexp(field_value<__half>(low), 48);
    fixed above = (fixed)ldexp(field_value<__half>(low + 1), 48) - v;

    return sign | (below < above || (below == above && !(low & 1)) ? low : low + 1);
}

static void half_arithmetic()
{
    unsigned state = 1;
    int sums = 0, products = 0, fmas = 0, quotients = 0;

    for (int i = 0; i < 200000; i++) {
        unsigned bits[3];

        for (unsigned &b : bits) {
            state = state * 1664525 + 1013904223;
            b = state >> 16;
            if ((b & 0x7fff) >= format<__half>::INF)
                b &= 0x83ff;
        }
        __half a = format<__half>::of_bits(bits[0]), b = format<__half>::of_bits(bits[1]);
        __half c = format<__half>::of_bits(bits[2]);
        unsigned product_sign = (bits[0] ^ bits[1]) & 0x8000;
        fixed fa = fixed_of(a), fb = fixed_of(b), fc = fixed_of(c);
        fixed product = (fa >> 24) * (fb >> 24); /* values are multiples of 2^-24 */

        sums += __half_as_ushort(a + b) != nearest_half(fa + fb, bits[0] & bits[1] & 0x8000);
        products += __half_as_ushort(a * b) != nearest_half(product, product_sign);
        fmas += __half_as_ushort(__hfma(a, b, c)) !=
                nearest_half(product + fc, product_sign & bits[2] & 0x8000);
        if (fb != 0 && isfinite((float)a / (float)b)) {
            /* The error times b: of a quotient itself there are no whole numbers. */
            double q = __half2float(a / b), error = fabs((float)a - q * (float)b);
            double unit = ldexp(1, (int)fmax(q == 0 ? -14 : ilogb(q), -14) - 10);

            quotients += isfinite(q) && error > unit / 2 * fabs((float)b);
        }
    }
    expect_equal(sums, 0, "sums of halves");
    expect_equal(products, 0, "products of halves");
    expect_equal(fmas, 0, "a * b + c of halves, rounded once");
    expect_equal(quotients, 0, "quotients of halves within half a unit");
}

static __nv_bfloat16 bf(double v)
{
    return __double2bfloat16(v);
}

static void special()
{
    /* (1 + 2^-7)^2 is 2^-14 above the middle of two values: a small c decides, however small. */
    expect((float)__hfma(bf(1.0078125), bf(1.0078125), bf(-0x1p-14)) == 1.015625f &&
               (float)__hfma(bf(1.5), bf(1.0078125), bf(0x1p-130)) == 1.515625f &&
               (float)__hfma(bf(1.5), bf(1.0078125), bf(-0x1p-130)) == 1.5078125f,
           "bfloat16: a * b + c is rounded once, of numbers far apart");
    expect(__bfloat16_as_ushort(bf(0x1p-133) * bf(0.5)) == 0 &&
               __bfloat16_as_ushort(bf(0x1p-133) * bf(1.5)) == 2 &&
               __bfloat16_as_ushort(bf(3e38) + bf(3e38)) == 0x7f80,
           "bfloat16: products below its least value, sums above its greatest");
    __half zero = 0.0f, minus = -zero, nan = __ushort_as_half(0x7e01), one = 1.0f;

    expect(__half_as_ushort(__hmax(minus, zero)) == 0 &&
               __half_as_ushort(__hmin(zero, minus)) == 0x8000 && __hmax(nan, one) == one &&
               __half_as_ushort(__hmax_nan(nan, one)) == 0x7fff,
           "maxima of zeros and NaN");
    float with_sign = __ushort_as_half(0xffff);
    unsigned bits;

    memcpy(&bits, &with_sign, sizeof(bits));
    expect(bits == 0x7fffffff, "NaN becomes a float without a sign"); /* as in CUDA's own header */
    expect(__heq(zero, minus) && !__heq(nan, nan) && __hequ(nan, one) && !__hne(nan, one) &&
               __hneu(nan, one) && !__hlt(nan, one) && __hltu(nan, one) && nan != nan,
           "comparisons with NaN");
    __half2 pair = __halves2half2(one, nan), ones = __half2half2(one);

    expect(__heq2_mask(pair, ones) == 0xffff && __hneu2_mask(pair, ones) == 0xffff0000 &&
               !__hbeq2(pair, ones) && __hbequ2(pair, ones) && __low2float(__heq2(pair, ones)) == 1,
           "comparisons of pairs");
    expect(__half_as_ushort(__hfma_relu(one, -one, zero)) == 0 &&
               __hisnan(__hfma_relu(nan, one, one)) && (float)__hadd_sat(one, one) == 1 &&
               (float)__hmul_sat(nan, one) == 0,
           "results cut off below 0, or to 0..1");
    expect(__half2int_rn(nan) == 0 && __half2ll_rz(nan) == INT64_MIN &&
               __half2short_rz(__ushort_as_half(0xfc00)) == -32768 &&
               __half2uchar_rz(__float2half(300)) == 255 && (int)__float2half(-2.75f) == -2,
           "halves to integers");
    expect(__half_as_ushort(__ll2half_rn(65519)) == 0x7bff &&
               __half_as_ushort(__ll2half_rn(65520)) == 0x7c00 &&
               __half_as_ushort(__int2half_rd(INT32_MIN)) == 0xfc00 &&
               __bfloat16_as_ushort(__ull2bfloat16_rn(0x8080000000000001)) == 0x5f01 &&
               __bfloat16_as_ushort(__ull2bfloat16_rn(0x8080000000000000)) == 0x5f00,
           "integers to halves, rounded once");
}

int main()
{
    conversions<__half>("half");
    conversions<__nv_bfloat16>("bfloat16");
    half_arithmetic();
    special();
    return expect_status();
}
