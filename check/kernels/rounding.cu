/*
 * Arithmetic and conversions with a rounding mode. The expected bits were computed with exact
 * fractions (Python's), of arguments chosen by chance over the whole range, and of zeros, infinities
 * and the ends of it by IEEE 754.
 */
#include "expect.h"
#include <math.h>

struct example {
    const char *operation;
    char type, mode;
    unsigned long long a, b, c, result;
};

static const example examples[] = {
    /* clang-format off */
    {"add", 'f', 'd', 0x6a70b696, 0xab8a925f, 0x0, 0x6a70b695},
    {"add", 'f', 'z', 0xb5b40000, 0xb9e2c6dc, 0x0, 0xb9e37adc},
    {"add", 'f', 'z', 0x3f800000, 0x40400000, 0x0, 0x40800000},
    {"add", 'f', 'd', 0x0, 0x3f800000, 0x0, 0x3f800000},
    {"add", 'f', 'd', 0x3ccedb0e, 0xd3500000, 0x0, 0xd3500000},
    {"add", 'f', 'u', 0x3ab5e3eb, 0x53f0cead, 0x0, 0x53f0ceae},
    {"add", 'f', 'z', 0x7a, 0x37dc0000, 0x0, 0x37dc0000},
    {"add", 'f', 'd', 0x46, 0xa8c41219, 0x0, 0xa8c41219},
    {"add", 'f', 'u', 0x8ce72e88, 0xce0836e9, 0x0, 0xce0836e9},
    {"mul", 'f', 'z', 0xbaa73248, 0x19, 0x0, 0x80000000},
    {"mul", 'f', 'u', 0x3f800000, 0x1583fce8, 0x0, 0x1583fce8},
    {"mul", 'f', 'z', 0xf25cc9a0, 0x9692b8ba, 0x0, 0x497d149d},
    {"mul", 'f', 'u', 0x30a8d20c, 0x97f3f63d, 0x0, 0x8920e1c3},
    {"mul", 'f', 'z', 0xfdec0c27, 0x4fa80000, 0x0, 0xff7fffff},
    {"mul", 'f', 'u', 0xacb9f74f, 0xb3aa19bb, 0x0, 0x20f721d7},
    {"mul", 'f', 'u', 0x271a194a, 0x196858e7, 0x0, 0x10bdc6f},
    {"mul", 'f', 'd', 0xc70f8b8b, 0xac600000, 0x0, 0x33fb3433},
    {"mul", 'f', 'z', 0x32aa536f, 0x48240000, 0x0, 0x3b5a3ae6},
    {"div", 'f', 'u', 0x812a618c, 0x4daa7bc6, 0x0, 0x80000000},
    {"div", 'f', 'u', 0xb59a0000, 0xbbe1a7d2, 0x0, 0x392eb572},
    {"div", 'f', 'u', 0xbcc80000, 0x6a71fdfc, 0x0, 0x91d393be},
    {"div", 'f', 'u', 0xbd6227b8, 0x4d1264be, 0x0, 0xafc5bd72},
    {"div", 'f', 'd', 0xc6f5055f, 0x70fd7d5b, 0x0, 0x9577728c},
    {"div", 'f', 'u', 0x8e286268, 0x5337bfb9, 0x0, 0x80000754},
    {"div", 'f', 'z', 0x6bc4d303, 0x3f000000, 0x0, 0x6c44d303},
    {"div", 'f', 'u', 0xb1c189a7, 0xe9863dcd, 0x0, 0x7b88a15},
    {"div", 'f', 'z', 0x80000048, 0x535534be, 0x0, 0x80000000},
    {"sqrt", 'f', 'z', 0x4dd8f0a0, 0x0, 0x0, 0x46a6a365},
    {"sqrt", 'f', 'd', 0x12e2346d, 0x0, 0x0, 0x292a28cc},
    {"sqrt", 'f', 'u', 0x2fd76c25, 0x0, 0x0, 0x37a60def},
    {"sqrt", 'f', 'u', 0x3a55f0fe, 0x0, 0x0, 0x3cea071c},
    {"sqrt", 'f', 'd', 0x6d298914, 0x0, 0x0, 0x56505449},
    {"sqrt", 'f', 'd', 0x1b7a8984, 0x0, 0x0, 0x2d7d40fc},
    {"sqrt", 'f', 'd', 0x65993585, 0x0, 0x0, 0x528c09d6},
    {"sqrt", 'f', 'd', 0x30a8d20c, 0x0, 0x0, 0x38130005},
    {"sqrt", 'f', 'd', 0x48ebadd4, 0x0, 0x0, 0x442dafae},
    {"fma", 'f', 'u', 0xcfa20000, 0xcf57bc0f, 0xdf888501, 0x537c0000},
    {"fma", 'f', 'z', 0xbf800000, 0xc3900000, 0xdce27ab6, 0xdce27ab5},
    {"fma", 'f', 'u', 0xad0d0e5, 0x3abc0000, 0x4f287af7, 0x4f287af8},
    {"fma", 'f', 'u', 0xb587bc9a, 0xcfacfd23, 0x268a7a40, 0x45b771df},
    {"fma", 'f', 'u', 0x49000000, 0xc13242d7, 0xfe, 0xcab242d6},
    {"fma", 'f', 'd', 0x2689a277, 0xca6bba94, 0x2cebd3fb, 0xb17d02fc},
    {"fma", 'f', 'u', 0x31ec0000, 0x44edf291, 0x5c9d685e, 0x5c9d685f},
    {"fma", 'f', 'z', 0xa5de474, 0xc76bf7d8, 0x35200000, 0x351fffff},
    {"fma", 'f', 'z', 0x4bb20000, 0xa7b3d670, 0xa9, 0xb3fa1633},
    {"add", 'd', 'u', 0x6c335a9188f94949, 0x3d816f74492a3f2e, 0x0, 0x6c335a9188f9494a},
    {"add", 'd', 'd', 0xbece8d3eb6d4236e, 0xb111b9cb5ab7f4e9, 0x0, 0xbece8d3eb6d4236f},
    {"add", 'd', 'd', 0x3e87000000000000, 0xc1dbb5a2bdb479f7, 0x0, 0xc1dbb5a2bdb479f7},
    {"add", 'd', 'z', 0x3e6f98577b99a126, 0x160c7c39b674c4f4, 0x0, 0x3e6f98577b99a126},
    {"add", 'd', 'u', 0x5584d210a072c399, 0xc9641bc2e288ec80, 0x0, 0x5584d210a072c399},
    {"add", 'd', 'z', 0x8559bba22b3f7f2a, 0x0, 0x0, 0x8559bba22b3f7f2a},
    {"add", 'd', 'd', 0x800000000000001a, 0xcb11d368b5caae76, 0x0, 0xcb11d368b5caae77},
    {"add", 'd', 'z', 0xa514d79d68212d3d, 0xbad8189f84d88024, 0x0, 0xbad8189f84d88024},
    {"add", 'd', 'z', 0x40e6d94e8123f564, 0xec520f1eb773283b, 0x0, 0xec520f1eb773283a},
    {"mul", 'd', 'd', 0xcd83cc17c6dde670, 0xfd370a5883748c08, 0x0, 0x7fefffffffffffff},
    {"mul", 'd', 'd', 0xc79ea2d19d0f8b5d, 0x419125444322939b, 0x0, 0xc9406a2cf8114af4},
    {"mul", 'd', 'd', 0x3f7ed3385c04cbca, 0xd4c8059e897a11b0, 0x0, 0xd45723d3fd261f8a},
    {"mul", 'd', 'z', 0x86160075b037d8b, 0x4008000000000000, 0x0, 0x87a100b08853c50},
    {"mul", 'd', 'u', 0xc22bdd55ff346884, 0xee9d85af79c075d8, 0x0, 0x70d9b4fea926ffff},
    {"mul", 'd', 'z', 0x427969911586403f, 0xc0b7400000000000, 0x0, 0xc34276b369a38aad},
    {"mul", 'd', 'z', 0xdb5b293a94960b1, 0x3ead77f2e5f3e9ff, 0x0, 0xc73fb2a98f00c28},
    {"mul", 'd', 'd', 0x9d8f1eaaa53c63f3, 0xbfa6b37590a0fbe7, 0x0, 0x1d46139b30ec48e0},
    {"mul", 'd', 'd', 0x3f41c00000000000, 0x3edf400000000000, 0x0, 0x3e31558000000000},
    {"div", 'd', 'd', 0xbf78400000000000, 0xef21af966ee06bf0, 0x0, 0x1045f03a92149275},
    {"div", 'd', 'd', 0xb0d68d8dc3a3b344, 0xbdc6ad9d63633750, 0x0, 0x32ffd2c2a671acde},
    {"div", 'd', 'd', 0xbfc96cc888173ac7, 0x99104daca22561a1, 0x0, 0x66a8f3a6bd895c45},
    {"div", 'd', 'u', 0xbf32400000000000, 0x85, 0x0, 0xffefffffffffffff},
    {"div", 'd', 'u', 0x4004a8e663b8ddd9, 0x406866a7cce47370, 0x0, 0x3f8b17fa83759488},
    {"div", 'd', 'u', 0x3fe0000000000000, 0xa040dbd70a63fef7, 0x0, 0xdf8e5eb7654c1c69},
    {"div", 'd', 'u', 0x3ea7cacaa49f8faa, 0x40185cebcf568c7b, 0x0, 0x3e7f40103c013199},
    {"div", 'd', 'u', 0xbff0000000000000, 0xc12ed9eebf4345ab, 0x0, 0x3eb098821e0c13c8},
    {"div", 'd', 'z', 0x919e6f9482db7f8, 0x69d12fcb400ead03, 0x0, 0x0},
    {"sqrt", 'd', 'z', 0x25, 0x0, 0x0, 0x1e8854bfb363dc39},
    {"sqrt", 'd', 'd', 0x3ff0000000000000, 0x0, 0x0, 0x3ff0000000000000},
    {"sqrt", 'd', 'z', 0xa5, 0x0, 0x0, 0x1e99b0c25315c2cd},
    {"sqrt", 'd', 'u', 0x4009b049603ca3f2, 0x0, 0x0, 0x3ffcabd19cef1002},
    {"sqrt", 'd', 'u', 0x3ef6cd0af16a3ca0, 0x0, 0x0, 0x3f7319a278f1e007},
    {"sqrt", 'd', 'd', 0x16cf0077c21dafe8, 0x0, 0x0, 0x2b5f7f38c1a934df},
    {"sqrt", 'd', 'z', 0x4b5d8266acd106f2, 0x0, 0x0, 0x45a5baa0b031cb56},
    {"sqrt", 'd', 'u', 0x653dfbcbf9d8f202, 0x0, 0x0, 0x5295e724dbe411f8},
    {"sqrt", 'd', 'z', 0x3d99000000000000, 0x0, 0x0, 0x3ec4000000000000},
    {"fma", 'd', 'd', 0x4fbd7e8b57c9c2f9, 0xab26d70ba1945ea0, 0x9ca320133fbb5662, 0xbaf50d34bcfddd5c},
    {"fma", 'd', 'u', 0xbf4e800000000000, 0x4f0e4a62de460bde, 0x41521257ee604271, 0xce6cdee63bdac34f},
    {"fma", 'd', 'd', 0xbe3b800000000000, 0x80000000000000a0, 0x8c, 0x8c},
    {"fma", 'd', 'd', 0xc16dd92dcaa337f4, 0xcd96dbc05c388c62, 0x3e28aef90f3be613, 0x4f15524939cae5fa},
    {"fma", 'd', 'z', 0xbb6cb706f98cfaed, 0x80000000000000d7, 0x8000000000000000, 0x0},
    {"fma", 'd', 'u', 0x405c9c7a6c1dbd3a, 0x5a, 0x5897859eef5f5ce0, 0x5897859eef5f5ce1},
    {"fma", 'd', 'd', 0xa9f8e53c84fe6e02, 0xcfe600c6c81f3ee1, 0x3ff0e6e4670141d1, 0x3ff0e6e4670141d1},
    {"fma", 'd', 'u', 0xa49b3e62ae70b174, 0x41d5000000000000, 0xc088000000000000, 0xc088000000000000},
    {"fma", 'd', 'u', 0x54, 0x3f3b84340d1bfde5, 0xc22852eff8bf0357, 0xc22852eff8bf0356},
    {"add", 'f', 'd', 0x3f800000, 0xbf800000, 0x0, 0x80000000}, /* 1 - 1 is -0 when rounded down */
    {"add", 'f', 'z', 0x3f800000, 0xbf800000, 0x0, 0x0},
    {"add", 'd', 'd', 0x0, 0x0, 0x0, 0x0},
    {"add", 'd', 'u', 0x7fefffffffffffff, 0x7fefffffffffffff, 0x0, 0x7ff0000000000000},
    {"add", 'd', 'd', 0x7fefffffffffffff, 0x7fefffffffffffff, 0x0, 0x7fefffffffffffff},
    {"mul", 'f', 'z', 0x7f7fffff, 0x7f7fffff, 0x0, 0x7f7fffff},
    {"mul", 'f', 'u', 0x00000001, 0x00000001, 0x0, 0x00000001},
    {"mul", 'f', 'd', 0x00000001, 0x80000001, 0x0, 0x80000001},
    {"mul", 'f', 'd', 0x7f800000, 0x3f800000, 0x0, 0x7f800000},
    {"div", 'd', 'd', 0x3ff0000000000000, 0x0, 0x0, 0x7ff0000000000000},
    {"fma", 'd', 'd', 0x3ff0000000000000, 0x3ff0000000000000, 0xbff0000000000000,
     0x8000000000000000},
    {"fma", 'f', 'd', 0x0, 0x3f800000, 0x0, 0x0},
    {"sqrt", 'd', 'u', 0x8000000000000000, 0x0, 0x0, 0x8000000000000000},
    /* clang-format on */
};

template <typename T, typename B> static T value_of(unsigned long long bits)
{
    B b = (B)bits;
    T v;

    memcpy(&v, &b, sizeof(v));
    return v;
}

#define BY_MODE(NAME, ...)                                                                         \
    (mode == 'z'   ? NAME##_rz(__VA_ARGS__)                                                        \
     : mode == 'd' ? NAME##_rd(__VA_ARGS__)                                                        \
                   : NAME##_ru(__VA_ARGS__))

__host__ __device__ static float of_float(char operation, char mode, float a, float b, float c)
{
    switch (operation) {
    case 'a':
        return BY_MODE(__fadd, a, b);
    case 'm':
        return BY_MODE(__fmul, a, b);
    case 'd':
        return BY_MODE(__fdiv, a, b);
    case 's':
        return BY_MODE(__fsqrt, a);
    default:
        return BY_MODE(__fmaf, a, b, c);
    }
}

__host__ __device__ static double of_double(char operation, char mode, double a, double b, double c)
{
    switch (operation) {
    case 'a':
        return BY_MODE(__dadd, a, b);
    case 'm':
        return BY_MODE(__dmul, a, b);
    case 'd':
        return BY_MODE(__ddiv, a, b);
    case 's':
        return BY_MODE(__dsqrt, a);
    default:
        return BY_MODE(__fma, a, b, c);
    }
}

static bool is_right(const example &e)
{
    if (e.type == 'f') {
        float r = of_float(e.operation[0], e.mode, value_of<float, unsigned>(e.a),
                           value_of<float, unsigned>(e.b), value_of<float, unsigned>(e.c));

        return (unsigned)__float_as_int(r) == e.result;
    }
    typedef unsigned long long bits;
    double r = of_double(e.operation[0], e.mode, value_of<double, bits>(e.a),
                         value_of<double, bits>(e.b), value_of<double, bits>(e.c));

    return (bits)__double_as_longlong(r) == e.result;
}

static void arithmetic()
{
    const char *operations[] = {"add", "mul", "div", "sqrt", "fma"};
    char text[100];

    for (const char *operation : operations) {
        int wrong = 0, count = 0;

        for (const example &e : examples)
            if (!strcmp(e.operation, operation)) {
                bool right = is_right(e);

                if (!right)
                    printf("# %s %c %c %llx %llx %llx\n", e.operation, e.type, e.mode, e.a, e.b,
                           e.c);
                wrong += !right;
                count++;
            }
        snprintf(text, sizeof(text), "%s, %d examples in three rounding modes", operation, count);
        expect_equal(wrong, 0, text);
    }
    expect(__fsub_rd(1, 1) == 0 && signbit(__fsub_rd(1, 1)), "1 - 1 rounded down is -0");
    expect(__frcp_rd(3) < __frcp_ru(3) && __frcp_rz(-3) == -__frcp_rd(3), "reciprocals");
    expect(isnan(__fadd_ru(NAN, 1)) && isnan(__fsqrt_rd(-1)) && isnan(__ddiv_rz(0, 0)) &&
               isnan(__dadd_rd(INFINITY, -INFINITY)),
           "NaN stays NaN, and comes of what has no value");
}

/* 1/sqrt of a float, rounded to nearest: exact products of the neighbours' midpoints tell. */
static void inverse_roots()
{
    int wrong = 0;

    for (unsigned i = 0x3f800000; i < 0x40800000; i += 61) {
        float x = __uint_as_float(i), y = __frsqrt_rn(x);
        long double below = ((long double)y + nextafterf(y, 0)) / 2;
        long double above = ((long double)y + nextafterf(y, 2)) / 2;

        wrong += below * below * x > 1 || above * above * x < 1;
    }
    expect_equal(wrong, 0, "__frsqrt_rn over two binades");
}

static void conversions()
{
    const float ends[] = {2147483648.0f, -2147483904.0f, NAN, 9.3e18f, -1.5f};

    expect(__float2int_rn(ends[0]) == INT32_MAX && __float2int_rz(ends[1]) == INT32_MIN &&
               __float2int_rd(ends[2]) == 0 && __float2uint_rn(ends[4]) == 0,
           "float to int ends at the ends; NaN is 0");
    expect(__float2ll_rn(ends[3]) == INT64_MAX && __float2ull_rn(ends[3]) == 9300000300729368576u &&
               __float2ll_rn(ends[2]) == INT64_MIN && __double2int_rn(NAN) == INT32_MIN &&
               __double2uint_rz(NAN) == 0x80000000u,
           "float to 64 bits, and double's NaN");
    expect(__float2int_rn(2.5f) == 2 && __float2int_rn(3.5f) == 4 && __float2int_rn(-2.5f) == -2,
           "ties go to even");
    expect(__ll2float_rd(INT64_MAX) < 0x1p63f && __ll2float_ru(INT64_MAX) == 0x1p63f &&
               __ull2double_rz(UINT64_MAX) < 0x1p64 && __int2float_rz(-16777217) == -16777216,
           "integers to floats, in each direction");
    expect(__double2float_ru(1e-300) == 0x1p-149f && __double2float_rd(1e300) < INFINITY &&
               __double2float_rn(1e300) == INFINITY,
           "double to float beyond its range");
}

int main()
{
    arithmetic();
    inverse_roots();
    conversions();
    return expect_status();
}
