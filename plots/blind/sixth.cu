/*
 * The sixth set: twenty kernels as students write them in courses, of kinds that neither the series nor the sets
 * before have. Their results are exact: integers, sums and products of small ones, or floats that are rounded where no
 * value comes near. No result depends on the order of the threads.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#include "blind.h"

#define THREADS 256
#define FEW 128                 /* threads of some blocks */
#define MANY 512                /* of others */
#define LARGE ((size_t)1 << 26) /* 256 MiB of words */
#define COLS 2048               /* of an image */
#define TILE 16
#define LANES 32
#define ALL 0xffffffffu /* lanes of a warp */
#define OPAQUE 128
#define BACKGROUND 0xff204060u
#define LEFT 48 /* columns of a matrix, and of that beside it */
#define RIGHT 32
#define BOTH (LEFT + RIGHT)
#define CHANNELS 192
#define CLASSES 10
#define MODULUS 998244353u
#define HIGHEST 100000000u /* of the numbers that are happy or not */
#define SIDE 128           /* pixels of a picture's row, and rows */
#define PICTURE (SIDE * SIDE)
#define CONSTANTS 4
#define ROUNDS 128
#define HALVES 24 /* of an interval */
#define STEPS 32
#define STEP 0.125f /* seconds */
#define FRICTION 0.5f
#define DEGREE 24
#define SHADES 256
#define PIXELS 8 /* of a thread */
#define SORTED (2 * FEW)
#define SPAN 2048 /* words of a block */
#define ITEMS 32
#define CAPACITY MANY
#define HEAVIEST 64
#define NUMBERS (1u << 22) /* a bit for each */
#define LETTERS 12

/* Of a Julia set each. */
__constant__ float2 constants[CONSTANTS] = {
    {-0.8f, 0.156f}, {-0.4f, 0.6f}, {0.285f, 0.01f}, {-0.7269f, 0.1889f}};

/* --- the kernels ----------------------------------------------------------------------------- */

/* Sound of two channels, 16 bits each, to one channel of floats. */
__global__ void mono(float *y, const short2 *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = (x[i].x + x[i].y) / 65536.0f;
}

/* The pixels that a mask of bytes leaves of an image; the others are the background. */
__global__ void cut_out(uint32_t *y, const uint32_t *x, const unsigned char *mask, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = mask[i] >= OPAQUE ? x[i] : BACKGROUND;
}

/* Two matrices side by side: each row of the one, then the same row of the other. */
__global__ void join(float *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        size_t row = i / BOTH, col = i % BOTH;

        y[i] = col < LEFT ? x[row * LEFT + col] : z[row * RIGHT + col - LEFT];
    }
}

/* The largest of each 2 x 2 pixels. */
__global__ void pool(float *y, const float *x)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    const float *first = x + (size_t)row * 2 * COLS + 2 * col;

    y[(size_t)row * (COLS / 2) + col] =
        fmaxf(fmaxf(first[0], first[1]), fmaxf(first[COLS], first[COLS + 1]));
}

/* Each channel with its own mean, scale and shift, then nothing below 0; a block for each row. */
__global__ void normalize(float *y, const float *x, const float *mean, const float *scale,
                          const float *shift)
{
    int channel = threadIdx.x;
    size_t i = blockIdx.x * (size_t)CHANNELS + channel;

    y[i] = fmaxf((x[i] - mean[channel]) * scale[channel] + shift[channel], 0);
}

/* The class that has the most points, a thread for each row; the first of those that are equal. */
__global__ void classes(int *y, const float *x, size_t rows)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < rows) {
        float most = x[i * CLASSES];
        int best = 0;

        for (int k = 1; k < CLASSES; k++)
            if (x[i * CLASSES + k] > most) {
                most = x[i * CLASSES + k];
                best = k;
            }
        y[i] = best;
    }
}

/* Powers modulo a number, by squares. */
__global__ void powers(uint32_t *y, const uint32_t *x, const uint32_t *z, uint32_t modulus,
                       size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        uint64_t base = x[i] % modulus, result = 1;

        for (uint32_t exponent = z[i] >> 16; exponent > 0; exponent /= 2) {
            if (exponent % 2)
                result = result * base % modulus;
            base = base * base % modulus;
        }
        y[i] = (uint32_t)result;
    }
}

/* After how many sums of its digits' squares a number comes to 1; 0 if it comes to 4, and so never to 1. */
__global__ void happy(int *y, const uint32_t *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        uint32_t number = x[i] % HIGHEST + 1;
        int steps = 0;

        while (number != 1 && number != 4) {
            uint32_t sum = 0;

            for (; number > 0; number /= 10)
                sum += (number % 10) * (number % 10);
            number = sum;
            steps++;
        }
        y[i] = number == 1 ? steps : 0;
    }
}

/* After how many rounds a pixel leaves a circle. */
static __host__ __device__ int rounds_of(int col, int row, float2 c)
{
    float x = (col - 63.5f) * 0.025f, y = (row - 63.5f) * 0.025f;
    int k = 0;

    while (k < ROUNDS && fmaf(x, x, y * y) < 4) {
        float next = fmaf(x, x, fmaf(-y, y, c.x));

        y = fmaf(2 * x, y, c.y);
        x = next;
        k++;
    }
    return k;
}

/* Pictures of Julia sets. */
__global__ void julia(int *y)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t at = blockIdx.z * (size_t)PICTURE + row * SIDE + col;

    y[at] = rounds_of(col, row, constants[blockIdx.z % CONSTANTS]);
}

/* The t of which t e^t is a given number, by halves of an interval, in hundredths. */
__global__ void bisect(int *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float wanted = x[i] + z[i] / 8, low = 0, high = 4;

        for (int k = 0; k < HALVES; k++) {
            float middle = (low + high) / 2;

            if (middle * expf(middle) < wanted)
                low = middle;
            else
                high = middle;
        }
        y[i] = (int)rintf(100 * low);
    }
}

static __device__ float pull(float angle, float speed)
{
    return -sinf(angle) - FRICTION * speed;
}

/* Where pendulums are after some seconds, in hundredths, by Runge and Kutta. */
__global__ void pendulum(int *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float angle = x[i] / 6, speed = z[i] / 16;

    for (int k = 0; k < STEPS; k++) {
        float a1 = speed, b1 = pull(angle, speed);
        float a2 = speed + STEP / 2 * b1, b2 = pull(angle + STEP / 2 * a1, a2);
        float a3 = speed + STEP / 2 * b2, b3 = pull(angle + STEP / 2 * a2, a3);
        float a4 = speed + STEP * b3, b4 = pull(angle + STEP * a3, a4);

        angle += STEP / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        speed += STEP / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    y[i] = (int)rintf(100 * angle);
}

/* Legendre's polynomial of a high degree in double precision, each by the two before, in thousandths. */
__global__ void legendre(int *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        double t = (16 * x[i] + z[i] - 127.5) / 128, before = 1, now = t;

        for (int k = 2; k <= DEGREE; k++) {
            double next = ((2 * k - 1) * t * now - (k - 1) * before) / k;

            before = now;
            now = next;
        }
        y[i] = (int)rint(1000 * now);
    }
}

/* A bit for each pair, whether the first is larger: a warp votes. */
__global__ void vote(uint32_t *y, const float *x, const float *z)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t larger = __ballot_sync(ALL, x[i] > z[i]);

    if (threadIdx.x % LANES == 0)
        y[i / LANES] = larger;
}

/* A curve of 256 shades for each byte of an image, from shared memory. */
__global__ void curve(uchar4 *y, const uchar4 *x, const unsigned char *shades, size_t n)
{
    __shared__ unsigned char table[SHADES];
    size_t first = blockIdx.x * (size_t)THREADS * PIXELS + threadIdx.x;

    table[threadIdx.x] = shades[threadIdx.x];
    __syncthreads();
    for (size_t i = first; i < first + THREADS * PIXELS && i < n; i += THREADS) {
        uchar4 p = x[i];

        y[i] = make_uchar4(table[p.x], table[p.y], table[p.z], table[p.w]);
    }
}

/* Words sorted by a block: neighbours change places, even ones and odd ones in turn. */
__global__ void odd_even(uint32_t *y, const uint32_t *x)
{
    __shared__ uint32_t s[SORTED];
    size_t first = blockIdx.x * (size_t)SORTED;

    s[threadIdx.x] = x[first + threadIdx.x];
    s[threadIdx.x + FEW] = x[first + threadIdx.x + FEW];
    __syncthreads();
    for (int round = 0; round < SORTED; round++) {
        int k = 2 * threadIdx.x + round % 2;

        if (k + 1 < SORTED && s[k] > s[k + 1]) {
            uint32_t other = s[k];

            s[k] = s[k + 1];
            s[k + 1] = other;
        }
        __syncthreads();
    }
    y[first + threadIdx.x] = s[threadIdx.x];
    y[first + threadIdx.x + FEW] = s[threadIdx.x + FEW];
}

/* Where the least word of each block's part is; the first of those that are equal. */
__global__ void least(uint32_t *y, const uint32_t *x)
{
    __shared__ uint32_t value[MANY], place[MANY];
    const uint32_t *part = x + blockIdx.x * (size_t)SPAN;
    uint32_t t = threadIdx.x, best = part[t], at = t;

    for (uint32_t k = t + MANY; k < SPAN; k += MANY)
        if (part[k] < best) {
            best = part[k];
            at = k;
        }
    value[t] = best;
    place[t] = at;
    for (uint32_t half = MANY / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half && (value[t + half] < value[t] ||
                         (value[t + half] == value[t] && place[t + half] < place[t]))) {
            value[t] = value[t + half];
            place[t] = place[t + half];
        }
    }
    if (t == 0)
        y[blockIdx.x] = place[0];
}

/* What the best choice of some items is worth, for each weight that a knapsack holds; a block for each knapsack. */
__global__ void knapsack(uint32_t *y, const uint32_t *x)
{
    __shared__ uint32_t best[2][CAPACITY];
    const uint32_t *item = x + blockIdx.x * (size_t)ITEMS;
    uint32_t room = threadIdx.x;

    best[0][room] = 0;
    __syncthreads();
    for (int k = 0; k < ITEMS; k++) {
        const uint32_t *before = best[k % 2];
        uint32_t weight = item[k] % HEAVIEST + 1, worth = item[k] >> 16;
        uint32_t with = room >= weight ? before[room - weight] + worth : 0;

        best[(k + 1) % 2][room] = max(before[room], with);
        __syncthreads();
    }
    y[blockIdx.x * (size_t)CAPACITY + room] = best[ITEMS % 2][room];
}

/* The transform by Walsh and Hadamard of 32 numbers, in a warp. */
__global__ void hadamard(float *y, const float *x)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float value = x[i];

    for (int d = 1; d < LANES; d *= 2) {
        float other = __shfl_xor_sync(ALL, value, d);

        value = threadIdx.x & d ? other - value : value + other;
    }
    y[i] = value;
}

/* The numbers that are taken: each clears its bit. */
__global__ void take_numbers(uint32_t *open, const uint32_t *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        uint32_t number = x[i] % NUMBERS;

        atomicAnd(&open[number / 32], ~(1u << number % 32));
    }
}

/* The order of letters that a number stands for. */
__global__ void permutation(char *y, const uint32_t *x, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    char left[LETTERS];
    uint32_t number;

    if (i >= count)
        return;
    number = x[i];
    for (int k = 0; k < LETTERS; k++)
        left[k] = (char)('a' + k);
    for (int k = 0; k < LETTERS; k++) {
        int chosen = (int)(number % (LETTERS - k));

        number /= LETTERS - k;
        y[i * LETTERS + k] = left[chosen];
        for (int j = chosen; j + 1 < LETTERS - k; j++)
            left[j] = left[j + 1];
    }
}

/* --- their launches; n words ----------------------------------------------------------------- */

static unsigned blocks_of(size_t n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

static const dim3 tile(TILE, TILE);

static void run_mono(struct arrays *a, size_t n)
{
    mono<<<blocks_of(n, MANY), MANY>>>(a->y, (const short2 *)a->x, n);
}

static void run_cut_out(struct arrays *a, size_t n)
{
    cut_out<<<blocks_of(n, THREADS), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x,
                                                (const unsigned char *)a->z, n);
}

static void run_join(struct arrays *a, size_t n)
{
    n = n / BOTH * BOTH;
    join<<<blocks_of(n, THREADS), THREADS>>>(a->y, a->x, a->z, n);
}

static void run_pool(struct arrays *a, size_t n)
{
    dim3 blocks(COLS / 2 / TILE, (unsigned)(n / COLS / 2 / TILE));

    pool<<<blocks, tile>>>(a->y, a->x);
}

static void run_normalize(struct arrays *a, size_t n)
{
    normalize<<<(unsigned)(n / CHANNELS), CHANNELS>>>(a->y, a->x, a->z, a->z + CHANNELS,
                                                      a->z + 2 * CHANNELS);
}

static void run_classes(struct arrays *a, size_t n)
{
    classes<<<blocks_of(n / CLASSES, THREADS), THREADS>>>((int *)a->y, a->x, n / CLASSES);
}

static void run_powers(struct arrays *a, size_t n)
{
    powers<<<blocks_of(n, FEW), FEW>>>((uint32_t *)a->y, (const uint32_t *)a->x,
                                       (const uint32_t *)a->z, MODULUS, n);
}

static void run_happy(struct arrays *a, size_t n)
{
    happy<<<blocks_of(n, THREADS), THREADS>>>((int *)a->y, (const uint32_t *)a->x, n);
}

static void run_julia(struct arrays *a, size_t n)
{
    julia<<<dim3(SIDE / TILE, SIDE / TILE, (unsigned)(n / PICTURE)), tile>>>((int *)a->y);
}

static void run_bisect(struct arrays *a, size_t n)
{
    bisect<<<blocks_of(n, THREADS), THREADS>>>((int *)a->y, a->x, a->z, n);
}

static void run_pendulum(struct arrays *a, size_t n)
{
    pendulum<<<blocks_of(n, THREADS), THREADS>>>((int *)a->y, a->x, a->z, n);
}

static void run_legendre(struct arrays *a, size_t n)
{
    legendre<<<blocks_of(n, THREADS), THREADS>>>((int *)a->y, a->x, a->z, n);
}

static void run_vote(struct arrays *a, size_t n)
{
    vote<<<blocks_of(n, THREADS), THREADS>>>((uint32_t *)a->y, a->x, a->z);
}

static void run_curve(struct arrays *a, size_t n)
{
    curve<<<blocks_of(n / PIXELS, THREADS), THREADS>>>((uchar4 *)a->y, (const uchar4 *)a->x,
                                                       (const unsigned char *)a->z, n);
}

static void run_odd_even(struct arrays *a, size_t n)
{
    odd_even<<<(unsigned)(n / SORTED), FEW>>>((uint32_t *)a->y, (const uint32_t *)a->x);
}

static void run_least(struct arrays *a, size_t n)
{
    least<<<(unsigned)(n / SPAN), MANY>>>((uint32_t *)a->y, (const uint32_t *)a->x);
}

static void run_knapsack(struct arrays *a, size_t n)
{
    knapsack<<<(unsigned)(n / CAPACITY), CAPACITY>>>((uint32_t *)a->y, (const uint32_t *)a->x);
}

static void run_hadamard(struct arrays *a, size_t n)
{
    hadamard<<<blocks_of(n, THREADS), THREADS>>>(a->y, a->x);
}

static void run_take_numbers(struct arrays *a, size_t n)
{
    take_numbers<<<blocks_of(n, THREADS), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x, n);
}

static void run_permutation(struct arrays *a, size_t n)
{
    permutation<<<blocks_of(4 * n / LETTERS, FEW), FEW>>>((char *)a->y, (const uint32_t *)a->x,
                                                          4 * n / LETTERS);
}

/* --- what the host makes of a part of the same ----------------------------------------------- */

static size_t one(size_t n)
{
    (void)n;
    return 1;
}

static size_t every_word(size_t n)
{
    return n;
}

static const uint32_t *bits_of(const float *words)
{
    return (const uint32_t *)words;
}

static const unsigned char *bytes_of(const float *words)
{
    return (const unsigned char *)words;
}

static const int *ints_of(const float *words)
{
    return (const int *)words;
}

static bool right_mono(const struct arrays *h, size_t n, size_t at)
{
    const int16_t *x = (const int16_t *)h->x + 2 * at;

    (void)n;
    return h->y[at] == x[0] / 65536.0 + x[1] / 65536.0;
}

static bool right_cut_out(const struct arrays *h, size_t n, size_t at)
{
    bool stays = bytes_of(h->z)[at] & OPAQUE;

    (void)n;
    return bits_of(h->y)[at] == (stays ? bits_of(h->x)[at] : BACKGROUND);
}

static size_t every_row(size_t n)
{
    return n / BOTH;
}

static bool right_join(const struct arrays *h, size_t n, size_t row)
{
    const float *y = h->y + row * BOTH;

    (void)n;
    return memcmp(y, h->x + row * LEFT, LEFT * sizeof(*y)) == 0 &&
           memcmp(y + LEFT, h->z + row * RIGHT, RIGHT * sizeof(*y)) == 0;
}

static size_t every_fourth_word(size_t n)
{
    return n / 4;
}

/* None is larger, and one is equal. */
static bool right_pool(const struct arrays *h, size_t n, size_t at)
{
    size_t row = at / (COLS / 2), col = at % (COLS / 2);
    bool there = false;

    (void)n;
    for (size_t k = 0; k < 4; k++) {
        float pixel = h->x[(2 * row + k / 2) * COLS + 2 * col + k % 2];

        if (pixel > h->y[at])
            return false;
        there |= pixel == h->y[at];
    }
    return there;
}

static size_t every_channel(size_t n)
{
    return n / CHANNELS * CHANNELS;
}

static bool right_normalize(const struct arrays *h, size_t n, size_t at)
{
    const float *z = h->z + at % CHANNELS;
    double value = (double)z[CHANNELS] * h->x[at] - (double)z[CHANNELS] * z[0] + z[2 * CHANNELS];

    (void)n;
    return h->y[at] == (value < 0 ? 0 : value);
}

static size_t every_item(size_t n)
{
    return n / CLASSES;
}

static bool right_classes(const struct arrays *h, size_t n, size_t at)
{
    const float *x = h->x + at * CLASSES;
    int best = ints_of(h->y)[at];

    (void)n;
    if (best < 0 || best >= CLASSES)
        return false;
    for (int k = 0; k < CLASSES; k++)
        if (k < best ? x[k] >= x[best] : x[k] > x[best])
            return false;
    return true;
}

/* From the exponent's highest bit on. */
static bool right_powers(const struct arrays *h, size_t n, size_t at)
{
    uint64_t result = 1;

    (void)n;
    for (int bit = 31; bit >= 16; bit--) {
        result = result * result % MODULUS;
        if (bits_of(h->z)[at] >> bit & 1)
            result = result * bits_of(h->x)[at] % MODULUS;
    }
    return bits_of(h->y)[at] == result;
}

static uint32_t squares_of(uint32_t number)
{
    return number == 0 ? 0 : number % 10 * (number % 10) + squares_of(number / 10);
}

static bool right_happy(const struct arrays *h, size_t n, size_t at)
{
    uint32_t number = bits_of(h->x)[at] % HIGHEST + 1;
    int steps = ints_of(h->y)[at];

    (void)n;
    for (int k = 0; k < steps; k++) {
        if (number == 1)
            return false;
        number = squares_of(number);
    }
    if (steps > 0 || number == 1)
        return steps >= 0 && number == 1;
    for (int k = 0; k < 100 && number != 1; k++)
        number = squares_of(number);
    return steps == 0 && number != 1;
}

static bool right_julia(const struct arrays *h, size_t n, size_t at)
{
    static const float2 all[CONSTANTS] = {
        {-0.8f, 0.156f}, {-0.4f, 0.6f}, {0.285f, 0.01f}, {-0.7269f, 0.1889f}};
    int col = (int)(at % SIDE), row = (int)(at / SIDE % SIDE);

    (void)n;
    return ints_of(h->y)[at] == rounds_of(col, row, all[at / PICTURE % CONSTANTS]);
}

/* By Newton. */
static bool right_bisect(const struct arrays *h, size_t n, size_t at)
{
    double wanted = h->x[at] + h->z[at] / 8.0, t = log(1 + wanted);

    (void)n;
    for (int k = 0; k < 8; k++)
        t -= (t - wanted * exp(-t)) / (1 + t);
    return ints_of(h->y)[at] == (int)rint(100 * t);
}

/* In double precision. */
static bool right_pendulum(const struct arrays *h, size_t n, size_t at)
{
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double angle = h->x[at] / 6.0, speed = h->z[at] / 16.0;

    (void)n;
    for (int step = 0; step < STEPS; step++) {
        double a = 0, b = 0, sum_a = 0, sum_b = 0;

        for (int k = 0; k < 4; k++) {
            double next = speed + part[k] * STEP * b;

            b = -sin(angle + part[k] * STEP * a) - FRICTION * next;
            a = next;
            sum_a += weight[k] * a;
            sum_b += weight[k] * b;
        }
        angle += STEP * sum_a / 6;
        speed += STEP * sum_b / 6;
    }
    return ints_of(h->y)[at] == (int)rint(100 * angle);
}

/* 1 / 2 * 3 / 4 * 5 / 6 and so on. */
static double share_of(int count)
{
    return count == 0 ? 1 : share_of(count - 1) * (2 * count - 1) / (2 * count);
}

/* As a sum of cosines. */
static bool right_legendre(const struct arrays *h, size_t n, size_t at)
{
    double angle = acos((16 * h->x[at] + h->z[at] - 127.5) / 128), sum = 0;

    (void)n;
    for (int k = 0; k <= DEGREE; k++)
        sum += share_of(k) * share_of(DEGREE - k) * cos((DEGREE - 2 * k) * angle);
    return ints_of(h->y)[at] == (int)rint(1000 * sum);
}

static bool right_vote(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return (bits_of(h->y)[at / LANES] >> at % LANES & 1) == (h->x[at] > h->z[at]);
}

static bool right_curve(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    for (size_t k = 4 * at; k < 4 * at + 4; k++)
        if (bytes_of(h->y)[k] != bytes_of(h->z)[bytes_of(h->x)[k]])
            return false;
    return true;
}

static size_t every_sorted(size_t n)
{
    return n / SORTED;
}

static int order_of(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

    return (first > second) - (first < second);
}

static bool right_odd_even(const struct arrays *h, size_t n, size_t part)
{
    uint32_t words[SORTED];

    (void)n;
    memcpy(words, h->x + part * SORTED, sizeof(words));
    qsort(words, SORTED, sizeof(*words), order_of);
    return memcmp(words, h->y + part * SORTED, sizeof(words)) == 0;
}

static size_t every_span(size_t n)
{
    return n / SPAN;
}

static bool right_least(const struct arrays *h, size_t n, size_t part)
{
    const uint32_t *x = bits_of(h->x) + part * SPAN;
    uint32_t found = bits_of(h->y)[part];

    (void)n;
    if (found >= SPAN)
        return false;
    for (uint32_t k = 0; k < SPAN; k++)
        if (k < found ? x[k] <= x[found] : x[k] < x[found])
            return false;
    return true;
}

static size_t every_knapsack(size_t n)
{
    return n / CAPACITY;
}

/* In one row, from the largest weight down. */
static bool right_knapsack(const struct arrays *h, size_t n, size_t at)
{
    const uint32_t *item = bits_of(h->x) + at * ITEMS;
    uint32_t best[CAPACITY] = {0};

    (void)n;
    for (int k = 0; k < ITEMS; k++) {
        int weight = (int)(item[k] % HEAVIEST) + 1;

        for (int room = CAPACITY - 1; room >= weight; room--)
            if (best[room - weight] + item[k] / 65536 > best[room])
                best[room] = best[room - weight] + item[k] / 65536;
    }
    return memcmp(best, h->y + at * CAPACITY, sizeof(best)) == 0;
}

static bool is_odd(size_t bits)
{
    return bits > 0 && bits % 2 != is_odd(bits / 2);
}

static bool right_hadamard(const struct arrays *h, size_t n, size_t at)
{
    const float *x = h->x + at / LANES * LANES;
    float sum = 0;

    (void)n;
    for (size_t k = 0; k < LANES; k++)
        sum += is_odd(k & at) ? -x[k] : x[k];
    return h->y[at] == sum;
}

static bool right_take_numbers(const struct arrays *h, size_t n, size_t at)
{
    static bool taken[NUMBERS];

    memset(taken, 0, sizeof(taken));
    for (size_t i = 0; i < n; i++)
        taken[bits_of(h->x)[i] % NUMBERS] = true;
    for (; at < NUMBERS; at++)
        if ((bits_of(h->y)[at / 32] >> at % 32 & 1) == taken[at])
            return false;
    return true;
}

static size_t every_third_word(size_t n)
{
    return n / 3;
}

/* Back to the number: how many letters that come later are smaller. */
static bool right_permutation(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *y = bytes_of(h->y) + at * LETTERS;
    uint32_t number = 0, all = 1;

    (void)n;
    for (int k = LETTERS - 1; k >= 0; k--) {
        uint32_t smaller = 0;

        if (y[k] < 'a' || y[k] >= 'a' + LETTERS)
            return false;
        for (int j = k + 1; j < LETTERS; j++) {
            if (y[j] == y[k])
                return false;
            smaller += y[j] < y[k];
        }
        number = number * (LETTERS - k) + smaller;
        all *= LETTERS - k;
    }
    return number == bits_of(h->x)[at] % all;
}

#define WORDS(power) ((size_t)1 << (power))

static const struct test tests[] = {
    {"mono", run_mono, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_mono},
    {"cut-out", run_cut_out, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_cut_out},
    {"join", run_join, LARGE, WORDS(20), SMALL, 0, false, false, every_row, right_join},
    {"pool", run_pool, LARGE, WORDS(20), SMALL, 0, false, false, every_fourth_word, right_pool},
    {"normalize", run_normalize, LARGE, WORDS(20), SMALL, 0, false, false, every_channel,
     right_normalize},
    {"classes", run_classes, LARGE, WORDS(20), SMALL, 0, false, false, every_item, right_classes},
    {"bisect", run_bisect, WORDS(24), WORDS(18), SMALL, 0, false, false, every_word, right_bisect},
    {"pendulum", run_pendulum, WORDS(22), WORDS(16), SMALL, 0, false, false, every_word,
     right_pendulum},
    {"legendre", run_legendre, WORDS(22), WORDS(16), SMALL, 0, false, false, every_word,
     right_legendre},
    {"vote", run_vote, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_vote},
    {"hadamard", run_hadamard, LARGE, WORDS(20), SMALL, 0, false, false, every_word,
     right_hadamard},
    {"powers", run_powers, WORDS(22), WORDS(18), BITS, 0, false, false, every_word, right_powers},
    {"happy", run_happy, WORDS(24), WORDS(18), BITS, 0, false, false, every_word, right_happy},
    {"julia", run_julia, WORDS(24), WORDS(20), BITS, 0, false, false, every_word, right_julia},
    {"curve", run_curve, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_curve},
    {"odd-even", run_odd_even, WORDS(22), WORDS(18), BITS, 0, false, false, every_sorted,
     right_odd_even},
    {"least", run_least, LARGE, WORDS(20), BITS, 0, false, false, every_span, right_least},
    {"knapsack", run_knapsack, WORDS(24), WORDS(18), BITS, 0, false, false, every_knapsack,
     right_knapsack},
    {"take-numbers", run_take_numbers, WORDS(22), WORDS(20), BITS, 0, false, false, one,
     right_take_numbers},
    {"permutation", run_permutation, WORDS(24), WORDS(18), BITS, 0, false, false, every_third_word,
     right_permutation},
};

int main(int argc, char **argv)
{
    return blind_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]), "sixth-nvcc.txt");
}
