// Four bytes or two halfwords at a time, against one at a time.
#include <cstdio>
#include <cstdlib>

const int N = 2048;

struct results {
    unsigned add, adds, sub, differ, sad, mean, above, least, most, negated, halves, product2;
    int product;
    unsigned longest;
};

__global__ void lanes(results *out, const unsigned *a, const unsigned *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[i], y = b[i];
    results r;

    r.add = __vadd4(x, y);
    r.adds = __vaddus4(x, y);
    r.sub = __vsubss4(x, y);
    r.differ = __vabsdiffu4(x, y);
    r.sad = __vsadu4(x, y);
    r.mean = __vavgu4(x, y);
    r.above = __vcmpgts4(x, y);
    r.least = __vmins4(x, y);
    r.most = __vmaxu2(x, y);
    r.negated = __vnegss2(x);
    r.halves = __vaddss2(x, y);
    r.product2 = __dp2a_lo(x, y, 7u);
    r.product = __dp4a((int)x, (int)y, -3);
    r.longest = __viaddmax_s16x2(x, y, 0x00010001);
    out[i] = r;
}

static int clamp(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

static results expected(unsigned x, unsigned y)
{
    results r = {};

    r.product = -3;
    r.product2 = 7;
    for (int i = 0; i < 4; i++) {
        int a = x >> 8 * i & 255, b = y >> 8 * i & 255;
        int sa = (signed char)a, sb = (signed char)b;

        r.add |= (unsigned)((a + b) % 256) << 8 * i;
        r.adds |= (unsigned)clamp(a + b, 0, 255) << 8 * i;
        r.sub |= (unsigned)(clamp(sa - sb, -128, 127) & 255) << 8 * i;
        r.differ |= (unsigned)abs(a - b) << 8 * i;
        r.sad += (unsigned)abs(a - b);
        r.mean |= (unsigned)((a + b + 1) / 2) << 8 * i;
        r.above |= (sa > sb ? 255u : 0) << 8 * i;
        r.least |= (unsigned)((sa < sb ? sa : sb) & 255) << 8 * i;
        r.product += sa * sb;
    }
    for (int i = 0; i < 2; i++) {
        int a = x >> 16 * i & 0xffff, b = y >> 16 * i & 0xffff;
        int sa = (short)a, sb = (short)b, sum = (short)(sa + sb);

        r.most |= (unsigned)(a > b ? a : b) << 16 * i;
        r.negated |= (unsigned)(clamp(-sa, -32768, 32767) & 0xffff) << 16 * i;
        r.halves |= (unsigned)(clamp(sa + sb, -32768, 32767) & 0xffff) << 16 * i;
        r.product2 += (unsigned)a * (y >> 8 * i & 255);
        r.longest |= (unsigned)((sum > 1 ? sum : 1) & 0xffff) << 16 * i;
    }
    return r;
}

int main()
{
    static unsigned a[N], b[N];
    static results h[N];
    unsigned *da, *db, state = 1;
    results *d;
    int wrong[14] = {};

    for (int i = 0; i < N; i++) {
        a[i] = state = state * 1664525 + 1013904223;
        b[i] = i % 9 ? state = state * 1664525 + 1013904223 : 0x80007f80;
    }
    cudaMalloc(&da, sizeof(a));
    cudaMalloc(&db, sizeof(b));
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice);
    lanes<<<N / 128, 128>>>(d, da, db);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        results r = expected(a[i], b[i]);

        for (int k = 0; k < 14; k++)
            wrong[k] += ((unsigned *)&r)[k] != ((unsigned *)&h[i])[k];
    }
    for (int k = 0; k < 14; k++)
        printf("%d wrong\n", wrong[k]);
    return 0;
}
