/*
 * The eighth set: twenty kernels as students write them in courses, of kinds that neither the
 * series nor the sets before have. Their results are exact: integers, sums and products of small
 * ones, floats whose every rounding is that of one operation (a multiply-add is written where it
 * matters), or floats that are rounded where no value comes near. No result depends on the order of
 * the threads.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <cuda_runtime.h>

#include "blind.h"

#define THREADS 256
#define SQUAD 64 /* threads of some blocks */
#define FEW 128  /* of others */
#define MANY 512
#define CROWD 1024
#define FIXED 1024              /* blocks of a grid that does not grow */
#define LARGE ((size_t)1 << 26) /* 256 MiB of words */
#define COLS 2048               /* of an image, a ground, or a plane of costs */
#define LANES 32
#define ALL 0xffffffffu /* lanes of a warp; a word's bits */
#define WIDE 32         /* pixels of a block */
#define HIGH 8
#define TILE 16
#define STRIP 16 /* rows that a way goes down */
#define INNER (THREADS - 2 * STRIP)
#define SAMPLES 128 /* of a channel */
#define FRAME 256   /* samples that are compared */
#define LAGS SQUAD
#define ORDER 16    /* rows of a matrix, and its columns */
#define RAISED 240  /* the least of what stands on a diagonal */
#define COLUMNS 256 /* of a vector */
#define ACROSS 4096 /* columns of a row */
#define MINUTES 8   /* of daylight for a degree that the earth turns */
#define RADIANS 0.01745329252f
#define TILT 23.44f /* degrees */
#define GROUP 1024  /* values that are drawn from */
#define DRAWS 64
#define STEPS 100
#define LEVELS 8 /* rows of a pattern, and its columns */
#define RIM 2    /* pixels around a pixel */
#define SHIFTS 16
#define RISE 4 /* of a ray of the sun, for each pixel */
#define HIGHEST 255
#define COARSEST 64 /* pixels between two values of a noise */
#define FINEST 8
#define FILTER 262144u /* words */
#define LINE 256       /* bytes of a line of text */
#define BEFORE 32      /* letters */
#define LONGEST 16
#define DAY 86400u       /* seconds */
#define ERA 146097u      /* days of 400 years */
#define EPOCH 719468u    /* days from the first of March of the year 0 to 1970 */
#define NUMBER LANES     /* words of a large number */
#define COUNTRIES 16     /* that have a tax */
#define RECORD (4 * 4)   /* bytes */
#define BOX 16.0f        /* metres */
#define DROP 0.625f      /* metres per second: what a ball gains in a step */
#define STEP (1 / 16.0f) /* seconds */

/* A low-pass filter, for a tenth of the samples' rate. */
#define IN_0 0.0674552738890719
#define IN_1 0.1349105477781438
#define IN_2 0.0674552738890719
#define OUT_1 1.1429805025399011
#define OUT_2 (-0.4128015980961886)

#define TAXES 19, 20, 21, 25, 7, 0, 23, 24, 22, 17, 18, 27, 10, 8, 5, 15

struct normal {
    float right, down, up;
};

struct item {
    uint32_t number, date;
    uint16_t pieces, cents;
    unsigned char rebate, country, kind, paid;
};

/* How bright a pixel is to be where it is drawn white. */
__constant__ unsigned char pattern[LEVELS][LEVELS] = {
    {0, 32, 8, 40, 2, 34, 10, 42},  {48, 16, 56, 24, 50, 18, 58, 26},
    {12, 44, 4, 36, 14, 46, 6, 38}, {60, 28, 52, 20, 62, 30, 54, 22},
    {3, 35, 11, 43, 1, 33, 9, 41},  {51, 19, 59, 27, 49, 17, 57, 25},
    {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21}};

__constant__ unsigned taxes[COUNTRIES] = {TAXES}; /* per cent */

/* --- the kernels ----------------------------------------------------------------------------- */

/* Which way the ground is turned at each place, by the heights around it. */
__global__ void normals(struct normal *y, const float *x, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int left = max(col - 1, 0), right = min(col + 1, COLS - 1);
    int above = max(row - 1, 0), below = min(row + 1, rows - 1);
    float dx = x[(size_t)row * COLS + left] - x[(size_t)row * COLS + right];
    float dy = x[(size_t)above * COLS + col] - x[(size_t)below * COLS + col];
    float length = sqrtf(dx * dx + dy * dy + 4);
    struct normal normal = {dx / length, dy / length, 2 / length};

    y[(size_t)row * COLS + col] = normal;
}

/* What the cheapest way down costs, to each pixel of a strip's last row; a step goes straight down
 * or to one side. A block's columns at both ends are only there for those between them. */
__global__ void seam(float *y, const float *x)
{
    __shared__ float sums[2][THREADS];
    int t = threadIdx.x, col = (int)(blockIdx.x * INNER) + t - STRIP;
    const float *strip = x + (size_t)blockIdx.y * STRIP * COLS;
    bool inside = col >= 0 && col < COLS;

    sums[0][t] = inside ? strip[col] : INFINITY;
    __syncthreads();
    for (int row = 1; row < STRIP; row++) {
        const float *last = sums[(row - 1) % 2];
        float least = fminf(last[t], fminf(last[max(t - 1, 0)], last[min(t + 1, THREADS - 1)]));

        sums[row % 2][t] = inside ? least + strip[row * COLS + col] : INFINITY;
        __syncthreads();
    }
    if (inside && t >= STRIP && t < THREADS - STRIP)
        y[(size_t)blockIdx.y * COLS + col] = sums[(STRIP - 1) % 2][t];
}

/* The low tones of many channels, whose samples alternate; a thread for each channel. */
__global__ void biquad(float *y, const float *x, size_t channels)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    double first = 0, second = 0;

    if (i >= channels)
        return;
    for (int k = 0; k < SAMPLES; k++) {
        double in = x[k * channels + i], out = fma(IN_0, in, first);

        first = fma(IN_1, in, fma(OUT_1, out, second));
        second = fma(OUT_2, out, IN_2 * in);
        y[k * channels + i] = (float)out;
    }
}

/* How like each frame of a signal is to another's that comes later, or sooner: by so many samples
 * as the thread's number says, round the frame's end. */
__global__ void correlate(float *y, const float *x, const float *z)
{
    __shared__ float mine[FRAME], other[FRAME + LAGS];
    size_t first = blockIdx.x * (size_t)FRAME;
    float sum = 0;

    for (int k = threadIdx.x; k < FRAME; k += LAGS)
        mine[k] = x[first + k];
    for (int k = threadIdx.x; k < FRAME + LAGS; k += LAGS)
        other[k] = z[first + k % FRAME];
    __syncthreads();
    for (int k = 0; k < FRAME; k++)
        sum += mine[k] * other[k + threadIdx.x];
    y[blockIdx.x * (size_t)LAGS + threadIdx.x] = sum;
}

/* Cholesky's factors of matrices of which the lower half is given; a block for each. */
__global__ void cholesky(float *y, const float *x)
{
    __shared__ float m[ORDER][ORDER];
    int col = threadIdx.x, row = threadIdx.y;
    size_t at = blockIdx.x * (size_t)(ORDER * ORDER) + row * ORDER + col;

    m[row][col] = row == col ? x[at] + RAISED : x[at];
    __syncthreads();
    for (int k = 0; k < ORDER; k++) {
        if (row == k && col == k)
            m[k][k] = sqrtf(m[k][k]);
        __syncthreads();
        if (col == k && row > k)
            m[row][k] /= m[k][k];
        __syncthreads();
        if (col > k && row >= col)
            m[row][col] = fmaf(-m[row][k], m[col][k], m[row][col]);
        __syncthreads();
    }
    y[at] = row >= col ? m[row][col] : 0;
}

/* Each vector without its part along another, so that it is square to that; a warp for each. */
__global__ void project(float *y, const float *x, const float *along)
{
    size_t row = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / LANES;
    int lane = threadIdx.x % LANES;
    float dot = 0, square = 0;

    for (int k = lane; k < COLUMNS; k += LANES) {
        dot += x[row * COLUMNS + k] * along[k];
        square += along[k] * along[k];
    }
    for (int d = LANES / 2; d > 0; d /= 2) {
        dot += __shfl_xor_sync(ALL, dot, d);
        square += __shfl_xor_sync(ALL, square, d);
    }
    dot /= square;
    for (int k = lane; k < COLUMNS; k += LANES)
        y[row * COLUMNS + k] = fmaf(-dot, along[k], x[row * COLUMNS + k]);
}

/* The standard deviation of each row; a block for each. */
__global__ void deviation(float *y, const float *x)
{
    __shared__ float sums[LANES], squares[LANES];
    const float *row = x + blockIdx.x * (size_t)ACROSS;
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    float sum = 0, square = 0;

    for (int k = threadIdx.x; k < ACROSS; k += CROWD) {
        sum += row[k];
        square += row[k] * row[k];
    }
    for (int d = LANES / 2; d > 0; d /= 2) {
        sum += __shfl_down_sync(ALL, sum, d);
        square += __shfl_down_sync(ALL, square, d);
    }
    if (lane == 0) {
        sums[warp] = sum;
        squares[warp] = square;
    }
    __syncthreads();
    if (warp > 0)
        return;
    sum = sums[lane];
    square = squares[lane];
    for (int d = LANES / 2; d > 0; d /= 2) {
        sum += __shfl_down_sync(ALL, sum, d);
        square += __shfl_down_sync(ALL, square, d);
    }
    if (lane == 0)
        y[blockIdx.x] = sqrtf(fmaf(-sum / ACROSS, sum, square) / ACROSS);
}

/* How long the day is, in minutes: 4 x - 24 degrees to the north, and 24 z + 4 days into a year. */
__global__ void day_length(int *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float latitude = (4 * x[i] - 24) * RADIANS, day = 24 * z[i] + 4;
        float sun = -TILT * RADIANS * cosf((day + 10) * (360 * RADIANS / 365));
        float half = acosf(-tanf(latitude) * tanf(sun));

        y[i] = (int)rintf(MINUTES / RADIANS * half);
    }
}

/* Means of what is drawn from a group's values, each as often as chance will. */
__global__ void bootstrap(float *y, const float *x)
{
    __shared__ float values[GROUP];
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t random = (uint32_t)i * 2654435761u;
    float sum = 0;

    for (int k = threadIdx.x; k < GROUP; k += THREADS)
        values[k] = x[blockIdx.x * (size_t)GROUP + k];
    __syncthreads();
    for (int k = 0; k < DRAWS; k++) {
        random = random * 1664525 + 1013904223;
        sum += values[(random >> 16) % GROUP];
    }
    y[i] = sum / DRAWS;
}

/* Where balls are after some time in a box that has no friction. */
__global__ void bounce(float2 *y, const float2 *place, const float2 *speed, size_t balls)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i >= balls)
        return;
    float2 at = place[i], by = speed[i];

    for (int k = 0; k < STEPS; k++) {
        by.y -= DROP;
        at.x += by.x * STEP;
        at.y += by.y * STEP;
        if (at.x > BOX) {
            at.x = 2 * BOX - at.x;
            by.x = -by.x;
        }
        if (at.x < 0) {
            at.x = -at.x;
            by.x = -by.x;
        }
        if (at.y > BOX) {
            at.y = 2 * BOX - at.y;
            by.y = -by.y;
        }
        if (at.y < 0) {
            at.y = -at.y;
            by.y = -by.y;
        }
    }
    y[i] = at;
}

/* A grey image in black and white: a bit for each pixel. */
__global__ void dither(uint32_t *y, const unsigned char *x)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t at = (size_t)row * COLS + col;
    bool white = x[at] > 4 * pattern[row % LEVELS][col % LEVELS] + 1;
    uint32_t bits = __ballot_sync(ALL, white);

    if (col % LANES == 0)
        y[at / LANES] = bits;
}

/* A pixel, or the nearest of the image's. */
static __device__ unsigned char pixel_at(const unsigned char *image, int row, int col, int rows)
{
    row = min(max(row, 0), rows - 1);
    col = min(max(col, 0), COLS - 1);
    return image[(size_t)row * COLS + col];
}

/* How near things are: how far to the left the right eye sees what is around each pixel. */
__global__ void stereo(unsigned char *y, const unsigned char *x, const unsigned char *z, int rows)
{
    __shared__ unsigned char left[HIGH + 2 * RIM][WIDE + 2 * RIM];
    __shared__ unsigned char right[HIGH + 2 * RIM][WIDE + 2 * RIM + SHIFTS - 1];
    int tx = threadIdx.x, ty = threadIdx.y, fewest = 0x7fffffff, best = 0;
    int first = blockIdx.x * WIDE - RIM, top = blockIdx.y * HIGH - RIM;

    for (int j = ty; j < HIGH + 2 * RIM; j += HIGH) {
        for (int i = tx; i < WIDE + 2 * RIM; i += WIDE)
            left[j][i] = pixel_at(x, top + j, first + i, rows);
        for (int i = tx; i < WIDE + 2 * RIM + SHIFTS - 1; i += WIDE)
            right[j][i] = pixel_at(z, top + j, first + i - (SHIFTS - 1), rows);
    }
    __syncthreads();
    for (int shift = 0; shift < SHIFTS; shift++) {
        int apart = 0;

        for (int j = ty; j <= ty + 2 * RIM; j++)
            for (int i = tx; i <= tx + 2 * RIM; i++)
                apart += abs(left[j][i] - right[j][i + SHIFTS - 1 - shift]);
        if (apart < fewest) {
            fewest = apart;
            best = shift;
        }
    }
    y[(size_t)(blockIdx.y * HIGH + ty) * COLS + blockIdx.x * WIDE + tx] = (unsigned char)best;
}

/* How far away what hides the sun is, 0: nothing does. A ray goes to the left, half as far up. */
__global__ void shadow(unsigned char *y, const unsigned char *height)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t at = (size_t)row * COLS + col;
    int ray = height[at], steps = 0;
    bool dark = false;

    while (!dark && ray < HIGHEST && steps < col && (steps + 1) / 2 <= row) {
        steps++;
        ray += RISE;
        dark = height[(size_t)(row - steps / 2) * COLS + col - steps] > ray;
    }
    y[at] = (unsigned char)(dark ? steps : 0);
}

/* 0 to 255, by chance, but always the same at the same place. */
static __device__ float value_at(uint32_t col, uint32_t row, uint32_t seed)
{
    uint32_t hash = col * 374761393u + row * 668265263u + seed * 2246822519u;

    hash = (hash ^ hash >> 13) * 1274126177u;
    return (float)((hash ^ hash >> 16) & 255);
}

static __device__ float between(float from, float to, float share)
{
    return fmaf(share, to - from, from);
}

static __device__ float eased(float share)
{
    return share * share * (3 - 2 * share);
}

/* Clouds: values by chance at places that are far apart, and smaller ones at nearer places. */
__global__ void noise(int *y)
{
    uint32_t col = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0, weight = 0.5f;

    for (uint32_t apart = COARSEST; apart >= FINEST; apart /= 2) {
        uint32_t left = col / apart, top = row / apart;
        float right = eased((float)(col % apart) / (float)apart);
        float down = eased((float)(row % apart) / (float)apart);
        float above = between(value_at(left, top, apart), value_at(left + 1, top, apart), right);
        float below =
            between(value_at(left, top + 1, apart), value_at(left + 1, top + 1, apart), right);

        sum += weight * between(above, below, down);
        weight /= 2;
    }
    y[(size_t)row * COLS + col] = (int)sum;
}

/* Whether a key may be in a set: all of four bits that belong to it are set. */
__global__ void bloom(unsigned char *y, const uint32_t *filter, const uint32_t *keys, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        uint32_t at = keys[i] * 2654435761u, step = (keys[i] ^ keys[i] >> 15) * 2246822519u | 1;
        bool there = true;

        for (int k = 0; k < 4 && there; k++) {
            there = filter[(at >> 5) % FILTER] >> (at & 31) & 1;
            at += step;
        }
        y[i] = there;
    }
}

/* The words of each line of a text; a warp for each. */
__global__ void words(int *y, const unsigned char *text)
{
    size_t line = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / LANES;
    int lane = threadIdx.x % LANES, count = 0;
    uint32_t open = 0;

    for (int k = lane; k < LINE; k += LANES) {
        uint32_t letters = __ballot_sync(ALL, text[line * LINE + k] > ' ');

        count += __popc(letters & ~(letters << 1 | open));
        open = letters >> (LANES - 1);
    }
    if (lane == 0)
        y[line] = count;
}

/* How many letters from each on stand also somewhere in the 32 before; there are four letters. */
__global__ void repeats(unsigned char *y, const unsigned char *text, size_t n)
{
    __shared__ unsigned char letters[BEFORE + FEW + LONGEST];
    size_t first = blockIdx.x * (size_t)FEW;
    int mine = BEFORE + threadIdx.x, most = 0;

    for (int k = threadIdx.x; k < BEFORE + FEW + LONGEST; k += FEW) {
        size_t at = first + k;

        letters[k] = at >= BEFORE && at < n + BEFORE ? text[at - BEFORE] & 3 : 4;
    }
    __syncthreads();
    for (int back = 1; back <= BEFORE; back++) {
        int length = 0;

        while (length < LONGEST && letters[mine + length] == letters[mine - back + length])
            length++;
        most = max(most, length);
    }
    y[first + threadIdx.x] = (unsigned char)most;
}

/* The day, as in 20240229, of a time that is in seconds since 1970; a year begins in March. */
__global__ void calendar(uint32_t *y, const uint32_t *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        uint32_t days = x[i] / DAY + EPOCH, era = days / ERA, rest = days % ERA;
        uint32_t year = (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365;
        uint32_t day = rest - (365 * year + year / 4 - year / 100), month = (5 * day + 2) / 153;

        day -= (153 * month + 2) / 5;
        month = month < 10 ? month + 3 : month - 9;
        year += 400 * era + (month <= 2);
        y[i] = year * 10000 + month * 100 + day + 1;
    }
}

/* Sums of numbers of 1024 bits: a lane for each word, and a carry that may go through many. */
__global__ void carry(uint32_t *y, const uint32_t *x, const uint32_t *z)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t sum = x[i] + z[i];
    uint32_t over = __ballot_sync(ALL, sum < x[i]) << 1, full = __ballot_sync(ALL, sum == ALL);
    uint32_t carries = (full + over) ^ full;

    y[i] = sum + (carries >> threadIdx.x % LANES & 1);
}

/* What is to be paid for each item, in cents. */
__global__ void invoices(unsigned *y, const struct item *x, size_t count)
{
    size_t stride = gridDim.x * (size_t)blockDim.x;

    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride) {
        struct item item = x[i];
        unsigned cents = 0;

        if (!(item.paid & 1)) {
            cents = item.pieces % 100 * item.cents;
            cents = cents * (100 - item.rebate % 50) / 100;
            cents = (cents * (100 + taxes[item.country % COUNTRIES]) + 50) / 100;
        }
        y[i] = cents;
    }
}

/* --- their launches; n words ----------------------------------------------------------------- */

static unsigned blocks_of(size_t n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

static void run_normals(struct arrays *a, size_t n)
{
    dim3 threads(TILE, TILE), blocks(COLS / TILE, (unsigned)(n / 4 / COLS / TILE));

    normals<<<blocks, threads>>>((struct normal *)a->y, a->x, (int)(n / 4 / COLS));
}

static void run_seam(struct arrays *a, size_t n)
{
    dim3 blocks(blocks_of(COLS, INNER), (unsigned)(n / COLS / STRIP));

    seam<<<blocks, THREADS>>>(a->y, a->x);
}

static void run_biquad(struct arrays *a, size_t n)
{
    biquad<<<blocks_of(n / SAMPLES, FEW), FEW>>>(a->y, a->x, n / SAMPLES);
}

static void run_correlate(struct arrays *a, size_t n)
{
    correlate<<<(unsigned)(n / FRAME), LAGS>>>(a->y, a->x, a->z);
}

static void run_cholesky(struct arrays *a, size_t n)
{
    dim3 threads(ORDER, ORDER);

    cholesky<<<(unsigned)(n / ORDER / ORDER), threads>>>(a->y, a->x);
}

static void run_project(struct arrays *a, size_t n)
{
    project<<<(unsigned)(n / COLUMNS / (FEW / LANES)), FEW>>>(a->y, a->x, a->z);
}

static void run_deviation(struct arrays *a, size_t n)
{
    deviation<<<(unsigned)(n / ACROSS), CROWD>>>(a->y, a->x);
}

static void run_daylight(struct arrays *a, size_t n)
{
    day_length<<<blocks_of(n, MANY), MANY>>>((int *)a->y, a->x, a->z, n);
}

static void run_bootstrap(struct arrays *a, size_t n)
{
    bootstrap<<<(unsigned)(n / GROUP), THREADS>>>(a->y, a->x);
}

static void run_bounce(struct arrays *a, size_t n)
{
    bounce<<<blocks_of(n / 2, SQUAD), SQUAD>>>((float2 *)a->y, (const float2 *)a->x,
                                               (const float2 *)a->z, n / 2);
}

static dim3 squares_of(size_t pixels)
{
    return dim3(COLS / WIDE, (unsigned)(pixels / COLS / HIGH));
}

static void run_dither(struct arrays *a, size_t n)
{
    dither<<<squares_of(4 * n), dim3(WIDE, HIGH)>>>((uint32_t *)a->y, (const unsigned char *)a->x);
}

static void run_stereo(struct arrays *a, size_t n)
{
    stereo<<<squares_of(4 * n), dim3(WIDE, HIGH)>>>(
        (unsigned char *)a->y, (const unsigned char *)a->x, (const unsigned char *)a->z,
        (int)(4 * n / COLS));
}

static void run_shadow(struct arrays *a, size_t n)
{
    shadow<<<squares_of(4 * n), dim3(WIDE, HIGH)>>>((unsigned char *)a->y,
                                                    (const unsigned char *)a->x);
}

static void run_noise(struct arrays *a, size_t n)
{
    dim3 threads(TILE, TILE), blocks(COLS / TILE, (unsigned)(n / COLS / TILE));

    noise<<<blocks, threads>>>((int *)a->y);
}

static void run_bloom(struct arrays *a, size_t n)
{
    bloom<<<blocks_of(n, THREADS), THREADS>>>((unsigned char *)a->y, (const uint32_t *)a->x,
                                              (const uint32_t *)a->z, n);
}

static void run_words(struct arrays *a, size_t n)
{
    words<<<(unsigned)(4 * n / LINE / (THREADS / LANES)), THREADS>>>((int *)a->y,
                                                                     (const unsigned char *)a->x);
}

static void run_repeats(struct arrays *a, size_t n)
{
    repeats<<<(unsigned)(4 * n / FEW), FEW>>>((unsigned char *)a->y, (const unsigned char *)a->x,
                                              4 * n);
}

static void run_calendar(struct arrays *a, size_t n)
{
    calendar<<<blocks_of(n, CROWD), CROWD>>>((uint32_t *)a->y, (const uint32_t *)a->x, n);
}

static void run_carry(struct arrays *a, size_t n)
{
    carry<<<(unsigned)(n / MANY), MANY>>>((uint32_t *)a->y, (const uint32_t *)a->x,
                                          (const uint32_t *)a->z);
}

static void run_invoices(struct arrays *a, size_t n)
{
    invoices<<<FIXED, THREADS>>>((unsigned *)a->y, (const struct item *)a->x, 4 * n / RECORD);
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

static const unsigned char *bytes_of(const float *words)
{
    return (const unsigned char *)words;
}

static const int *ints_of(const float *words)
{
    return (const int *)words;
}

static size_t every_fourth_word(size_t n)
{
    return n / 4;
}

/* Of a row or a column: the place itself at its ends. */
static size_t beside(size_t at, int way, size_t count)
{
    if (way < 0)
        return at > 0 ? at - 1 : 0;
    return at + 1 < count ? at + 1 : at;
}

static bool right_normals(const struct arrays *h, size_t n, size_t at)
{
    size_t rows = n / 4 / COLS, row = at / COLS, col = at % COLS;
    const float *middle = h->x + row * COLS, *y = h->y + 3 * at;
    float across = middle[beside(col, -1, COLS)] - middle[beside(col, 1, COLS)];
    float down = h->x[beside(row, -1, rows) * COLS + col] - h->x[beside(row, 1, rows) * COLS + col];
    float length = sqrtf(across * across + down * down + 4);

    return y[0] == across / length && y[1] == down / length && y[2] == 2 / length;
}

static size_t every_way(size_t n)
{
    return n / STRIP;
}

/* From below: what it costs to come to the last row's pixel from each of a row above. */
static bool right_seam(const struct arrays *h, size_t n, size_t at)
{
    const float *strip = h->x + at / COLS * STRIP * COLS;
    float cost[COLS], least = INFINITY;
    int end = (int)(at % COLS), first = end, last = end;

    (void)n;
    cost[end] = strip[(STRIP - 1) * COLS + end];
    for (int row = STRIP - 2; row >= 0; row--) {
        float left = INFINITY; /* as it was */
        int from = first, to = last;

        first = first > 0 ? first - 1 : 0;
        last = last + 1 < COLS ? last + 1 : last;
        for (int col = first; col <= last; col++) {
            float here = col >= from && col <= to ? cost[col] : INFINITY;
            float right = col + 1 >= from && col + 1 <= to ? cost[col + 1] : INFINITY;

            cost[col] = strip[row * COLS + col] + fminf(left, fminf(here, right));
            left = here;
        }
    }
    for (int col = first; col <= last; col++)
        least = fminf(least, cost[col]);
    return h->y[at] == least;
}

static size_t every_channel(size_t n)
{
    return n / SAMPLES;
}

/* The difference equation holds, as far as floats can tell. */
static bool right_biquad(const struct arrays *h, size_t n, size_t at)
{
    size_t channels = n / SAMPLES;
    double in_1 = 0, in_2 = 0, out_1 = 0, out_2 = 0;

    for (size_t k = 0; k < SAMPLES; k++) {
        double in = h->x[k * channels + at], out = h->y[k * channels + at];
        double sum = IN_0 * in + IN_1 * in_1 + IN_2 * in_2 + OUT_1 * out_1 + OUT_2 * out_2;

        if (!(fabs(out - sum) < 1e-5))
            return false;
        in_2 = in_1;
        in_1 = in;
        out_2 = out_1;
        out_1 = out;
    }
    return true;
}

static bool right_correlate(const struct arrays *h, size_t n, size_t at)
{
    const float *x = h->x + at / LAGS * FRAME, *z = h->z + at / LAGS * FRAME;
    int sum = 0;

    (void)n;
    for (size_t k = 0; k < FRAME; k++)
        sum += (int)x[k] * (int)z[(k + at % LAGS) % FRAME];
    return h->y[at] == (float)sum;
}

static size_t every_matrix(size_t n)
{
    return n / (ORDER * ORDER);
}

/* The factor by itself, turned, is the matrix. */
static bool right_cholesky(const struct arrays *h, size_t n, size_t at)
{
    const float *x = h->x + at * ORDER * ORDER, *y = h->y + at * ORDER * ORDER;

    (void)n;
    for (int row = 0; row < ORDER; row++)
        for (int col = 0; col < ORDER; col++) {
            double sum = 0, given = row == col ? RAISED : 0;

            if (col > row && y[row * ORDER + col] != 0)
                return false;
            if (col > row)
                continue;
            for (int k = 0; k <= col; k++)
                sum += (double)y[row * ORDER + k] * y[col * ORDER + k];
            if (!(fabs(sum - given - x[row * ORDER + col]) < 1e-3))
                return false;
        }
    return true;
}

static size_t every_vector(size_t n)
{
    return n / COLUMNS;
}

static bool right_project(const struct arrays *h, size_t n, size_t at)
{
    const float *x = h->x + at * COLUMNS, *y = h->y + at * COLUMNS;
    int dot = 0, square = 0;

    (void)n;
    for (int k = 0; k < COLUMNS; k++) {
        dot += (int)x[k] * (int)h->z[k];
        square += (int)h->z[k] * (int)h->z[k];
    }
    for (int k = 0; k < COLUMNS; k++)
        if (y[k] != fmaf(-(float)dot / (float)square, h->z[k], x[k]))
            return false;
    return true;
}

static size_t every_row(size_t n)
{
    return n / ACROSS;
}

/* By the distances from the mean. */
static bool right_deviation(const struct arrays *h, size_t n, size_t at)
{
    const float *x = h->x + at * ACROSS;
    double mean = 0, square = 0;

    (void)n;
    for (int k = 0; k < ACROSS; k++)
        mean += x[k] / (double)ACROSS;
    for (int k = 0; k < ACROSS; k++)
        square += (x[k] - mean) * (x[k] - mean) / ACROSS;
    return fabs(h->y[at] - sqrt(square)) < 1e-5;
}

/* By what part of the day is dark. */
static bool right_daylight(const struct arrays *h, size_t n, size_t at)
{
    double turn = acos(-1.0) / 180, latitude = (4.0 * h->x[at] - 24) * turn;
    double sun = -23.44 * turn * cos((24.0 * h->z[at] + 14) * 360 / 365 * turn);
    double dark = 1440 / acos(-1.0) * acos(sin(latitude) * sin(sun) / cos(latitude) / cos(sun));

    (void)n;
    return ints_of(h->y)[at] == (int)rint(1440 - dark);
}

static bool right_bootstrap(const struct arrays *h, size_t n, size_t at)
{
    const float *values = h->x + at / THREADS * GROUP;
    uint32_t random = (uint32_t)at * 2654435761u;
    int sum = 0;

    (void)n;
    for (int k = 0; k < DRAWS; k++) {
        random = random * 1664525u + 1013904223u;
        sum += (int)values[random / 65536 % GROUP];
    }
    return h->y[at] * DRAWS == (float)sum;
}

/* Of one that goes along a line: in units of a step that is an eighth of a metre per second. */
static int place_of(float place, float speed, int drop)
{
    int at = (int)place * 128, by = (int)speed * 8;

    for (int k = 0; k < STEPS; k++) {
        by -= drop;
        at += by;
        if (at < 0 || at > 16 * 128) {
            at = at < 0 ? -at : 2 * 16 * 128 - at;
            by = -by;
        }
    }
    return at;
}

static bool right_bounce(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return h->y[at] * 128 == (float)place_of(h->x[at], h->z[at], at % 2 ? 5 : 0);
}

static size_t every_byte(size_t n)
{
    return 4 * n;
}

/* The pattern's numbers are the bits of the place, in turn, and the least of them weighs most. */
static bool right_dither(const struct arrays *h, size_t n, size_t at)
{
    unsigned row = (unsigned)(at / COLS), col = (unsigned)(at % COLS), level = 0;

    (void)n;
    for (int bit = 0; bit < 3; bit++)
        level |= ((row ^ col) >> bit & 1) << (5 - 2 * bit) | (row >> bit & 1) << (4 - 2 * bit);
    return (bits_of(h->y)[at / 32] >> at % 32 & 1) == (bytes_of(h->x)[at] > 4 * level + 1);
}

static int inside(int at, int count)
{
    return at < 0 ? 0 : at < count ? at : count - 1;
}

static int eyes_apart(const struct arrays *h, size_t n, size_t at, int shift)
{
    int rows = (int)(4 * n / COLS), row = (int)(at / COLS), col = (int)(at % COLS), sum = 0;

    for (int k = 0; k < (2 * RIM + 1) * (2 * RIM + 1); k++) {
        size_t line = (size_t)inside(row + k / (2 * RIM + 1) - RIM, rows) * COLS;
        int there = col + k % (2 * RIM + 1) - RIM;

        sum += abs(bytes_of(h->x)[line + inside(there, COLS)] -
                   bytes_of(h->z)[line + inside(there - shift, COLS)]);
    }
    return sum;
}

static bool right_stereo(const struct arrays *h, size_t n, size_t at)
{
    int best = bytes_of(h->y)[at], fewest;

    if (best >= SHIFTS)
        return false;
    fewest = eyes_apart(h, n, at, best);
    for (int shift = 0; shift < SHIFTS; shift++) {
        int apart = eyes_apart(h, n, at, shift);

        if (shift < best ? apart <= fewest : apart < fewest)
            return false;
    }
    return true;
}

/* Whether what is so far away stands higher than the ray; *over: the ray does not come there. */
static bool hides(const unsigned char *heights, size_t at, int far, bool *over)
{
    int row = (int)(at / COLS) - far / 2, col = (int)(at % COLS) - far;

    *over = row < 0 || col < 0;
    return !*over && heights[(size_t)row * COLS + col] > heights[at] + RISE * far;
}

static bool right_shadow(const struct arrays *h, size_t n, size_t at)
{
    int found = bytes_of(h->y)[at], end = found > 0 ? found : HIGHEST / RISE + 1;
    bool over = false;

    (void)n;
    for (int far = 1; far < end && !over; far++)
        if (hides(bytes_of(h->x), at, far, &over))
            return false;
    return found == 0 || hides(bytes_of(h->x), at, found, &over);
}

/* As the kernel's. */
static double chance_at(size_t col, size_t row, uint32_t seed)
{
    uint32_t hash = (uint32_t)col * 374761393u + (uint32_t)row * 668265263u + seed * 2246822519u;

    hash = (hash ^ hash / 8192) * 1274126177u;
    return (hash ^ hash / 65536) % 256;
}

/* The four values around a place, by their shares of it. */
static bool right_noise(const struct arrays *h, size_t n, size_t at)
{
    double sum = 0;
    int y = ints_of(h->y)[at];

    (void)n;
    for (size_t apart = COARSEST; apart >= FINEST; apart /= 2)
        for (size_t k = 0; k < 4; k++) {
            size_t col = at % COLS / apart + k % 2, row = at / COLS / apart + k / 2;
            double across = fabs((double)(at % COLS) - (double)(col * apart)) / (double)apart;
            double down = fabs((double)(at / COLS) - (double)(row * apart)) / (double)apart;

            across = 1 - across * across * (3 - 2 * across);
            down = 1 - down * down * (3 - 2 * down);
            sum += (double)apart / (2 * COARSEST) * across * down *
                   chance_at(col, row, (uint32_t)apart);
        }
    return y > sum - 1.001 && y < sum + 0.001;
}

static bool right_bloom(const struct arrays *h, size_t n, size_t at)
{
    uint32_t key = bits_of(h->z)[at], step = (key ^ key / 32768) * 2246822519u | 1;
    unsigned set = 0;

    (void)n;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t bit = (key * 2654435761u + k * step) % (32 * FILTER);

        set += bytes_of(h->x)[bit / 8] >> bit % 8 & 1;
    }
    return bytes_of(h->y)[at] == (set == 4);
}

static size_t every_line(size_t n)
{
    return 4 * n / LINE;
}

/* By their ends. */
static bool right_words(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *line = bytes_of(h->x) + at * LINE;
    int count = line[LINE - 1] > 32;

    (void)n;
    for (int k = 1; k < LINE; k++)
        count += line[k - 1] > 32 && line[k] <= 32;
    return ints_of(h->y)[at] == count;
}

/* Whether as many letters are the same as those so far back. */
static bool repeated(const unsigned char *text, size_t letters, size_t at, size_t back,
                     size_t length)
{
    if (back > at || at + length > letters)
        return false;
    for (size_t k = at; k < at + length; k++)
        if ((text[k] ^ text[k - back]) % 4 != 0)
            return false;
    return true;
}

static bool right_repeats(const struct arrays *h, size_t n, size_t at)
{
    size_t length = bytes_of(h->y)[at];
    bool found = length == 0;

    for (size_t back = 1; back <= BEFORE; back++) {
        found |= repeated(bytes_of(h->x), 4 * n, at, back, length);
        if (length < LONGEST && repeated(bytes_of(h->x), 4 * n, at, back, length + 1))
            return false;
    }
    return found && length <= LONGEST;
}

/* Year by year, and month by month. */
static bool right_calendar(const struct arrays *h, size_t n, size_t at)
{
    static const uint32_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint32_t days = bits_of(h->x)[at] / 86400, year = 1970, month = 0;

    (void)n;
    for (;;) {
        bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        uint32_t length = lengths[month] + (month == 1 && leap);

        if (days < length)
            break;
        days -= length;
        month++;
        year += month / 12;
        month %= 12;
    }
    return bits_of(h->y)[at] == year * 10000 + (month + 1) * 100 + days + 1;
}

static size_t every_number(size_t n)
{
    return n / NUMBER;
}

static bool right_carry(const struct arrays *h, size_t n, size_t at)
{
    uint64_t sum = 0;

    (void)n;
    for (size_t k = at * NUMBER; k < (at + 1) * NUMBER; k++) {
        sum = (sum >> 32) + bits_of(h->x)[k] + bits_of(h->z)[k];
        if (bits_of(h->y)[k] != (uint32_t)sum)
            return false;
    }
    return true;
}

static bool right_invoices(const struct arrays *h, size_t n, size_t at)
{
    static const unsigned all[COUNTRIES] = {TAXES};
    const uint32_t *item = bits_of(h->x) + 4 * at;
    uint64_t cents = (uint64_t)(item[2] % 65536 % 100) * (item[2] / 65536);

    (void)n;
    cents = cents * (100 - item[3] % 256 % 50) / 100;
    cents = (cents * (100 + all[item[3] / 256 % 16]) + 50) / 100;
    return bits_of(h->y)[at] == (item[3] >> 24 & 1 ? 0 : cents);
}

#define WORDS(power) ((size_t)1 << (power))

static const struct test tests[] = {
    {"normals", run_normals, LARGE, WORDS(20), SMALL, 0, false, false, every_fourth_word,
     right_normals},
    {"seam", run_seam, LARGE, WORDS(20), SMALL, 0, false, false, every_way, right_seam},
    {"biquad", run_biquad, LARGE, WORDS(20), SMALL, 0, false, false, every_channel, right_biquad},
    {"correlate", run_correlate, WORDS(24), WORDS(18), SMALL, 0, false, false, every_fourth_word,
     right_correlate},
    {"cholesky", run_cholesky, WORDS(24), WORDS(18), SMALL, 0, false, false, every_matrix,
     right_cholesky},
    {"project", run_project, LARGE, WORDS(20), SMALL, 0, false, false, every_vector, right_project},
    {"deviation", run_deviation, LARGE, WORDS(20), SMALL, 0, false, false, every_row,
     right_deviation},
    {"daylight", run_daylight, WORDS(25), WORDS(20), SMALL, 0, false, false, every_word,
     right_daylight},
    {"bootstrap", run_bootstrap, WORDS(24), WORDS(18), SMALL, 0, false, false, every_fourth_word,
     right_bootstrap},
    {"bounce", run_bounce, WORDS(24), WORDS(18), SMALL, 0, false, false, every_word, right_bounce},
    {"dither", run_dither, WORDS(25), WORDS(20), BITS, 0, false, false, every_byte, right_dither},
    {"stereo", run_stereo, WORDS(22), WORDS(16), BITS, 0, false, false, every_byte, right_stereo},
    {"shadow", run_shadow, WORDS(23), WORDS(18), BITS, 0, false, false, every_byte, right_shadow},
    {"noise", run_noise, WORDS(25), WORDS(18), BITS, 0, false, false, every_word, right_noise},
    {"bloom", run_bloom, WORDS(25), WORDS(20), BITS, 0, false, false, every_word, right_bloom},
    {"words", run_words, WORDS(25), WORDS(18), BITS, 0, false, false, every_line, right_words},
    {"repeats", run_repeats, WORDS(22), WORDS(16), BITS, 0, false, false, every_byte,
     right_repeats},
    {"calendar", run_calendar, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_calendar},
    {"carry", run_carry, LARGE, WORDS(20), BITS, 0, false, false, every_number, right_carry},
    {"invoices", run_invoices, LARGE, WORDS(22), BITS, 0, false, false, every_fourth_word,
     right_invoices},
};

int main(int argc, char **argv)
{
    return blind_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]), "eighth-nvcc.txt");
}
