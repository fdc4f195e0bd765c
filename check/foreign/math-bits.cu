// Bit intrinsics against loops on the host.
#include <cstdio>

const int N = 4096;

__host__ __device__ unsigned mix(unsigned v)
{
    v ^= v >> 16;
    v *= 0x7feb352d;
    v ^= v >> 15;
    return v * 0x846ca68b;
}

__global__ void bits(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = mix(i), b = mix(i + N);
    unsigned long long w = (unsigned long long)a << 32 | b;
    unsigned h = 0;

    h = h * 31 + __popc(a) + 40 * __popcll(w);
    h = h * 31 + __clz(a >> (i & 31)) + 70 * __clzll(w >> (i & 63));
    h = h * 31 + __ffs(a & b) + 70 * __ffsll(w << (i & 63));
    h = h * 31 + __brev(a) + (unsigned)(__brevll(w) >> 7);
    h = h * 31 + __umulhi(a, b) + (unsigned)__mulhi((int)a, (int)b);
    h = h * 31 + (unsigned)__umul64hi(w, w * 3) + (unsigned)__mul64hi((long long)w, -7);
    h = h * 31 + (unsigned)__mul24((int)a, (int)b) + __umul24(a, b);
    h = h * 31 + (unsigned)__hadd((int)a, (int)b) + (unsigned)__rhadd((int)a, (int)b);
    h = h * 31 + __uhadd(a, b) + __urhadd(a, b);
    h = h * 31 + __sad((int)a, (int)b, 5) + __usad(a, b, 6);
    h = h * 31 + __byte_perm(a, b, i * 0x1357);
    h = h * 31 + __funnelshift_l(a, b, i) + __funnelshift_lc(a, b, i & 63);
    h = h * 31 + __funnelshift_r(a, b, i) + __funnelshift_rc(a, b, i & 63);
    out[i] = h;
}

static unsigned count(unsigned long long v)
{
    unsigned n = 0;

    for (; v; v >>= 1)
        n += v & 1;
    return n;
}

static unsigned high_zeros(unsigned long long v, int bits)
{
    int n = 0;

    while (n < bits && !(v >> (bits - 1 - n) & 1))
        n++;
    return n;
}

static unsigned first_one(unsigned long long v)
{
    for (unsigned i = 0; i < 64; i++)
        if (v >> i & 1)
            return i + 1;
    return 0;
}

static unsigned long long reversed(unsigned long long v, int bits)
{
    unsigned long long r = 0;

    for (int i = 0; i < bits; i++)
        r |= (v >> i & 1) << (bits - 1 - i);
    return r;
}

/* Bits from..from+31 of high:low. */
static unsigned window(unsigned low, unsigned high, int from)
{
    unsigned r = 0;

    for (int i = 0; i < 32; i++)
        r |= ((from + i < 32 ? low >> (from + i) : high >> (from + i - 32)) & 1) << i;
    return r;
}

static unsigned expected(unsigned i)
{
    unsigned a = mix(i), b = mix(i + N), h = 0, perm = 0;
    unsigned long long w = (unsigned long long)a << 32 | b;
    unsigned char bytes[8];
    long long sum = (long long)(int)a + (int)b;
    unsigned long long usum = (unsigned long long)a + b;
    int low_a = (int)(a << 8) / 256, low_b = (int)(b << 8) / 256;

    for (int k = 0; k < 8; k++)
        bytes[k] = (k < 4 ? a >> 8 * k : b >> 8 * (k - 4)) & 0xff;
    for (int k = 0; k < 4; k++)
        perm |= (unsigned)bytes[i * 0x1357 >> 4 * k & 7] << 8 * k;
    h = h * 31 + count(a) + 40 * count(w);
    h = h * 31 + high_zeros(a >> (i & 31), 32) + 70 * high_zeros(w >> (i & 63), 64);
    h = h * 31 + first_one(a & b) + 70 * first_one(w << (i & 63));
    h = h * 31 + (unsigned)reversed(a, 32) + (unsigned)(reversed(w, 64) >> 7);
    h = h * 31 + (unsigned)((unsigned long long)a * b >> 32) +
        (unsigned)((long long)(int)a * (int)b >> 32);
    h = h * 31 + (unsigned)((unsigned __int128)w * (w * 3) >> 64) +
        (unsigned)((__int128)(long long)w * -7 >> 64);
    h = h * 31 + (unsigned)((long long)low_a * low_b) + (a % (1 << 24)) * (b % (1 << 24));
    h = h * 31 + (unsigned)(sum >> 1) + (unsigned)((sum + 1) >> 1);
    h = h * 31 + (unsigned)(usum / 2) + (unsigned)((usum + 1) / 2);
    sum = (long long)(int)a - (int)b;
    h = h * 31 + (unsigned)(sum < 0 ? -sum : sum) + 5 + (a > b ? a - b : b - a) + 6;
    h = h * 31 + perm;
    h = h * 31 + window(a, b, 32 - (i & 31)) + window(a, b, 32 - ((i & 63) > 32 ? 32 : i & 63));
    h = h * 31 + window(a, b, i & 31) + window(a, b, (i & 63) > 32 ? 32 : i & 63);
    return h;
}

int main()
{
    static unsigned h[N];
    unsigned *d;
    int equal = 0;

    cudaMalloc(&d, sizeof(h));
    bits<<<N / 256, 256>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < N; i++)
        equal += h[i] == expected(i);
    printf("%d of %d as expected\n", equal, N);
    return 0;
}
