/*
 * The seventh set: twenty kernels as students write them in courses, of kinds that neither the
 * series nor the sets before have. Their results are exact: integers, sums and products of small
 * ones, floats whose every rounding is that of one operation (a multiply-add is written where it
 * matters), or floats that are rounded where no value comes near. No result depends on the order of
 * the threads.
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
#define COLS 2048               /* of an image, or a plane of cells */
#define LANES 32
#define ALL 0xffffffffu /* lanes of a warp */
#define WIDE 32         /* cells, or products, of a block */
#define HIGH 8
#define ACROSS 4096 /* columns of the outer product */
#define DEGREES 57.29578f
#define LOAN 100      /* what is paid for it is in cents */
#define RATES 1024    /* of a month: so many parts */
#define RADIUS 8      /* of a window */
#define STRIP 64      /* rows of a thread */
#define SPHERES 12    /* of a picture */
#define SIDE 256      /* pixels of a picture's row, and rows */
#define TILE 16       /* of a picture */
#define DIAGONALS 7   /* of a matrix that has nothing else */
#define PARTED 8      /* one more: a power of two */
#define BETWEEN 64    /* nodes between those that a path begins and ends with */
#define ENDS 256      /* nodes that a path ends with */
#define UNKNOWNS 32   /* of a system of equations */
#define BLOCK 8       /* pixels of a square that is transformed */
#define COLUMNS 256   /* of a row that is stretched */
#define QUERIES 16    /* fingerprints that are looked for */
#define PRINT 8       /* words of a fingerprint */
#define LONGEST 64    /* letters on each side of a palindrome's middle */
#define CHUNK 4096    /* bytes of a check sum */
#define LARGEST 65521 /* prime below 2^16 */
#define LAST 100      /* square of the board */
#define PATIENCE 1000 /* throws */
#define TOKENS 8192   /* that have a row */
#define FEATURES 64   /* of a token */
#define PIXELS ((size_t)1 << 17)
#define WIDTH 512 /* pixels of a row */
#define HEIGHT 256

/* How likely a spin turns round though 2 or 4 neighbours more are like it: of 2^32. */
#define CHANCE_2 867129043u
#define CHANCE_4 175066969u

struct sphere {
    int x, y, height, radius;
};

__constant__ struct sphere spheres_of[SPHERES] = {
    {20, 30, 10, 24},  {70, 40, 40, 40},   {120, 60, 5, 33},   {200, 50, 60, 48},
    {40, 110, 30, 36}, {95, 120, 0, 52},   {150, 140, 45, 28}, {220, 130, 20, 40},
    {30, 200, 15, 44}, {110, 210, 55, 20}, {160, 220, 25, 36}, {225, 215, 35, 30}};

__constant__ int offsets[DIAGONALS] = {-1024, -32, -1, 0, 1, 32, 1024};

/* A cosine transform in whole numbers. */
__constant__ float cosines[BLOCK][BLOCK] = {
    {64, 64, 64, 64, 64, 64, 64, 64},     {89, 75, 50, 18, -18, -50, -75, -89},
    {83, 36, -36, -83, -83, -36, 36, 83}, {75, -18, -89, -50, 50, 89, 18, -75},
    {64, -64, -64, 64, 64, -64, -64, 64}, {50, -89, 18, 75, -75, -18, 89, -50},
    {36, -83, 83, -36, -36, 83, -83, 36}, {18, -50, 75, -89, 89, -75, 50, -18}};

#define BOARD                                                                                      \
    0, 38, 2, 3, 14, 5, 6, 7, 8, 31, 10, 11, 12, 13, 14, 15, 6, 17, 18, 19, 20, 42, 22, 23, 24,    \
        25, 26, 27, 84, 29, 30, 31, 32, 33, 34, 35, 44, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46,    \
        26, 48, 11, 50, 67, 52, 53, 54, 55, 53, 57, 58, 59, 60, 61, 19, 63, 60, 65, 66, 67, 68,    \
        69, 70, 91, 72, 73, 74, 75, 76, 77, 78, 79, 100, 81, 82, 83, 84, 85, 86, 24, 88, 89, 90,   \
        91, 92, 73, 94, 75, 96, 97, 78, 99, 100

/* The square that a token comes to from each, by a ladder or a snake, or stays on. */
__constant__ unsigned char board[LAST + 1] = {BOARD};

/* --- the kernels ----------------------------------------------------------------------------- */

/* The last word first. */
__global__ void reverse(float *y, const float *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[n - 1 - i];
}

/* 16 bits with a 0 between each and the next. */
static __device__ uint32_t spread(uint32_t bits)
{
    bits &= 0xffff;
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
}

/* Where a point of the plane comes in Morton's order. */
__global__ void morton(uint32_t *y, const uint32_t *x, const uint32_t *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = spread(x[i]) | spread(z[i]) << 1;
}

/* Each element of a vector by each of another. */
__global__ void outer(float *y, const float *x, const float *z)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;

    y[(size_t)row * ACROSS + col] = x[row] * z[col];
}

/* Points to their angle and distance from the middle, in tenths of a degree and tenths. */
__global__ void polar(short2 *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float right = x[i] - 7.5f, up = z[i] - 7.5f;
        float angle = atan2f(up, right) * DEGREES, distance = sqrtf(right * right + up * up);

        y[i] = make_short2((short)rintf(10 * angle), (short)rintf(10 * distance));
    }
}

/* What a loan costs each month for z + 5 years, in cents; a month's rate is x + 1 of 1024 parts. */
__global__ void payment(int *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float rate = (x[i] + 1) / RATES, months = 12 * (z[i] + 5);
        float left = powf(1 + rate, -months);

        y[i] = (int)rintf(100 * LOAN * rate / (1 - left));
    }
}

/* The mean of each pixel and those above and below it: one enters the window, one leaves it. */
__global__ void window(float *y, const float *x, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * STRIP;
    float sum = 0;

    for (int row = max(first - RADIUS, 0); row < min(first + RADIUS, rows); row++)
        sum += x[(size_t)row * COLS + col];
    for (int row = first; row < first + STRIP; row++) {
        if (row + RADIUS < rows)
            sum += x[(size_t)(row + RADIUS) * COLS + col];
        y[(size_t)row * COLS + col] = sum / (2 * RADIUS + 1);
        if (row >= RADIUS)
            sum -= x[(size_t)(row - RADIUS) * COLS + col];
    }
}

/* Pictures of spheres from above, which go to the right from picture to picture. */
__global__ void spheres(int *y)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int picture = blockIdx.z;
    float highest = 0, shade = 0;

    for (int k = 0; k < SPHERES; k++) {
        struct sphere s = spheres_of[k];
        int right = col - (s.x + picture) % SIDE, down = row - s.y;
        int inside = s.radius * s.radius - right * right - down * down;

        if (inside > 0) {
            float up = sqrtf((float)inside);

            if (s.height + up > highest) {
                highest = s.height + up;
                shade = up / s.radius;
            }
        }
    }
    y[((size_t)picture * SIDE + row) * SIDE + col] = (int)(255 * shade);
}

/* A matrix of some diagonals, which lie one after the other, by a vector. */
__global__ void band(float *y, const float *x, const float *vector, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= rows)
        return;
    for (int k = 0; k < DIAGONALS; k++) {
        int col = row + offsets[k];

        if (col >= 0 && col < rows)
            sum += x[(size_t)k * rows + row] * vector[col];
    }
    y[row] = sum;
}

/* The shortest ways of two steps: a product of matrices with + for * and the least for the sum. */
__global__ void shortest(float *y, const float *x, const float *z)
{
    __shared__ float first[WIDE][WIDE], second[WIDE][WIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * WIDE + tx, row = blockIdx.y * WIDE + ty;
    float least = INFINITY;

    for (int at = 0; at < BETWEEN; at += WIDE) {
        first[ty][tx] = x[(size_t)row * BETWEEN + at + tx];
        second[ty][tx] = z[(at + ty) * ENDS + col];
        __syncthreads();
        for (int k = 0; k < WIDE; k++)
            least = fminf(least, first[ty][k] + second[k][tx]);
        __syncthreads();
    }
    y[(size_t)row * ENDS + col] = least;
}

/* Heat in many rods after a step, by Thomas's way through three diagonals; a thread for each. */
__global__ void thomas(float *y, const float *x, const float *z, size_t rods)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float ratio[UNKNOWNS], part, value;

    if (i >= rods)
        return;
    part = z[i] / 8;
    ratio[0] = part / (1 + 2 * part);
    value = x[i] / (1 + 2 * part);
    y[i] = value;
    for (int k = 1; k < UNKNOWNS; k++) {
        float pivot = fmaf(-part, ratio[k - 1], 1 + 2 * part);

        ratio[k] = part / pivot;
        value = fmaf(part, value, x[k * rods + i]) / pivot;
        y[k * rods + i] = value;
    }
    for (int k = UNKNOWNS - 2; k >= 0; k--) {
        value = fmaf(ratio[k], value, y[k * rods + i]);
        y[k * rods + i] = value;
    }
}

/* The cosine transform of each 8 x 8 pixels, first of the rows, then of the columns. */
__global__ void cosine(float *y, const float *x)
{
    __shared__ float pixels[BLOCK][BLOCK], half[BLOCK][BLOCK];
    int tx = threadIdx.x, ty = threadIdx.y;
    size_t at = ((size_t)blockIdx.y * BLOCK + ty) * COLS + blockIdx.x * BLOCK + tx;
    float sum = 0;

    pixels[ty][tx] = x[at];
    __syncthreads();
    for (int k = 0; k < BLOCK; k++)
        sum += pixels[ty][k] * cosines[tx][k];
    half[ty][tx] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < BLOCK; k++)
        sum += cosines[ty][k] * half[k][tx];
    y[at] = sum;
}

/* Each row so that its least is 0 and its largest 1; a warp for each. */
__global__ void stretch(float *y, const float *x)
{
    size_t row = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / LANES;
    size_t first = row * COLUMNS + threadIdx.x % LANES;
    float value[COLUMNS / LANES], low = INFINITY, high = -INFINITY;

    for (int k = 0; k < COLUMNS / LANES; k++) {
        value[k] = x[first + k * LANES];
        low = fminf(low, value[k]);
        high = fmaxf(high, value[k]);
    }
    for (int d = LANES / 2; d > 0; d /= 2) {
        low = fminf(low, __shfl_xor_sync(ALL, low, d));
        high = fmaxf(high, __shfl_xor_sync(ALL, high, d));
    }
    for (int k = 0; k < COLUMNS / LANES; k++)
        y[first + k * LANES] = high > low ? (value[k] - low) / (high - low) : 0;
}

/* The ranks of matrices of 32 x 32 bits: a lane for each row, the columns one after the other. */
__global__ void rank_of_bits(int *y, const uint32_t *x)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int lane = threadIdx.x % LANES, rank = 0;
    uint32_t row = x[i];
    bool used = false;

    for (int col = 0; col < 32; col++) {
        bool set = row >> col & 1;
        uint32_t able = __ballot_sync(ALL, set && !used);

        if (able == 0)
            continue;
        int pivot = __ffs(able) - 1;
        uint32_t other = __shfl_sync(ALL, row, pivot);

        if (lane == pivot)
            used = true;
        else if (set)
            row ^= other;
        rank++;
    }
    if (lane == 0)
        y[i / LANES] = rank;
}

/* Which fingerprint differs in the fewest bits; the first of those that are equal. */
__global__ void hamming(int *y, const uint32_t *x, const uint32_t *queries, size_t count)
{
    __shared__ uint32_t query[QUERIES][PRINT];
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t print[PRINT];
    int best = 0, fewest = 32 * PRINT + 1;

    if (threadIdx.x < QUERIES * PRINT)
        query[threadIdx.x / PRINT][threadIdx.x % PRINT] = queries[threadIdx.x];
    __syncthreads();
    if (i >= count)
        return;
    for (int k = 0; k < PRINT; k++)
        print[k] = x[i * PRINT + k];
    for (int q = 0; q < QUERIES; q++) {
        int bits = 0;

        for (int k = 0; k < PRINT; k++)
            bits += __popc(print[k] ^ query[q][k]);
        if (bits < fewest) {
            fewest = bits;
            best = q;
        }
    }
    y[i] = best;
}

/* How far the same letters are on both sides of each; there are four letters. */
__global__ void palindromes(unsigned char *y, const unsigned char *text, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        size_t far = 0;

        while (far < LONGEST && i > far && i + far + 1 < n &&
               (text[i - far - 1] & 3) == (text[i + far + 1] & 3))
            far++;
        y[i] = (unsigned char)far;
    }
}

/* The check sum Adler-32 of each 4096 bytes, by a block. */
__global__ void adler(uint32_t *y, const unsigned char *x)
{
    __shared__ uint32_t sums[FEW / LANES], weighted[FEW / LANES];
    const unsigned char *chunk = x + blockIdx.x * (size_t)CHUNK;
    uint32_t a = 0, b = 0, t = threadIdx.x;

    for (uint32_t k = t; k < CHUNK; k += FEW) {
        a += chunk[k];
        b += (CHUNK - k) * chunk[k];
    }
    for (int d = LANES / 2; d > 0; d /= 2) {
        a += __shfl_down_sync(ALL, a, d);
        b += __shfl_down_sync(ALL, b, d);
    }
    if (t % LANES == 0) {
        sums[t / LANES] = a;
        weighted[t / LANES] = b;
    }
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < FEW / LANES; warp++) {
            a += sums[warp];
            b += weighted[warp];
        }
        y[blockIdx.x] = (b + CHUNK) % LARGEST << 16 | (a + 1) % LARGEST;
    }
}

static __device__ int spin(const uint32_t *x, int row, int col)
{
    return x[(size_t)row * COLS + col] & 1 ? 1 : -1;
}

/* A magnet's spins: every other one may turn round, by its four neighbours and by chance. */
__global__ void ising(int *y, const uint32_t *x, const uint32_t *chance, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t i = (size_t)row * COLS + col;
    int mine = spin(x, row, col);

    if ((row + col) % 2 == 0) {
        int alike = mine * (spin(x, (row + 1) % rows, col) + spin(x, (row + rows - 1) % rows, col) +
                            spin(x, row, (col + 1) % COLS) + spin(x, row, (col + COLS - 1) % COLS));

        if (alike <= 0 || chance[i] < (alike == 2 ? CHANCE_2 : CHANCE_4))
            mine = -mine;
    }
    y[i] = mine;
}

/* After how many throws of a die a game of snakes and ladders ends. */
__global__ void ladders(int *y, const uint32_t *seeds, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        uint32_t random = seeds[i];
        int square = 0, throws = 0;

        while (square != LAST && throws < PATIENCE) {
            random = random * 1664525 + 1013904223;
            int next = square + (int)((random >> 16) % 6) + 1;

            if (next <= LAST)
                square = board[next];
            throws++;
        }
        y[i] = throws;
    }
}

/* The row of a table that belongs to each token. */
__global__ void embed(float *y, const float *table, const uint32_t *token)
{
    size_t row = blockIdx.x * (size_t)blockDim.y + threadIdx.y;

    y[row * FEATURES + threadIdx.x] = table[token[row] % TOKENS * FEATURES + threadIdx.x];
}

/* How near the nearest point is in each pixel. */
__global__ void depth(uint32_t *y, const ushort2 *place, const uint32_t *far, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        int col = place[i].x * WIDTH / 65536, row = place[i].y * HEIGHT / 65536;

        atomicMin(&y[row * WIDTH + col], far[i]);
    }
}

/* --- their launches; n words ----------------------------------------------------------------- */

static unsigned blocks_of(size_t n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

static void run_reverse(struct arrays *a, size_t n)
{
    reverse<<<blocks_of(n, MANY), MANY>>>(a->y, a->x, n);
}

static void run_morton(struct arrays *a, size_t n)
{
    morton<<<blocks_of(n, THREADS), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x,
                                               (const uint32_t *)a->z, n);
}

static void run_outer(struct arrays *a, size_t n)
{
    dim3 threads(WIDE, HIGH), blocks(ACROSS / WIDE, (unsigned)(n / ACROSS / HIGH));

    outer<<<blocks, threads>>>(a->y, a->x, a->z);
}

static void run_polar(struct arrays *a, size_t n)
{
    polar<<<blocks_of(n, THREADS), THREADS>>>((short2 *)a->y, a->x, a->z, n);
}

static void run_payment(struct arrays *a, size_t n)
{
    payment<<<blocks_of(n, FEW), FEW>>>((int *)a->y, a->x, a->z, n);
}

static void run_window(struct arrays *a, size_t n)
{
    dim3 blocks(COLS / FEW, (unsigned)(n / COLS / STRIP));

    window<<<blocks, FEW>>>(a->y, a->x, (int)(n / COLS));
}

static void run_spheres(struct arrays *a, size_t n)
{
    dim3 threads(TILE, TILE), blocks(SIDE / TILE, SIDE / TILE, (unsigned)(n / SIDE / SIDE));

    spheres<<<blocks, threads>>>((int *)a->y);
}

static void run_band(struct arrays *a, size_t n)
{
    band<<<blocks_of(n / PARTED, THREADS), THREADS>>>(a->y, a->x, a->z, (int)(n / PARTED));
}

static void run_shortest(struct arrays *a, size_t n)
{
    dim3 threads(WIDE, WIDE), blocks(ENDS / WIDE, (unsigned)(n / ENDS / WIDE));

    shortest<<<blocks, threads>>>(a->y, a->x, a->z);
}

static void run_thomas(struct arrays *a, size_t n)
{
    thomas<<<blocks_of(n / UNKNOWNS, FEW), FEW>>>(a->y, a->x, a->z, n / UNKNOWNS);
}

static void run_cosine(struct arrays *a, size_t n)
{
    dim3 threads(BLOCK, BLOCK), blocks(COLS / BLOCK, (unsigned)(n / COLS / BLOCK));

    cosine<<<blocks, threads>>>(a->y, a->x);
}

static void run_stretch(struct arrays *a, size_t n)
{
    stretch<<<(unsigned)(n / COLUMNS / (FEW / LANES)), FEW>>>(a->y, a->x);
}

static void run_rank(struct arrays *a, size_t n)
{
    rank_of_bits<<<(unsigned)(n / THREADS), THREADS>>>((int *)a->y, (const uint32_t *)a->x);
}

static void run_hamming(struct arrays *a, size_t n)
{
    hamming<<<blocks_of(n / PRINT, THREADS), THREADS>>>((int *)a->y, (const uint32_t *)a->x,
                                                        (const uint32_t *)a->z, n / PRINT);
}

static void run_palindromes(struct arrays *a, size_t n)
{
    palindromes<<<blocks_of(4 * n, THREADS), THREADS>>>((unsigned char *)a->y,
                                                        (const unsigned char *)a->x, 4 * n);
}

static void run_adler(struct arrays *a, size_t n)
{
    adler<<<(unsigned)(4 * n / CHUNK), FEW>>>((uint32_t *)a->y, (const unsigned char *)a->x);
}

static void run_ising(struct arrays *a, size_t n)
{
    dim3 threads(WIDE, HIGH), blocks(COLS / WIDE, (unsigned)(n / COLS / HIGH));

    ising<<<blocks, threads>>>((int *)a->y, (const uint32_t *)a->x, (const uint32_t *)a->z,
                               (int)(n / COLS));
}

static void run_ladders(struct arrays *a, size_t n)
{
    ladders<<<blocks_of(n, FEW), FEW>>>((int *)a->y, (const uint32_t *)a->x, n);
}

static void run_embed(struct arrays *a, size_t n)
{
    dim3 threads(FEATURES, THREADS / FEATURES);

    embed<<<(unsigned)(n / THREADS), threads>>>(a->y, a->x, (const uint32_t *)a->z);
}

static void run_depth(struct arrays *a, size_t n)
{
    depth<<<blocks_of(n, MANY), MANY>>>((uint32_t *)a->y, (const ushort2 *)a->x,
                                        (const uint32_t *)a->z, n);
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

static bool right_reverse(const struct arrays *h, size_t n, size_t at)
{
    return bits_of(h->y)[n - at - 1] == bits_of(h->x)[at];
}

static bool right_morton(const struct arrays *h, size_t n, size_t at)
{
    uint32_t y = bits_of(h->y)[at];

    (void)n;
    for (int bit = 0; bit < 16; bit++)
        if ((y >> 2 * bit & 1) != (bits_of(h->x)[at] >> bit & 1) ||
            (y >> (2 * bit + 1) & 1) != (bits_of(h->z)[at] >> bit & 1))
            return false;
    return true;
}

static bool right_outer(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return h->y[at] == h->x[at / ACROSS] * h->z[at % ACROSS];
}

static bool right_polar(const struct arrays *h, size_t n, size_t at)
{
    double right = h->x[at] - 7.5, up = h->z[at] - 7.5, length = hypot(right, up);
    double angle = copysign(acos(right / length), up) * 180 / acos(-1.0);
    const int16_t *y = (const int16_t *)h->y + 2 * at;

    (void)n;
    return y[0] == (int)rint(10 * angle) && y[1] == (int)rint(10 * length);
}

/* What is paid each month is worth the loan: a sum, each month less by the rate. */
static bool right_payment(const struct arrays *h, size_t n, size_t at)
{
    float rate = (h->x[at] + 1) / RATES;
    double worth = 0, factor = 1;

    (void)n;
    for (int month = 0; month < 12 * (h->z[at] + 5); month++) {
        factor /= (double)(1 + rate);
        worth += factor;
    }
    return ints_of(h->y)[at] == (int)rint(100 * LOAN / worth);
}

static bool right_window(const struct arrays *h, size_t n, size_t at)
{
    int row = (int)(at / COLS), col = (int)(at % COLS), sum = 0;

    for (int k = row - RADIUS; k <= row + RADIUS; k++)
        if (k >= 0 && k < (int)(n / COLS))
            sum += (int)h->x[(size_t)k * COLS + col];
    return h->y[at] == (float)sum / (2 * RADIUS + 1);
}

/* How high a sphere is above a pixel, 0 beside it; *shade: of it there. */
static double height_of(struct sphere s, size_t at, double *shade)
{
    double right = at % SIDE - (double)((s.x + at / SIDE / SIDE) % SIDE);
    double down = at / SIDE % SIDE - (double)s.y, away = hypot(right, down) / s.radius;

    if (away >= 1 - 1e-9)
        return 0;
    *shade = 255 * sqrt(1 - away * away);
    return s.height + *shade / 255 * s.radius;
}

/* One of the highest spheres has that shade, as far as doubles can tell. */
static bool right_spheres(const struct arrays *h, size_t n, size_t at)
{
    static const struct sphere all[SPHERES] = {
        {20, 30, 10, 24},  {70, 40, 40, 40},   {120, 60, 5, 33},   {200, 50, 60, 48},
        {40, 110, 30, 36}, {95, 120, 0, 52},   {150, 140, 45, 28}, {220, 130, 20, 40},
        {30, 200, 15, 44}, {110, 210, 55, 20}, {160, 220, 25, 36}, {225, 215, 35, 30}};
    double highest = 0, shade = 0;
    int y = ints_of(h->y)[at];

    (void)n;
    for (int k = 0; k < SPHERES; k++)
        highest = fmax(highest, height_of(all[k], at, &shade));
    for (int k = 0; k < SPHERES; k++) {
        double height = height_of(all[k], at, &shade);

        if (height > 0 && height > highest - 1e-3 && y > shade - 1.001 && y < shade + 0.001)
            return true;
    }
    return highest == 0 && y == 0;
}

static size_t every_row(size_t n)
{
    return n / PARTED;
}

static bool right_band(const struct arrays *h, size_t n, size_t row)
{
    static const int away[] = {1, 32, 1024};
    size_t rows = n / PARTED;
    float sum = h->x[3 * rows + row] * h->z[row];

    for (size_t k = 0; k < 3; k++) {
        if (row >= (size_t)away[k])
            sum += h->x[(2 - k) * rows + row] * h->z[row - away[k]];
        if (row + away[k] < rows)
            sum += h->x[(4 + k) * rows + row] * h->z[row + away[k]];
    }
    return h->y[row] == sum;
}

/* No way is shorter, and one is as short. */
static bool right_shortest(const struct arrays *h, size_t n, size_t at)
{
    const float *x = h->x + at / ENDS * BETWEEN, *z = h->z + at % ENDS;
    bool there = false;

    (void)n;
    for (size_t k = 0; k < BETWEEN; k++) {
        if (x[k] + z[k * ENDS] < h->y[at])
            return false;
        there |= x[k] + z[k * ENDS] == h->y[at];
    }
    return there;
}

static size_t every_rod(size_t n)
{
    return n / UNKNOWNS;
}

/* The equations hold. */
static bool right_thomas(const struct arrays *h, size_t n, size_t rod)
{
    size_t rods = n / UNKNOWNS;
    double part = h->z[rod] / 8.0;

    for (size_t k = 0; k < UNKNOWNS; k++) {
        size_t at = k * rods + rod;
        double left = k > 0 ? h->y[at - rods] : 0, middle = h->y[at];
        double right = k + 1 < UNKNOWNS ? h->y[at + rods] : 0;
        double wrong = middle + part * (middle - left + middle - right) - h->x[at];

        if (!(fabs(wrong) < 1e-4))
            return false;
    }
    return true;
}

/* By the angle, in parts of 32 of a circle. */
static int cosine_of(size_t frequency, size_t place)
{
    static const int quarter[] = {64, 89, 83, 75, 64, 50, 36, 18, 0};
    size_t angle = (2 * place + 1) * frequency % 32;

    if (angle > 16)
        angle = 32 - angle;
    return angle > 8 ? -quarter[16 - angle] : quarter[angle];
}

static bool right_cosine(const struct arrays *h, size_t n, size_t at)
{
    size_t row = at / COLS, col = at % COLS;
    const float *x = h->x + row / BLOCK * BLOCK * COLS + col / BLOCK * BLOCK;
    int sum = 0;

    (void)n;
    for (size_t k = 0; k < (size_t)BLOCK * BLOCK; k++)
        sum += cosine_of(row % BLOCK, k / BLOCK) * cosine_of(col % BLOCK, k % BLOCK) *
               (int)x[k / BLOCK * COLS + k % BLOCK];
    return h->y[at] == (float)sum;
}

static size_t every_stretched(size_t n)
{
    return n / COLUMNS;
}

static bool right_stretch(const struct arrays *h, size_t n, size_t row)
{
    const float *x = h->x + row * COLUMNS, *y = h->y + row * COLUMNS;
    float low = x[0], high = x[0];

    (void)n;
    for (int k = 1; k < COLUMNS; k++) {
        low = x[k] < low ? x[k] : low;
        high = x[k] > high ? x[k] : high;
    }
    for (int k = 0; k < COLUMNS; k++)
        if (y[k] != (high > low ? (x[k] - low) / (high - low) : 0))
            return false;
    return true;
}

static size_t every_matrix(size_t n)
{
    return n / 32;
}

/* As many as are not sums of others, which are kept by their highest bits. */
static bool right_rank(const struct arrays *h, size_t n, size_t at)
{
    uint32_t kept[32] = {0};
    int rank = 0;

    (void)n;
    for (size_t k = 0; k < 32; k++) {
        uint32_t row = bits_of(h->x)[at * 32 + k];

        for (int bit = 31; bit >= 0; bit--)
            if (row >> bit & 1 && kept[bit])
                row ^= kept[bit];
            else if (row >> bit & 1) {
                kept[bit] = row;
                row = 0;
                rank++;
            }
    }
    return ints_of(h->y)[at] == rank;
}

static size_t every_print(size_t n)
{
    return n / PRINT;
}

static int bits_apart(const uint32_t *a, const uint32_t *b)
{
    int apart = 0;

    for (int k = 0; k < PRINT; k++)
        for (uint32_t bits = a[k] ^ b[k]; bits > 0; bits &= bits - 1)
            apart++;
    return apart;
}

static bool right_hamming(const struct arrays *h, size_t n, size_t at)
{
    const uint32_t *x = bits_of(h->x) + at * PRINT, *z = bits_of(h->z);
    int best = ints_of(h->y)[at], fewest;

    (void)n;
    if (best < 0 || best >= QUERIES)
        return false;
    fewest = bits_apart(x, z + (size_t)best * PRINT);
    for (int q = 0; q < QUERIES; q++) {
        int apart = bits_apart(x, z + (size_t)q * PRINT);

        if (q < best ? apart <= fewest : apart < fewest)
            return false;
    }
    return true;
}

static size_t every_byte(size_t n)
{
    return 4 * n;
}

static bool same_letters(const unsigned char *text, size_t letters, size_t middle, size_t away)
{
    return middle >= away && middle + away < letters &&
           (text[middle - away] ^ text[middle + away]) % 4 == 0;
}

static bool right_palindromes(const struct arrays *h, size_t n, size_t at)
{
    size_t far = bytes_of(h->y)[at];

    for (size_t k = 1; k <= far; k++)
        if (!same_letters(bytes_of(h->x), 4 * n, at, k))
            return false;
    return far == LONGEST || (far < LONGEST && !same_letters(bytes_of(h->x), 4 * n, at, far + 1));
}

static size_t every_chunk(size_t n)
{
    return 4 * n / CHUNK;
}

static bool right_adler(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *chunk = bytes_of(h->x) + at * CHUNK;
    uint32_t a = 1, b = 0;

    (void)n;
    for (int k = 0; k < CHUNK; k++) {
        a = (a + chunk[k]) % LARGEST;
        b = (b + a) % LARGEST;
    }
    return bits_of(h->y)[at] == (b << 16 | a);
}

/* By how many of the neighbours are unlike it. */
static bool right_ising(const struct arrays *h, size_t n, size_t at)
{
    const uint32_t *x = bits_of(h->x);
    size_t rows = n / COLS, row = at / COLS, col = at % COLS;
    uint32_t mine = x[at] % 2, chance = bits_of(h->z)[at];
    bool turns = false;

    if (row % 2 == col % 2) {
        uint32_t unlike = (x[(row + 1) % rows * COLS + col] % 2 != mine) +
                          (x[(row + rows - 1) % rows * COLS + col] % 2 != mine) +
                          (x[row * COLS + (col + 1) % COLS] % 2 != mine) +
                          (x[row * COLS + (col + COLS - 1) % COLS] % 2 != mine);

        turns = unlike >= 2 || (unlike == 1 && chance < CHANCE_2) || chance < CHANCE_4;
    }
    return ints_of(h->y)[at] == ((mine == 1) != turns ? 1 : -1);
}

/* Throw by throw: the game ends with the last of them, not before. */
static bool right_ladders(const struct arrays *h, size_t n, size_t at)
{
    static const unsigned char squares[LAST + 1] = {BOARD};
    uint32_t random = bits_of(h->x)[at], square = 0;
    int throws = ints_of(h->y)[at];

    (void)n;
    if (throws < 1 || throws > PATIENCE)
        return false;
    for (int k = 0; k < throws; k++) {
        if (square == LAST)
            return false;
        random = random * 1664525u + 1013904223u;
        square += random / 65536 % 6 + 1;
        square = square > LAST ? square - random / 65536 % 6 - 1 : squares[square];
    }
    return square == LAST || throws == PATIENCE;
}

static size_t every_token(size_t n)
{
    return n / FEATURES;
}

static bool right_embed(const struct arrays *h, size_t n, size_t at)
{
    const float *row = h->x + (size_t)(bits_of(h->z)[at] % TOKENS) * FEATURES;

    (void)n;
    return memcmp(h->y + at * FEATURES, row, FEATURES * sizeof(*row)) == 0;
}

static bool right_depth(const struct arrays *h, size_t n, size_t at)
{
    static uint32_t nearest[PIXELS];

    memset(nearest, 0xff, sizeof(nearest));
    for (size_t i = 0; i < n; i++) {
        uint32_t place = bits_of(h->x)[i], z = bits_of(h->z)[i];
        uint32_t *pixel = &nearest[(place >> 24) * WIDTH + place % 65536 / 128];

        *pixel = z < *pixel ? z : *pixel;
    }
    return memcmp(nearest + at, bits_of(h->y) + at, sizeof(nearest)) == 0;
}

#define WORDS(power) ((size_t)1 << (power))

static const struct test tests[] = {
    {"reverse", run_reverse, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_reverse},
    {"outer", run_outer, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_outer},
    {"polar", run_polar, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_polar},
    {"payment", run_payment, WORDS(25), WORDS(18), SMALL, 0, false, false, every_word,
     right_payment},
    {"window", run_window, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_window},
    {"band", run_band, LARGE, WORDS(20), SMALL, 0, false, false, every_row, right_band},
    {"shortest", run_shortest, WORDS(24), WORDS(18), SMALL, 0, false, false, every_word,
     right_shortest},
    {"thomas", run_thomas, LARGE, WORDS(20), SMALL, 0, false, false, every_rod, right_thomas},
    {"cosine", run_cosine, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_cosine},
    {"stretch", run_stretch, LARGE, WORDS(20), SMALL, 0, false, false, every_stretched,
     right_stretch},
    {"morton", run_morton, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_morton},
    {"spheres", run_spheres, WORDS(25), WORDS(20), BITS, 0, false, false, every_word,
     right_spheres},
    {"rank", run_rank, WORDS(24), WORDS(18), BITS, 0, false, false, every_matrix, right_rank},
    {"hamming", run_hamming, LARGE, WORDS(20), BITS, 0, false, false, every_print, right_hamming},
    {"palindromes", run_palindromes, WORDS(24), WORDS(18), BITS, 0, false, false, every_byte,
     right_palindromes},
    {"adler", run_adler, LARGE, WORDS(20), BITS, 0, false, false, every_chunk, right_adler},
    {"ising", run_ising, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_ising},
    {"ladders", run_ladders, WORDS(22), WORDS(16), BITS, 0, false, false, every_word,
     right_ladders},
    {"embed", run_embed, LARGE, WORDS(22), BITS, 0, false, false, every_token, right_embed},
    {"depth", run_depth, WORDS(24), WORDS(20), BITS, 0, false, false, one, right_depth},
};

int main(int argc, char **argv)
{
    return blind_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]), "seventh-nvcc.txt");
}
