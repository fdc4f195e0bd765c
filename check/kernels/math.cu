/*
 * The math functions that the C library has not, and the SIMD intrinsics, in host code.
 *
 * The functions' values were computed with 60 decimal digits or more (Python's decimal, from the
 * series), the lanes' are computed here one at a time.
 */
#include "expect.h"
#include <math.h>

struct value {
    const char *name;
    double (*of_double)(double);
    float (*of_float)(float);
    double argument, result;
};

static const value values[] = {
    /* clang-format off */
    {"rsqrt", rsqrt, rsqrtf, 3.0, 0x1.279a74590331cp-1},
    {"rsqrt", rsqrt, rsqrtf, 1e-310, 0x1.dd55745cbb7fap+514},
    {"rcbrt", rcbrt, rcbrtf, -7.0, -0x1.0ba6ee5f9aad4p-1},
    {"sinpi", sinpi, sinpif, 0.3, 0x1.9e3779b97f4a8p-1},
    {"sinpi", sinpi, sinpif, -1000000.25, -0x1.6a09e667f3bcdp-1},
    {"cospi", cospi, cospif, 0.3, 0x1.2cf2304755a5ep-1},
    {"cospi", cospi, cospif, 1.5000001, 0x1.515370fced4f5p-22},
    {"normcdf", normcdf, normcdff, -1.0, 0x1.44ed0bb7cb20bp-3},
    {"normcdf", normcdf, normcdff, -37.0, 0x1.eaccc6bfeb0afp-995},
    {"normcdf", normcdf, normcdff, 2.5, 0x1.fcd21635036c6p-1},
    {"erfcx", erfcx, erfcxf, 0.5, 0x1.3b3bc3c98b0f3p-1},
    {"erfcx", erfcx, erfcxf, -3.0, 0x1.fa6fe92c4925fp+13},
    {"erfcx", erfcx, erfcxf, 25.0, 0x1.7173c308c43e9p-6},
    {"cyl_bessel_i0", cyl_bessel_i0, cyl_bessel_i0f, 5.5, 0x1.558ea21e0c16fp+5},
    {"cyl_bessel_i1", cyl_bessel_i1, cyl_bessel_i1f, -12.25, -0x1.687c7114def5fp+14},
    {"erfinv", erfinv, erfinvf, 0.25, 0x1.cd70681d5ff70p-3},
    {"erfinv", erfinv, erfinvf, 1e-09, 0x1.e7355a02875c3p-31},
    {"erfinv", erfinv, erfinvf, -0.999, -0x1.29d311405cdb4p+1},
    {"erfcinv", erfcinv, erfcinvf, 1e-200, 0x1.55ff1c82aa9b7p+4},
    {"erfcinv", erfcinv, erfcinvf, 1.75, -0x1.a07890f6b2ba1p-1},
    {"normcdfinv", normcdfinv, normcdfinvf, 1e-300, -0x1.286074064c26ep+5},
    {"normcdfinv", normcdfinv, normcdfinvf, 0.3, -0x1.0c7e39582c5fbp-1},
    {"normcdfinv", normcdfinv, normcdfinvf, 0.50000001, 0x1.aea2ad8cff4efp-26},
    /* clang-format on */
};

/* The distance in units of the last place of the right one. */
static double ulps(double found, double right)
{
    return fabs(found - right) / fabs(nextafter(right, INFINITY) - right);
}

static float ulps_of_float(float found, double right)
{
    float near = (float)right;

    return (float)(fabs(found - right) / fabs((double)nextafterf(near, INFINITY) - near));
}

static void functions()
{
    char text[100];

    for (const value &v : values) {
        float f = (float)v.argument;
        bool as_float = f == v.argument && fabs(v.result) > 1e-30 && fabs(v.result) < 1e30;

        snprintf(text, sizeof(text), "%s(%.17g) within a unit in the last place", v.name,
                 v.argument);
        expect(ulps(v.of_double(v.argument), v.result) <= 1 &&
                   (!as_float || ulps_of_float(v.of_float(f), v.result) <= 1),
               text);
    }
    expect(ulps(rhypot(5, 7), 0x1.dc267bea45549p-4) <= 1 && rhypot(INFINITY, NAN) == 0, "rhypot");
    expect(norm3d(1e200, 2e200, 3e200) < INFINITY && norm4d(INFINITY, NAN, 0, 0) == INFINITY &&
               rnorm4d(1, 1, 1, 1) == 0.5,
           "norms of large and infinite numbers");
    expect(sinpi(3.0) == 0 && !signbit(sinpi(3.0)) && signbit(sinpi(-3.0)) && cospi(2.5) == 0 &&
               isnan(sinpi(INFINITY)),
           "sinpi and cospi have exact zeros");
    expect(erfinv(1.0) == INFINITY && isnan(erfinv(1.5)) && erfcinv(0.0) == INFINITY &&
               normcdfinv(0.0) == -INFINITY && isnan(normcdfinv(-1.0)) && erfcx(-40.0) == INFINITY,
           "inverses at their ends");
    expect(isnan(__powf(-2, 2)) && __fdividef(1, 0x1.8p126f) == 0 && __fdividef(6, 2) == 3 &&
               isnan(__fdividef(INFINITY, 0x1.8p126f)) && __saturatef(NAN) == 0 &&
               __saturatef(7) == 1,
           "what the fast functions leave out");
    expect(j0(2.5f) == j0f(2.5f) && exp10(2.0f) == 100.0f && sizeof(rsqrt(4.0f)) == 4 &&
               sizeof(exp(1.0f)) == 4 && sizeof(pow(2.0f, 2.0f)) == 4 && sizeof(abs(1.5f)) == 4,
           "functions of float give float");
}

/* --- SIMD --- */

typedef unsigned (*word_function)(unsigned, unsigned);
typedef int (*lane_function)(int, int, int top, int bottom);

struct simd {
    const char *name;
    word_function words;
    bool has_sign;
    int lanes;
    lane_function lane;
};

static int clamp(int v, int top, int bottom)
{
    return v > top ? top : v < bottom ? bottom : v;
}

#define LANE(EXPRESSION)                                                                           \
    [](int a, int b, int top, int bottom) -> int {                                                 \
        (void)a, (void)b, (void)top, (void)bottom;                                                 \
        return EXPRESSION;                                                                         \
    }
#define SIMD_2_AND_4(NAME, SIGN, EXPRESSION)                                                       \
    {#NAME "2", NAME##2, SIGN, 2, LANE(EXPRESSION)},                                               \
    {                                                                                              \
#NAME "4", NAME##4, SIGN, 4, LANE(EXPRESSION)                                              \
    }
#define UNARY(NAME) [](unsigned a, unsigned) { return NAME(a); }

static const simd simds[] = {
    SIMD_2_AND_4(__vadd, false, a + b),
    SIMD_2_AND_4(__vaddss, true, clamp(a + b, top, bottom)),
    SIMD_2_AND_4(__vaddus, false, clamp(a + b, top, bottom)),
    SIMD_2_AND_4(__vsub, false, a - b),
    SIMD_2_AND_4(__vsubss, true, clamp(a - b, top, bottom)),
    SIMD_2_AND_4(__vsubus, false, clamp(a - b, top, bottom)),
    /* to nearest, and away from 0 between two */
    SIMD_2_AND_4(__vavgs, true, (int)round((a + b) / 2.0)),
    SIMD_2_AND_4(__vavgu, false, (int)round((a + b) / 2.0)),
    SIMD_2_AND_4(__vhaddu, false, (int)floor((a + b) / 2.0)),
    SIMD_2_AND_4(__vabsdiffs, true, abs(a - b)),
    SIMD_2_AND_4(__vabsdiffu, false, abs(a - b)),
    SIMD_2_AND_4(__vmaxs, true, a > b ? a : b),
    SIMD_2_AND_4(__vmaxu, false, a > b ? a : b),
    SIMD_2_AND_4(__vmins, true, a > b ? b : a),
    SIMD_2_AND_4(__vminu, false, a > b ? b : a),
    SIMD_2_AND_4(__vcmpeq, false, -(a == b)),
    SIMD_2_AND_4(__vcmpges, true, -(a >= b)),
    SIMD_2_AND_4(__vcmpleu, false, -(a <= b)),
    SIMD_2_AND_4(__vcmpltu, false, -(a < b)),
    SIMD_2_AND_4(__vsetne, false, a != b),
    SIMD_2_AND_4(__vsetgts, true, a > b),
    SIMD_2_AND_4(__vsetgtu, false, a > b),
    {"__vabs4", UNARY(__vabs4), true, 4, LANE(abs(a))},
    {"__vabsss2", UNARY(__vabsss2), true, 2, LANE(clamp(abs(a), top, bottom))},
    {"__vneg4", UNARY(__vneg4), true, 4, LANE(-a)},
    {"__vnegss4", UNARY(__vnegss4), true, 4, LANE(clamp(-a, top, bottom))},
    {"__vimax_s16x2_relu", __vimax_s16x2_relu, true, 2, LANE(clamp(a > b ? a : b, top, 0))},
};

static unsigned expected_word(const simd &s, unsigned a, unsigned b)
{
    int bits = 32 / s.lanes, values = 1 << bits, top = s.has_sign ? values / 2 - 1 : values - 1;
    unsigned word = 0;

    for (int i = 0; i < s.lanes; i++) {
        int x = (int)(a >> i * bits) & (values - 1), y = (int)(b >> i * bits) & (values - 1);

        x -= x > top ? values : 0;
        y -= y > top ? values : 0;
        word |= ((unsigned)s.lane(x, y, top, top - values + 1) & (unsigned)(values - 1))
                << i * bits;
    }
    return word;
}

static void lanes()
{
    static const unsigned corners[] = {0, 0x7f80ff01, 0x80017fff, 0x01010101, ~0u, 0x80808080};
    char text[100];

    for (const simd &s : simds) {
        unsigned state = 12345;
        int wrong = 0;

        for (int i = 0; i < 5000; i++) {
            unsigned a = i < 36 ? corners[i / 6] : state = state * 1664525 + 1013904223;
            unsigned b = i < 36 ? corners[i % 6] : state = state * 1664525 + 1013904223;

            wrong += s.words(a, b) != expected_word(s, a, b);
        }
        snprintf(text, sizeof(text), "%s, lane by lane", s.name);
        expect_equal(wrong, 0, text);
    }
    bool high, low, won;
    expect(__vsads4(0x80ff0102, 0x7f010203) == 255 + 2 + 1 + 1 && __vsadu2(0xffff0001, 3) == 65537,
           "sums of differences");
    expect(__vibmax_s32(-3, -3, &won) == -3 && won && __vibmin_u32(3, 2, &won) == 2 && !won &&
               __vibmax_s16x2(0x80000001, 0x00010000, &high, &low) == 0x00010001 && !high && low,
           "maxima with who won");
    expect(__vimax3_s32_relu(-5, -2, -9) == 0 && __viaddmin_u32(~0u, 2, 5) == 1 &&
               __viaddmax_s16x2_relu(0x7fffffff, 0x00010001, 0xfffe0000) == 0,
           "maxima of sums, which wrap");
    expect(__fns(0xb0, 0, 2) == 5 && __fns(0xb0, 6, -1) == 5 && __fns(0xb0, 4, 0) == 4 &&
               __fns(0xb0, 0, 4) == ~0u,
           "__fns");
}

int main()
{
    functions();
    lanes();
    return expect_status();
}
