/*
 * The third set: twenty kernels as students write them for their first courses, of kinds that neither the series nor
 * the sets before have. Their results are exact: integers, or floats that are compared with a threshold that no value
 * comes near.
 */
#include <math.h>
#include <stdint.h>

#include <cuda_runtime.h>

#include "blind.h"

#define THREADS 256
#define LANES 32
#define LARGE ((size_t)1 << 26) /* 256 MiB of words */
#define COLS 2048               /* of a matrix, or an image */
#define FEW 512                 /* columns of a matrix that has many rows */
#define TILE 16
#define SCANNED 1024
#define ROUNDS 64
#define DRAWS 32
#define TEXT 64  /* bytes of a line of text */
#define FIELDS 4 /* of a particle */
#define NEAR 16  /* entries of a row of a sparse matrix */
#define TAPS 5

__constant__ float taps[TAPS * TAPS] = {1,  4, 6, 4,  1,  4,  16, 24, 16, 4, 6, 24, 36,
                                        24, 6, 4, 16, 24, 16, 4,  1,  4,  6, 4, 1};

/* --- the kernels ----------------------------------------------------------------------------- */

/* A neuron that fires. */
__global__ void sigmoid(int *y, const float *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = 1.0f / (1.0f + __expf(-x[i])) > 0.9f;
}

/* An option's price by the normal distribution's tail, in whole units. */
__global__ void option(int *y, const float *price, const float *strike, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float s = price[i] + 20, k = strike[i] + 20, root = 0.3f * sqrtf(2.0f);
        float d1 = (logf(s / k) + (0.02f + 0.045f) * 2) / root, d2 = d1 - root;

        y[i] = s * normcdff(d1) - k * expf(-0.04f) * normcdff(d2) > 3.125f;
    }
}

/* The bits of each number mixed, as hash tables want them. */
static __host__ __device__ uint32_t mixed(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    return h ^ h >> 16;
}

__global__ void mix(uint32_t *y, const uint32_t *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = mixed(x[i]);
}

__global__ void triad(float *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] + 3 * z[i];
}

/* The product of two vectors: a tree in each block, then an atomic on one word. */
__global__ void dot(unsigned *y, const float *x, const float *z, size_t n)
{
    __shared__ float part[THREADS];
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    part[threadIdx.x] = i < n ? x[i] * z[i] : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(y, (unsigned)part[0]);
}

/* The largest of each column, by a thread. */
__global__ void column_max(float *y, const float *x, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float most = 0;

    for (int row = 0; row < rows; row++)
        most = fmaxf(most, x[(size_t)row * FEW + col]);
    y[col] = most;
}

/* Each row less its mean: the row is read twice, by a block. */
__global__ void centre(float *y, const float *x)
{
    __shared__ float part[THREADS];
    const float *row = x + (size_t)blockIdx.x * COLS;
    float sum = 0;

    for (int col = threadIdx.x; col < COLS; col += blockDim.x)
        sum += row[col];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    for (int col = threadIdx.x; col < COLS; col += blockDim.x)
        y[(size_t)blockIdx.x * COLS + col] = row[col] - part[0] / COLS;
}

/* Running sums within each block, with two barriers in a round. */
__global__ void block_sums(float *y, const float *x)
{
    __shared__ float s[SCANNED];
    size_t i = blockIdx.x * (size_t)SCANNED + threadIdx.x;

    s[threadIdx.x] = x[i];
    for (int d = 1; d < SCANNED; d *= 2) {
        float before = 0;

        __syncthreads();
        if ((int)threadIdx.x >= d)
            before = s[threadIdx.x - d];
        __syncthreads();
        s[threadIdx.x] += before;
    }
    y[i] = s[threadIdx.x];
}

/* An image through a 5 x 5 filter of constant memory. */
__global__ void filter(float *y, const float *x, int rows)
{
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;

    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++) {
            int r = row + i - TAPS / 2, c = col + j - TAPS / 2;

            if (r >= 0 && r < rows && c >= 0 && c < COLS)
                sum += taps[i * TAPS + j] * x[(size_t)r * COLS + c];
        }
    y[(size_t)row * COLS + col] = sum;
}

/* How many steps until a number is 1: a half, or three times and one more. */
static __host__ __device__ int steps_of(uint32_t number)
{
    uint64_t k = number % 65536 + 1;
    int steps = 0;

    while (k != 1) {
        k = k % 2 ? 3 * k + 1 : k / 2;
        steps++;
    }
    return steps;
}

__global__ void collatz(int *y, const uint32_t *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = steps_of(x[i]);
}

/* Prime numbers by dividing. */
static __host__ __device__ bool is_prime(unsigned k)
{
    for (unsigned d = 2; d * d <= k; d++)
        if (k % d == 0)
            return false;
    return k > 1;
}

__global__ void primes(int *y, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = is_prime((unsigned)i);
}

/* An image of four times the size: each pixel out of four. */
__global__ void enlarge(float *y, const float *x, int rows)
{
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    int c = col / 2, r = row / 2, right = min(c + 1, COLS / 2 - 1),
        below = min(r + 1, rows / 2 - 1);
    float at = x[(size_t)r * (COLS / 2) + c], beside = x[(size_t)r * (COLS / 2) + right];
    float under = x[(size_t)below * (COLS / 2) + c], across = x[(size_t)below * (COLS / 2) + right];
    float u = col % 2 ? 0.5f : 0, v = row % 2 ? 0.5f : 0;

    y[(size_t)row * COLS + col] =
        (at * (1 - u) + beside * u) * (1 - v) + (under * (1 - u) + across * u) * v;
}

/* The sum of two matrices, with x and y the wrong way round. */
__global__ void add_turned(float *y, const float *x, const float *z, int rows)
{
    int row = blockIdx.x * TILE + threadIdx.x, col = blockIdx.y * TILE + threadIdx.y;

    if (row < rows)
        y[(size_t)row * COLS + col] = x[(size_t)row * COLS + col] + z[(size_t)row * COLS + col];
}

/* Each point's nearest other one, by a tile of points after the other. */
__global__ void nearest(int *y, const float *px, const float *py, int n)
{
    __shared__ float sx[THREADS], sy[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, found = -1;
    float x = px[i], z = py[i], best = INFINITY;

    for (int first = 0; first < n; first += THREADS) {
        sx[threadIdx.x] = px[first + threadIdx.x];
        sy[threadIdx.x] = py[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < THREADS; k++) {
            float dx = sx[k] - x, dy = sy[k] - z, apart = dx * dx + dy * dy;

            if (apart < best && first + k != i) {
                best = apart;
                found = first + k;
            }
        }
        __syncthreads();
    }
    y[i] = found;
}

static __host__ __device__ uint32_t walked(uint32_t state)
{
    for (int k = 0; k < ROUNDS; k++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
    }
    return state;
}

__global__ void walk(uint32_t *y, const uint32_t *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = walked(x[i]);
}

struct body {
    float field[FIELDS];
};

/* Structures to arrays, one for each field. */
__global__ void take_apart(float *y, const struct body *x, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < count)
        for (int k = 0; k < FIELDS; k++)
            y[k * count + i] = x[i].field[k];
}

/* A generation of cells, a byte each, on a square without a rim, by a tile with its rim. */
__global__ void life(unsigned char *y, const unsigned char *x, int rows)
{
    __shared__ unsigned char s[TILE + 2][TILE + 2];
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y, alive = 0;

    for (int k = threadIdx.y * TILE + threadIdx.x; k < (TILE + 2) * (TILE + 2); k += TILE * TILE) {
        int r = (int)(blockIdx.y * TILE) + k / (TILE + 2) - 1,
            c = (int)(blockIdx.x * TILE) + k % (TILE + 2) - 1;

        s[k / (TILE + 2)][k % (TILE + 2)] =
            x[(size_t)((r + rows) % rows) * COLS + (c + COLS) % COLS] % 2;
    }
    __syncthreads();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            alive += s[threadIdx.y + i][threadIdx.x + j];
    y[(size_t)row * COLS + col] = alive == 3 || (alive == 4 && s[threadIdx.y + 1][threadIdx.x + 1]);
}

/* A number for each line of text: a thread reads its line byte by byte. */
__global__ void digest(uint32_t *y, const unsigned char *text, size_t lines)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t h = 2166136261u;

    if (i >= lines)
        return;
    for (int k = 0; k < TEXT; k++)
        h = (h ^ text[i * TEXT + k]) * 16777619u;
    y[i] = h;
}

/* A sparse matrix, so many entries in each row, by a vector: columns lie anywhere within 64 Ki. */
__global__ void sparse(uint32_t *y, const uint32_t *x, const uint32_t *columns, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = 0;

    if (row >= rows)
        return;
    for (int k = 0; k < NEAR; k++)
        sum += x[columns[(size_t)k * rows + row] % 65536];
    y[row] = sum;
}

/* Points in a quarter of a circle: each thread draws some, a warp adds them up. */
__global__ void circle(unsigned *y, const uint32_t *seeds, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t state = i < n ? seeds[i] | 1 : 1;
    unsigned inside = 0;

    for (int k = 0; k < DRAWS; k++) {
        float u, v;

        state = state * 1664525u + 1013904223u;
        u = (state >> 16) / 65536.0f;
        state = state * 1664525u + 1013904223u;
        v = (state >> 16) / 65536.0f;
        inside += fmaf(u, u, v * v) < 1;
    }
    for (int d = LANES / 2; d > 0; d /= 2)
        inside += __shfl_down_sync(0xffffffff, inside, d);
    if (threadIdx.x % LANES == 0)
        atomicAdd(y, inside);
}

/* --- their launches; n words ----------------------------------------------------------------- */

static unsigned blocks_of(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static dim3 tiles_of(size_t n)
{
    return dim3(COLS / TILE, (unsigned)(n / COLS / TILE));
}

static const dim3 tile(TILE, TILE);

static void run_sigmoid(struct arrays *a, size_t n)
{
    sigmoid<<<blocks_of(n), THREADS>>>((int *)a->y, a->x, n);
}

static void run_option(struct arrays *a, size_t n)
{
    option<<<blocks_of(n), THREADS>>>((int *)a->y, a->x, a->z, n);
}

static void run_mix(struct arrays *a, size_t n)
{
    mix<<<blocks_of(n), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x, n);
}

static void run_triad(struct arrays *a, size_t n)
{
    triad<<<blocks_of(n), THREADS>>>(a->y, a->x, a->z, n);
}

static void run_dot(struct arrays *a, size_t n)
{
    dot<<<blocks_of(n), THREADS>>>((unsigned *)a->y, a->x, a->z, n);
}

static void run_column_max(struct arrays *a, size_t n)
{
    column_max<<<FEW / THREADS, THREADS>>>(a->y, a->x, (int)(n / FEW));
}

static void run_centre(struct arrays *a, size_t n)
{
    centre<<<(unsigned)(n / COLS), THREADS>>>(a->y, a->x);
}

static void run_block_sums(struct arrays *a, size_t n)
{
    block_sums<<<(unsigned)(n / SCANNED), SCANNED>>>(a->y, a->x);
}

static void run_filter(struct arrays *a, size_t n)
{
    filter<<<tiles_of(n), tile>>>(a->y, a->x, (int)(n / COLS));
}

static void run_collatz(struct arrays *a, size_t n)
{
    collatz<<<blocks_of(n), THREADS>>>((int *)a->y, (const uint32_t *)a->x, n);
}

static void run_primes(struct arrays *a, size_t n)
{
    primes<<<blocks_of(n), THREADS>>>((int *)a->y, n);
}

static void run_enlarge(struct arrays *a, size_t n)
{
    enlarge<<<tiles_of(n), tile>>>(a->y, a->x, (int)(n / COLS));
}

static void run_add_turned(struct arrays *a, size_t n)
{
    dim3 blocks((unsigned)(n / COLS / TILE), COLS / TILE);

    add_turned<<<blocks, tile>>>(a->y, a->x, a->z, (int)(n / COLS));
}

static void run_nearest(struct arrays *a, size_t n)
{
    nearest<<<blocks_of(n), THREADS>>>((int *)a->y, a->x, a->z, (int)n);
}

static void run_walk(struct arrays *a, size_t n)
{
    walk<<<blocks_of(n), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x, n);
}

static void run_take_apart(struct arrays *a, size_t n)
{
    take_apart<<<blocks_of(n / FIELDS), THREADS>>>(a->y, (const struct body *)a->x, n / FIELDS);
}

static void run_life(struct arrays *a, size_t n)
{
    life<<<tiles_of(4 * n), tile>>>((unsigned char *)a->y, (const unsigned char *)a->x,
                                    (int)(4 * n / COLS));
}

static void run_digest(struct arrays *a, size_t n)
{
    digest<<<blocks_of(4 * n / TEXT), THREADS>>>((uint32_t *)a->y, (const unsigned char *)a->x,
                                                 4 * n / TEXT);
}

static void run_sparse(struct arrays *a, size_t n)
{
    sparse<<<blocks_of(n / NEAR), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->z,
                                             (const uint32_t *)a->x, (int)(n / NEAR));
}

static void run_circle(struct arrays *a, size_t n)
{
    circle<<<blocks_of(n), THREADS>>>((unsigned *)a->y, (const uint32_t *)a->x, n);
}

/* --- what the host makes of a part of the same ----------------------------------------------- */

static size_t every_word(size_t n)
{
    return n;
}

static const uint32_t *bits_of(const float *words)
{
    return (const uint32_t *)words;
}

static bool right_sigmoid(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return ((const int *)h->y)[at] == (1 / (1 + exp(-(double)h->x[at])) > 0.9);
}

static double below(double x)
{
    return erfc(-x / sqrt(2.0)) / 2;
}

static bool right_option(const struct arrays *h, size_t n, size_t at)
{
    double s = h->x[at] + 20.0, k = h->z[at] + 20.0, root = 0.3f * sqrt(2.0);
    double d1 = (log(s / k) + (0.02f + 0.045f) * 2.0) / root;

    (void)n;
    return ((const int *)h->y)[at] == (s * below(d1) - k * exp(-0.04f) * below(d1 - root) > 3.125);
}

static bool right_mix(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return bits_of(h->y)[at] == mixed(bits_of(h->x)[at]);
}

static bool right_triad(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return h->y[at] == h->x[at] + 3 * h->z[at];
}

static size_t one(size_t n)
{
    (void)n;
    return 1;
}

static bool right_dot(const struct arrays *h, size_t n, size_t at)
{
    uint32_t sum = 0xffffffff; /* the word is poisoned before */

    for (size_t i = 0; i < n; i++)
        sum += (uint32_t)(h->x[i] * h->z[i]);
    return bits_of(h->y)[at] == sum;
}

static size_t every_column(size_t n)
{
    (void)n;
    return FEW;
}

static bool right_column_max(const struct arrays *h, size_t n, size_t col)
{
    float most = 0;

    for (size_t row = 0; row < n / FEW; row++)
        most = fmaxf(most, h->x[row * FEW + col]);
    return h->y[col] == most;
}

static size_t every_row(size_t n)
{
    return n / COLS;
}

static bool right_centre(const struct arrays *h, size_t n, size_t row)
{
    float sum = 0;

    (void)n;
    for (size_t col = 0; col < COLS; col++)
        sum += h->x[row * COLS + col];
    for (size_t col = 0; col < COLS; col++)
        if (h->y[row * COLS + col] != h->x[row * COLS + col] - sum / COLS)
            return false;
    return true;
}

static bool right_block_sums(const struct arrays *h, size_t n, size_t at)
{
    float sum = 0;

    (void)n;
    for (size_t i = at / SCANNED * SCANNED; i <= at; i++)
        sum += h->x[i];
    return h->y[at] == sum;
}

static bool right_filter(const struct arrays *h, size_t n, size_t at)
{
    static const int weight[TAPS] = {1, 4, 6, 4, 1};
    size_t rows = n / COLS;
    float sum = 0;

    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++) {
            size_t row = at / COLS + i - TAPS / 2,
                   col = at % COLS + j - TAPS / 2; /* below 0: far too large */

            if (row < rows && col < COLS)
                sum += (float)(weight[i] * weight[j]) * h->x[row * COLS + col];
        }
    return h->y[at] == sum;
}

static bool right_collatz(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return ((const int *)h->y)[at] == steps_of(bits_of(h->x)[at]);
}

static bool right_primes(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return ((const int *)h->y)[at] == is_prime((unsigned)at);
}

static bool right_enlarge(const struct arrays *h, size_t n, size_t at)
{
    size_t row = at / COLS, col = at % COLS, half = COLS / 2, last = n / COLS / 2 - 1;
    float sum = 0;

    for (size_t i = 0; i < 2; i++) /* four of the eight halves of neighbours */
        for (size_t j = 0; j < 2; j++) {
            size_t r = (row + i) / 2, c = (col + j) / 2;

            sum += h->x[(r < last ? r : last) * half + (c < half ? c : half - 1)];
        }
    return h->y[at] == sum / 4;
}

static bool right_add_turned(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return h->y[at] == h->x[at] + h->z[at];
}

static bool right_nearest(const struct arrays *h, size_t n, size_t at)
{
    float best = INFINITY;
    int found = -1;

    for (size_t k = 0; k < n; k++) {
        float dx = h->x[k] - h->x[at], dy = h->z[k] - h->z[at], apart = dx * dx + dy * dy;

        if (k != at && apart < best) {
            best = apart;
            found = (int)k;
        }
    }
    return ((const int *)h->y)[at] == found;
}

static bool right_walk(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return bits_of(h->y)[at] == walked(bits_of(h->x)[at]);
}

static bool right_take_apart(const struct arrays *h, size_t n, size_t at)
{
    return h->y[at % FIELDS * (n / FIELDS) + at / FIELDS] == h->x[at];
}

static bool right_life(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *x = (const unsigned char *)h->x, *y = (const unsigned char *)h->y;
    size_t rows = 4 * n / COLS, row = at / COLS, col = at % COLS;
    int around = -(x[at] % 2);

    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            around += x[(row + rows + i - 1) % rows * COLS + (col + COLS + j - 1) % COLS] % 2;
    return y[at] == (around == 3 || (around == 2 && x[at] % 2));
}

static size_t every_line(size_t n)
{
    return 4 * n / TEXT;
}

static bool right_digest(const struct arrays *h, size_t n, size_t line)
{
    const unsigned char *text = (const unsigned char *)h->x + line * TEXT;
    uint32_t sum = 2166136261u;

    (void)n;
    for (int k = 0; k < TEXT; k++)
        sum = (sum ^ text[k]) * 16777619u;
    return bits_of(h->y)[line] == sum;
}

static size_t every_entry(size_t n)
{
    return n / NEAR;
}

static bool right_sparse(const struct arrays *h, size_t n, size_t row)
{
    uint32_t sum = 0;

    for (size_t k = 0; k < NEAR; k++)
        sum += bits_of(h->z)[bits_of(h->x)[k * (n / NEAR) + row] % 65536];
    return bits_of(h->y)[row] == sum;
}

#define WORDS(power) ((size_t)1 << (power))

static const struct test tests[] = {
    {"sigmoid", run_sigmoid, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_sigmoid},
    {"option", run_option, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_option},
    {"triad", run_triad, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_triad},
    {"dot", run_dot, LARGE, WORDS(20), SMALL, 0, false, false, one, right_dot},
    {"column-max", run_column_max, LARGE, WORDS(20), SMALL, 0, false, false, every_column,
     right_column_max},
    {"centre", run_centre, LARGE, WORDS(20), SMALL, 0, false, false, every_row, right_centre},
    {"block-sums", run_block_sums, LARGE, WORDS(20), SMALL, 0, false, false, every_word,
     right_block_sums},
    {"filter", run_filter, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_filter},
    {"primes", run_primes, WORDS(18), WORDS(18), SMALL, 0, false, false, every_word, right_primes},
    {"enlarge", run_enlarge, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_enlarge},
    {"add-turned", run_add_turned, LARGE, WORDS(20), SMALL, 0, false, false, every_word,
     right_add_turned},
    {"nearest", run_nearest, WORDS(13), WORDS(13), SMALL, 0, false, false, every_word,
     right_nearest},
    {"take-apart", run_take_apart, LARGE, WORDS(20), SMALL, 0, false, false, every_word,
     right_take_apart},
    {"mix", run_mix, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_mix},
    {"collatz", run_collatz, WORDS(22), WORDS(18), BITS, 0, false, false, every_word,
     right_collatz},
    {"walk", run_walk, WORDS(24), WORDS(18), BITS, 0, false, false, every_word, right_walk},
    {"life", run_life, WORDS(24), WORDS(18), BITS, 0, false, false, every_word, right_life},
    {"digest", run_digest, WORDS(24), WORDS(20), BITS, 0, false, false, every_line, right_digest},
    {"sparse", run_sparse, WORDS(24), WORDS(20), BITS, 0, false, false, every_entry, right_sparse},
    {"circle", run_circle, WORDS(22), WORDS(16), BITS, 0, false, false, NULL, NULL},
};

int main(int argc, char **argv)
{
    return blind_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]), "third-nvcc.txt");
}
