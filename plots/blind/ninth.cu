/*
 * The ninth set: twenty kernels as students write them in courses, of kinds that neither the
 * series nor the sets before have. Their results are exact: integers, sums and products of small
 * ones, floats whose every rounding is that of one operation (a multiply-add is written where it
 * matters), or floats that are rounded where no value comes near. No result depends on the order of
 * the threads.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#include "blind.h"

#define THREADS 256
#define FEWEST 64               /* threads of some blocks */
#define FEW 128                 /* of others */
#define MANY 1024               /* of the largest */
#define LARGE ((size_t)1 << 26) /* 256 MiB of words */
#define COLS 2048               /* of an image, or a plane */
#define LANES 32
#define ALL 0xffffffffu /* lanes of a warp */
#define WIDE 32         /* pixels of a block */
#define HIGH 8
#define STRIP 128 /* rows of a block */
#define DEEP 16   /* that it reads at a time */
#define ORDER 64  /* rows of a square matrix, and columns */
#define PACKED (ORDER * (ORDER + 1) / 2)
#define TAPS 32  /* of a filter */
#define FACTOR 4 /* samples for each that is left */
#define WINDOW ((FEW - 1) * FACTOR + TAPS)
#define SAMPLES 1024 /* of a row */
#define RADIAN 0.017453292f
#define AROUND 2048 /* pixels of the equator */
#define CLOSE 1e-12 /* two means that are as good as equal */
#define DRAG (1.0f / 64)
#define STEP (1.0f / 32)
#define FALL (9.75f / 32) /* how much faster after a step */
#define LENGTH 16         /* of a row, in the middle */
#define TILE 16           /* pixels of a tile's side */
#define SIDE 32           /* of a picture's */
#define OFF 1024          /* of a pixel that is not set */
#define PART 32           /* words of a channel */
#define STEPS 89          /* sizes of a step */
#define CODONS 64
#define BLOCKS 1024 /* that go on until the text ends */
#define FIELD 12    /* letters of a number, and of the line's end */
#define CORNERS 12
#define PICTURE 128 /* pixels of a picture's row, and rows */
#define LEVELS 16   /* of grey */

struct point {
    float x, y, z;
};

/* A filter for low tones, in whole numbers. */
#define TAP_WEIGHTS                                                                                \
    -1, -2, -2, -1, 1, 3, 4, 3, -1, -6, -8, -4, 6, 20, 34, 42, 42, 34, 20, 6, -4, -8, -6, -1, 3,   \
        4, 3, 1, -1, -2, -2, -1

__constant__ float taps[TAPS] = {TAP_WEIGHTS};

__constant__ int near_by[3] = {6, 4, 1};

#define STEP_SIZES                                                                                 \
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66,   \
        73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, \
        449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878,     \
        2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845,  \
        8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086,   \
        29794, 32767

__constant__ int step_sizes[STEPS] = {STEP_SIZES};
__constant__ int step_changes[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

/* What three bases stand for, each of T, C, A and G. */
#define ACIDS "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"

__constant__ char acid_letters[CODONS + 1] = ACIDS;

#define OUTLINE                                                                                    \
    {200, 340}, {1500, 120}, {2100, 900}, {3300, 260}, {3900, 1800}, {2900, 2000}, {3700, 3500},   \
        {2300, 2700}, {1700, 3900}, {1200, 2600}, {300, 3300},                                     \
    {                                                                                              \
        900, 1700                                                                                  \
    }

__constant__ int2 outline[CORNERS] = {OUTLINE};

/* --- the kernels ----------------------------------------------------------------------------- */

/* Points turned by a quaternion each, and made longer by the square of its length. */
__global__ void turn(struct point *y, const float4 *x, const struct point *z, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < count) {
        float4 q = x[i];
        struct point v = z[i], turned;
        float along = 2 * (q.x * v.x + q.y * v.y + q.z * v.z);
        float rest = q.w * q.w - (q.x * q.x + q.y * q.y + q.z * q.z);

        turned.x = rest * v.x + along * q.x + 2 * q.w * (q.y * v.z - q.z * v.y);
        turned.y = rest * v.y + along * q.y + 2 * q.w * (q.z * v.x - q.x * v.z);
        turned.z = rest * v.z + along * q.z + 2 * q.w * (q.x * v.y - q.y * v.x);
        y[i] = turned;
    }
}

/* How long each column is, as a vector, in each strip of rows. */
__global__ void column_lengths(float *y, const float *x)
{
    __shared__ float sums[DEEP][WIDE];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * WIDE + tx;
    float sum = 0;

    for (int row = ty; row < STRIP; row += DEEP) {
        float value = x[((size_t)blockIdx.y * STRIP + row) * COLS + col];

        sum += value * value;
    }
    sums[ty][tx] = sum;
    __syncthreads();
    for (int d = DEEP / 2; d > 0; d /= 2) {
        if (ty < d)
            sums[ty][tx] += sums[ty + d][tx];
        __syncthreads();
    }
    if (ty == 0)
        y[(size_t)blockIdx.y * COLS + col] = sqrtf(sums[0][tx]);
}

/* The lower halves of matrices to each of which its transpose is added, without gaps. */
__global__ void pack_halves(float *y, const float *x, int all)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < all) {
        const float *matrix = x + (size_t)(i / PACKED) * ORDER * ORDER;
        int at = i % PACKED, row = (int)((sqrtf(8.0f * at + 1) - 1) / 2);
        int col = at - row * (row + 1) / 2;

        y[i] = matrix[row * ORDER + col] + matrix[col * ORDER + row];
    }
}

/* Every fourth sample of a signal, after its high tones have been taken away. */
__global__ void decimate(float *y, const float *x, size_t n)
{
    __shared__ float samples[WINDOW];
    size_t first = blockIdx.x * (size_t)(FEW * FACTOR);
    int t = threadIdx.x;
    float sum = 0;

    for (int k = t; k < WINDOW; k += FEW)
        samples[k] = first + k < n ? x[first + k] : 0;
    __syncthreads();
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * samples[t * FACTOR + k];
    y[blockIdx.x * (size_t)FEW + t] = sum;
}

/* How two rows vary together, times their samples' number squared; a block for both. */
__global__ void covariance(int *y, const float *x, const float *z)
{
    __shared__ float sums[3][THREADS / LANES];
    size_t first = blockIdx.x * (size_t)SAMPLES;
    int t = threadIdx.x, lane = t % LANES, warp = t / LANES;
    float a = 0, b = 0, both = 0;

    for (int k = t; k < SAMPLES; k += THREADS) {
        float u = x[first + k], v = z[first + k];

        a += u;
        b += v;
        both += u * v;
    }
    for (int d = LANES / 2; d > 0; d /= 2) {
        a += __shfl_down_sync(ALL, a, d);
        b += __shfl_down_sync(ALL, b, d);
        both += __shfl_down_sync(ALL, both, d);
    }
    if (lane == 0) {
        sums[0][warp] = a;
        sums[1][warp] = b;
        sums[2][warp] = both;
    }
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < THREADS / LANES; k++) {
            a += sums[0][k];
            b += sums[1][k];
            both += sums[2][k];
        }
        y[blockIdx.x] = SAMPLES * (int)both - (int)a * (int)b;
    }
}

/* Places on the globe to pixels of Mercator's map. */
__global__ void mercator(short2 *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float east = 24 * x[i] * RADIAN, north = (10.5f * z[i] - 78.75f) * RADIAN;
        float up = logf(tanf(45 * RADIAN + north / 2)), scale = AROUND / (360 * RADIAN);

        y[i] = make_short2((short)rintf(scale * east), (short)rintf(AROUND / 2 - scale * up));
    }
}

/* How far it is round ellipses, in hundredths, by means of means in double precision. */
__global__ void ellipse(int *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        double a = fmax(x[i], z[i]) + 1, b = fmin(x[i], z[i]) + 1;
        double sum = (a * a + b * b) / 2, weight = 1;

        while (a - b > CLOSE * a) {
            double half = (a - b) / 2, mean = (a + b) / 2;

            b = sqrt(a * b);
            a = mean;
            sum -= weight * half * half;
            weight *= 2;
        }
        y[i] = (int)rint(100 * 2 * 3.14159265358979323846 * sum / a);
    }
}

/* How far away a ball comes down that the air slows. */
__global__ void throw_balls(float *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float along = 2 * (x[i] + 1), up = 2 * (z[i] + 1), right = 0, height = 0;

        while (height >= 0) {
            float slower = DRAG * STEP * sqrtf(fmaf(along, along, up * up));

            along = fmaf(-slower, along, along);
            up = fmaf(-slower, up, up) - FALL;
            right = fmaf(along, STEP, right);
            height = fmaf(up, STEP, height);
        }
        y[i] = right;
    }
}

/* The means of rows of which each has a length of its own, one after the other. */
__global__ void ragged(float *y, const float *x, const float *z, size_t rows)
{
    size_t row = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (row < rows) {
        size_t first = row * LENGTH + (size_t)z[row], last = (row + 1) * LENGTH;
        float sum = 0;

        if (row + 1 < rows)
            last += (size_t)z[row + 1];
        for (size_t k = first; k < last; k++)
            sum += x[k];
        y[row] = sum / (last - first);
    }
}

/* The largest word up to each, in every row of 1024; a block for a row. */
__global__ void running_max(uint32_t *y, const uint32_t *x)
{
    __shared__ uint32_t of_warps[LANES];
    size_t i = blockIdx.x * (size_t)MANY + threadIdx.x;
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    uint32_t most = x[i];

    for (int d = 1; d < LANES; d *= 2) {
        uint32_t before = __shfl_up_sync(ALL, most, d);

        if (lane >= d)
            most = max(most, before);
    }
    if (lane == LANES - 1)
        of_warps[warp] = most;
    __syncthreads();
    if (warp == 0) {
        uint32_t all = of_warps[lane];

        for (int d = 1; d < LANES; d *= 2) {
            uint32_t before = __shfl_up_sync(ALL, all, d);

            if (lane >= d)
                all = max(all, before);
        }
        of_warps[lane] = all;
    }
    __syncthreads();
    y[i] = warp > 0 ? max(most, of_warps[warp - 1]) : most;
}

static __device__ int pixel(const unsigned char *x, int row, int col, int rows)
{
    row = min(max(row, 0), rows - 1);
    col = min(max(col, 0), COLS - 1);
    return x[(size_t)row * COLS + col];
}

/* Which of the eight pixels around each are as light as it: a bit for each. */
__global__ void patterns(unsigned char *y, const unsigned char *x, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int middle = x[(size_t)row * COLS + col], bits = 0;

    bits |= (pixel(x, row - 1, col - 1, rows) >= middle) << 0;
    bits |= (pixel(x, row - 1, col, rows) >= middle) << 1;
    bits |= (pixel(x, row - 1, col + 1, rows) >= middle) << 2;
    bits |= (pixel(x, row, col + 1, rows) >= middle) << 3;
    bits |= (pixel(x, row + 1, col + 1, rows) >= middle) << 4;
    bits |= (pixel(x, row + 1, col, rows) >= middle) << 5;
    bits |= (pixel(x, row + 1, col - 1, rows) >= middle) << 6;
    bits |= (pixel(x, row, col - 1, rows) >= middle) << 7;
    y[(size_t)row * COLS + col] = (unsigned char)bits;
}

/* An image made smooth, but not over its edges: what is unlike a pixel counts less. */
__global__ void bilateral(unsigned char *y, const unsigned char *x, int rows)
{
    __shared__ int alike[256];
    int col = blockIdx.x * WIDE + threadIdx.x, row = blockIdx.y * HIGH + threadIdx.y;
    int t = threadIdx.y * WIDE + threadIdx.x, sum = 0, weights = 0;

    alike[t] = 4096 / (16 + t);
    __syncthreads();

    int middle = x[(size_t)row * COLS + col];

    for (int down = -2; down <= 2; down++)
        for (int right = -2; right <= 2; right++) {
            int value = pixel(x, row + down, col + right, rows);
            int weight = near_by[abs(down)] * near_by[abs(right)] * alike[abs(value - middle)];

            sum += weight * value;
            weights += weight;
        }
    y[(size_t)row * COLS + col] = (unsigned char)((sum + weights / 2) / weights);
}

/* An image of squares that have one colour each. */
__global__ void mosaic(uchar4 *y, const uchar4 *x)
{
    __shared__ unsigned red, green, blue;
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    size_t i = (size_t)row * COLS + col;
    uchar4 mine = x[i];

    if (threadIdx.x == 0 && threadIdx.y == 0)
        red = green = blue = 0;
    __syncthreads();
    atomicAdd(&red, mine.x);
    atomicAdd(&green, mine.y);
    atomicAdd(&blue, mine.z);
    __syncthreads();
    y[i] = make_uchar4((unsigned char)(red / (TILE * TILE)), (unsigned char)(green / (TILE * TILE)),
                       (unsigned char)(blue / (TILE * TILE)), 255);
}

/* The parts of pictures that hang together: each pixel gets the number of its part's first. */
__global__ void labels(int *y, const uint32_t *x)
{
    __shared__ int label[SIDE + 2][SIDE + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, t = threadIdx.y * SIDE + threadIdx.x;
    size_t i = blockIdx.x * (size_t)(SIDE * SIDE) + t;
    int mine = x[i] % 2 ? t : OFF;
    bool changes = true;

    if (t < SIDE)
        label[0][tx] = label[SIDE + 1][tx] = label[tx][0] = label[tx][SIDE + 1] = OFF;
    label[ty][tx] = mine;
    __syncthreads();
    while (changes) {
        int least = mine;

        if (mine != OFF)
            least = min(min(min(label[ty - 1][tx], label[ty + 1][tx]),
                            min(label[ty][tx - 1], label[ty][tx + 1])),
                        mine);
        changes = __syncthreads_or(least != mine);
        label[ty][tx] = mine = least;
        __syncthreads();
    }
    y[i] = mine == OFF ? -1 : mine;
}

/* Particles that go to four sides; two that meet go on to the other sides, a wall sends them back.
 * Bits 0 to 3: to the right, down, to the left, up. The others: 0 is a wall. */
__global__ void gas(unsigned char *y, const unsigned char *x, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    int above = (row + rows - 1) % rows, below = (row + 1) % rows;
    int left = (col + COLS - 1) % COLS, right = (col + 1) % COLS;
    unsigned kind = x[(size_t)row * COLS + col] & 0xf0;
    unsigned come = (x[(size_t)row * COLS + left] & 1) | (x[(size_t)above * COLS + col] & 2) |
                    (x[(size_t)row * COLS + right] & 4) | (x[(size_t)below * COLS + col] & 8);

    if (kind == 0)
        come = (come << 2 | come >> 2) & 15;
    else if (come == 5 || come == 10)
        come = 15 - come;
    y[(size_t)row * COLS + col] = (unsigned char)(kind | come);
}

/* Sound of 16 bits out of four for each sample (ADPCM); a thread for each channel. */
__global__ void adpcm(uint4 *y, const uint32_t *x, size_t channels)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int value = 0, index = 0;

    if (i >= channels)
        return;
    for (int k = 0; k < PART; k++) {
        uint32_t codes = x[k * channels + i], out[4] = {0};

        for (int s = 0; s < 8; s++, codes >>= 4) {
            int step = step_sizes[index], change = step >> 3;

            if (codes & 4)
                change += step;
            if (codes & 2)
                change += step >> 1;
            if (codes & 1)
                change += step >> 2;
            value += codes & 8 ? -change : change;
            value = min(max(value, -32768), 32767);
            index = min(max(index + step_changes[codes & 7], 0), STEPS - 1);
            out[s / 2] |= (uint32_t)(value & 0xffff) << s % 2 * 16;
        }
        y[k * channels + i] = make_uint4(out[0], out[1], out[2], out[3]);
    }
}

/* Genes to proteins: three bases, of which two bits count, are one letter. */
__global__ void codons(char *y, const unsigned char *x, size_t count)
{
    __shared__ char letters[CODONS];

    if (threadIdx.x < CODONS)
        letters[threadIdx.x] = acid_letters[threadIdx.x];
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * (size_t)blockDim.x) {
        const unsigned char *base = x + 3 * i;

        y[i] = letters[(base[0] & 3) << 4 | (base[1] & 3) << 2 | (base[2] & 3)];
    }
}

/* Numbers written in decimal, each at the right of its line. */
__global__ void decimal(char *y, const uint32_t *x, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < count) {
        char *line = y + i * FIELD;
        uint32_t left = x[i];
        int at = FIELD - 1;

        line[at--] = '\n';
        do {
            line[at--] = (char)('0' + left % 10);
            left /= 10;
        } while (left > 0);
        while (at >= 0)
            line[at--] = ' ';
    }
}

/* Which points are inside of an outline: it is crossed an odd number of times on the right. */
__global__ void inside(unsigned char *y, const ushort2 *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        int across = x[i].x >> 4, down = x[i].y >> 4;
        bool in = false;

        for (int k = 0; k < CORNERS; k++) {
            int2 a = outline[k], b = outline[(k + 1) % CORNERS];

            if ((a.y > down) != (b.y > down)) {
                int to_it = (down - a.y) * (b.x - a.x), to_us = (across - a.x) * (b.y - a.y);

                if (b.y > a.y ? to_us < to_it : to_us > to_it)
                    in = !in;
            }
        }
        y[i] = in;
    }
}

/* How often each of 16 greys is at the left of each other; a block for each picture. */
__global__ void cooccurrence(unsigned *y, const unsigned char *x)
{
    __shared__ unsigned counts[LEVELS * LEVELS];
    const unsigned char *picture = x + blockIdx.x * (size_t)(PICTURE * PICTURE);
    int t = threadIdx.x;

    counts[t] = 0;
    __syncthreads();
    for (int k = t; k < PICTURE * PICTURE; k += THREADS)
        if (k % PICTURE < PICTURE - 1)
            atomicAdd(&counts[picture[k] / LEVELS * LEVELS + picture[k + 1] / LEVELS], 1);
    __syncthreads();
    y[blockIdx.x * (size_t)(LEVELS * LEVELS) + t] = counts[t];
}

/* --- their launches; n words ----------------------------------------------------------------- */

static unsigned blocks_of(size_t n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

static void run_turn(struct arrays *a, size_t n)
{
    turn<<<blocks_of(n / 4, THREADS), THREADS>>>((struct point *)a->y, (const float4 *)a->x,
                                                 (const struct point *)a->z, n / 4);
}

static void run_column_lengths(struct arrays *a, size_t n)
{
    dim3 threads(WIDE, DEEP), blocks(COLS / WIDE, (unsigned)(n / COLS / STRIP));

    column_lengths<<<blocks, threads>>>(a->y, a->x);
}

static void run_pack(struct arrays *a, size_t n)
{
    size_t all = n / (ORDER * ORDER) * PACKED;

    pack_halves<<<blocks_of(all, THREADS), THREADS>>>(a->y, a->x, (int)all);
}

static void run_decimate(struct arrays *a, size_t n)
{
    decimate<<<(unsigned)(n / FACTOR / FEW), FEW>>>(a->y, a->x, n);
}

static void run_covariance(struct arrays *a, size_t n)
{
    covariance<<<(unsigned)(n / SAMPLES), THREADS>>>((int *)a->y, a->x, a->z);
}

static void run_mercator(struct arrays *a, size_t n)
{
    mercator<<<blocks_of(n, THREADS), THREADS>>>((short2 *)a->y, a->x, a->z, n);
}

static void run_ellipse(struct arrays *a, size_t n)
{
    ellipse<<<blocks_of(n, THREADS), THREADS>>>((int *)a->y, a->x, a->z, n);
}

static void run_throw(struct arrays *a, size_t n)
{
    throw_balls<<<blocks_of(n, FEW), FEW>>>(a->y, a->x, a->z, n);
}

static void run_ragged(struct arrays *a, size_t n)
{
    ragged<<<blocks_of(n / LENGTH, FEWEST), FEWEST>>>(a->y, a->x, a->z, n / LENGTH);
}

static void run_running_max(struct arrays *a, size_t n)
{
    running_max<<<(unsigned)(n / MANY), MANY>>>((uint32_t *)a->y, (const uint32_t *)a->x);
}

static void run_patterns(struct arrays *a, size_t n)
{
    dim3 threads(FEWEST, 4), blocks(COLS / FEWEST, (unsigned)(4 * n / COLS / 4));

    patterns<<<blocks, threads>>>((unsigned char *)a->y, (const unsigned char *)a->x,
                                  (int)(4 * n / COLS));
}

static void run_bilateral(struct arrays *a, size_t n)
{
    dim3 threads(WIDE, HIGH), blocks(COLS / WIDE, (unsigned)(4 * n / COLS / HIGH));

    bilateral<<<blocks, threads>>>((unsigned char *)a->y, (const unsigned char *)a->x,
                                   (int)(4 * n / COLS));
}

static void run_mosaic(struct arrays *a, size_t n)
{
    dim3 threads(TILE, TILE), blocks(COLS / TILE, (unsigned)(n / COLS / TILE));

    mosaic<<<blocks, threads>>>((uchar4 *)a->y, (const uchar4 *)a->x);
}

static void run_labels(struct arrays *a, size_t n)
{
    dim3 threads(SIDE, SIDE);

    labels<<<(unsigned)(n / (SIDE * SIDE)), threads>>>((int *)a->y, (const uint32_t *)a->x);
}

static void run_gas(struct arrays *a, size_t n)
{
    dim3 blocks(COLS / THREADS, (unsigned)(4 * n / COLS));

    gas<<<blocks, THREADS>>>((unsigned char *)a->y, (const unsigned char *)a->x,
                             (int)(4 * n / COLS));
}

static void run_adpcm(struct arrays *a, size_t n)
{
    size_t channels = n / 4 / PART;

    adpcm<<<blocks_of(channels, FEW), FEW>>>((uint4 *)a->y, (const uint32_t *)a->x, channels);
}

static void run_codons(struct arrays *a, size_t n)
{
    codons<<<BLOCKS, THREADS>>>((char *)a->y, (const unsigned char *)a->x, 4 * n / 3);
}

static void run_decimal(struct arrays *a, size_t n)
{
    decimal<<<blocks_of(n / 3, THREADS), THREADS>>>((char *)a->y, (const uint32_t *)a->x, n / 3);
}

static void run_inside(struct arrays *a, size_t n)
{
    inside<<<blocks_of(n, 2 * THREADS), 2 * THREADS>>>((unsigned char *)a->y, (const ushort2 *)a->x,
                                                       n);
}

static void run_cooccurrence(struct arrays *a, size_t n)
{
    cooccurrence<<<(unsigned)(4 * n / (PICTURE * PICTURE)), THREADS>>>((unsigned *)a->y,
                                                                       (const unsigned char *)a->x);
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

static size_t every_point(size_t n)
{
    return n / 4;
}

/* A quaternion by another, the last number of each has no direction. */
static void multiply(long *product, const long *p, const long *q)
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;

        product[k] = p[3] * q[k] + q[3] * p[k] + p[l] * q[m] - p[m] * q[l];
    }
    product[3] = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
}

static bool right_turn(const struct arrays *h, size_t n, size_t at)
{
    long q[4], back[4], point[4] = {0}, half[4], whole[4];

    (void)n;
    for (size_t k = 0; k < 4; k++) {
        q[k] = (long)h->x[at * 4 + k];
        back[k] = k < 3 ? -q[k] : q[k];
    }
    for (size_t k = 0; k < 3; k++)
        point[k] = (long)h->z[at * 3 + k];
    multiply(half, q, point);
    multiply(whole, half, back);
    for (size_t k = 0; k < 3; k++)
        if (h->y[at * 3 + k] != (float)whole[k])
            return false;
    return whole[3] == 0;
}

static size_t every_column(size_t n)
{
    return n / STRIP;
}

static bool right_column_lengths(const struct arrays *h, size_t n, size_t at)
{
    const float *x = h->x + at / COLS * STRIP * COLS + at % COLS;
    int sum = 0;

    (void)n;
    for (size_t k = 0; k < STRIP; k++)
        sum += (int)x[k * COLS] * (int)x[k * COLS];
    return h->y[at] == sqrtf((float)sum);
}

static size_t every_matrix(size_t n)
{
    return n / (ORDER * ORDER);
}

/* Row by row, one after the other. */
static bool right_pack(const struct arrays *h, size_t n, size_t at)
{
    const float *x = h->x + at * ORDER * ORDER, *y = h->y + at * PACKED;

    (void)n;
    for (size_t row = 0; row < ORDER; row++)
        for (size_t col = 0; col <= row; col++)
            if (*y++ != x[row * ORDER + col] + x[col * ORDER + row])
                return false;
    return true;
}

static size_t every_sample(size_t n)
{
    return n / FACTOR;
}

static bool right_decimate(const struct arrays *h, size_t n, size_t at)
{
    static const int weights[TAPS] = {TAP_WEIGHTS};
    int sum = 0;

    for (size_t k = 0; k < TAPS && at * FACTOR + k < n; k++)
        sum += weights[k] * (int)h->x[at * FACTOR + k];
    return h->y[at] == (float)sum;
}

static size_t every_row(size_t n)
{
    return n / SAMPLES;
}

/* By how far each is from the mean. */
static bool right_covariance(const struct arrays *h, size_t n, size_t row)
{
    const float *x = h->x + row * SAMPLES, *z = h->z + row * SAMPLES;
    double mean_x = 0, mean_z = 0, sum = 0;

    (void)n;
    for (int k = 0; k < SAMPLES; k++) {
        mean_x += (double)x[k] / SAMPLES;
        mean_z += (double)z[k] / SAMPLES;
    }
    for (int k = 0; k < SAMPLES; k++)
        sum += (x[k] - mean_x) * (z[k] - mean_z);
    return ints_of(h->y)[row] == (int)rint(SAMPLES * sum);
}

/* Up the map as much as the sine of the latitude says. */
static bool right_mercator(const struct arrays *h, size_t n, size_t at)
{
    double pi = acos(-1.0), sine = sin((10.5 * h->z[at] - 78.75) * pi / 180);
    double up = log((1 + sine) / (1 - sine)) / 2;
    const int16_t *y = (const int16_t *)h->y + 2 * at;

    (void)n;
    return y[0] == (int)rint(AROUND * h->x[at] / 15) &&
           y[1] == (int)rint(AROUND / 2 - AROUND * up / (2 * pi));
}

/* By many short ways, each in the direction of its middle. */
static bool right_ellipse(const struct arrays *h, size_t n, size_t at)
{
    double a = h->x[at] + 1.0, b = h->z[at] + 1.0, part = acos(-1.0) / 256, sum = 0;

    (void)n;
    for (int k = 0; k < 512; k++)
        sum += hypot(a * sin(k * part), b * cos(k * part)) * part;
    return ints_of(h->y)[at] == (int)rint(100 * sum);
}

/* In double precision. */
static bool right_throw(const struct arrays *h, size_t n, size_t at)
{
    double along = 2 * (h->x[at] + 1.0), up = 2 * (h->z[at] + 1.0), right = 0, height = 0;

    (void)n;
    while (height >= 0) {
        double stays = 1 - hypot(along, up) / 64 / 32;

        along *= stays;
        up = up * stays - 9.75 / 32;
        right += along / 32;
        height += up / 32;
    }
    return fabs(h->y[at] - right) < 1e-4;
}

static size_t every_length(size_t n)
{
    return n / LENGTH;
}

static bool right_ragged(const struct arrays *h, size_t n, size_t row)
{
    size_t first = row * LENGTH + (size_t)h->z[row], last = (row + 1) * LENGTH;
    int sum = 0;

    last += row + 1 < n / LENGTH ? (size_t)h->z[row + 1] : 0;
    for (size_t k = first; k < last; k++)
        sum += (int)h->x[k];
    return h->y[row] == (float)sum / (float)(last - first);
}

static size_t every_block(size_t n)
{
    return n / MANY;
}

static bool right_running_max(const struct arrays *h, size_t n, size_t row)
{
    const uint32_t *x = bits_of(h->x) + row * MANY, *y = bits_of(h->y) + row * MANY;
    uint32_t most = 0;

    (void)n;
    for (int k = 0; k < MANY; k++) {
        most = x[k] > most ? x[k] : most;
        if (y[k] != most)
            return false;
    }
    return true;
}

static size_t every_byte(size_t n)
{
    return 4 * n;
}

/* Of an image's bytes, or the nearest one of the image. */
static int byte_at(const unsigned char *x, size_t n, long row, long col)
{
    long rows = (long)(4 * n / COLS);

    row = row < 0 ? 0 : row < rows ? row : rows - 1;
    col = col < 0 ? 0 : col < COLS ? col : COLS - 1;
    return x[row * COLS + col];
}

static bool right_patterns(const struct arrays *h, size_t n, size_t at)
{
    static const int down[] = {-1, -1, -1, 0, 1, 1, 1, 0}, right[] = {-1, 0, 1, 1, 1, 0, -1, -1};
    long row = (long)(at / COLS), col = (long)(at % COLS);
    int middle = bytes_of(h->x)[at], bits = bytes_of(h->y)[at];

    for (int k = 0; k < 8; k++)
        if ((bits >> k & 1) !=
            (byte_at(bytes_of(h->x), n, row + down[k], col + right[k]) >= middle))
            return false;
    return true;
}

/* The weights of a row are those of four throws of a coin. */
static bool right_bilateral(const struct arrays *h, size_t n, size_t at)
{
    static const int coins[] = {1, 4, 6, 4, 1};
    long row = (long)(at / COLS), col = (long)(at % COLS);
    int middle = bytes_of(h->x)[at];
    long sum = 0, all = 0;

    for (int k = 0; k < 25; k++) {
        int value = byte_at(bytes_of(h->x), n, row + k / 5 - 2, col + k % 5 - 2);
        int apart = value > middle ? value - middle : middle - value;
        long weight = coins[k / 5] * coins[k % 5] * (4096 / (16 + apart));

        sum += weight * value;
        all += weight;
    }
    return bytes_of(h->y)[at] == (sum + all / 2) / all;
}

static bool right_mosaic(const struct arrays *h, size_t n, size_t at)
{
    size_t row = at / COLS / TILE * TILE, col = at % COLS / TILE * TILE;
    const unsigned char *y = bytes_of(h->y) + 4 * at;

    (void)n;
    for (size_t colour = 0; colour < 3; colour++) {
        int sum = 0;

        for (size_t k = 0; k < TILE * TILE; k++)
            sum += bytes_of(h->x)[((row + k / TILE) * COLS + col + k % TILE) * 4 + colour];
        if (y[colour] != sum / (TILE * TILE))
            return false;
    }
    return y[3] == 255;
}

static size_t every_picture(size_t n)
{
    return n / (SIDE * SIDE);
}

/* A part is found by its first pixel, and then as far as it goes. */
static bool right_labels(const struct arrays *h, size_t n, size_t picture)
{
    const uint32_t *x = bits_of(h->x) + picture * SIDE * SIDE;
    int label[SIDE * SIDE], to_do[4 * SIDE * SIDE + 1];

    (void)n;
    memset(label, 0xff, sizeof(label));
    for (int first = 0; first < SIDE * SIDE; first++) {
        int left = 0;

        to_do[left++] = first;
        while (left > 0) {
            int p = to_do[--left];

            if (x[p] % 2 == 0 || label[p] >= 0)
                continue;
            label[p] = first;
            if (p >= SIDE)
                to_do[left++] = p - SIDE;
            if (p < SIDE * (SIDE - 1))
                to_do[left++] = p + SIDE;
            if (p % SIDE > 0)
                to_do[left++] = p - 1;
            if (p % SIDE < SIDE - 1)
                to_do[left++] = p + 1;
        }
    }
    return memcmp(label, ints_of(h->y) + picture * SIDE * SIDE, sizeof(label)) == 0;
}

/* Whether one goes to each side: it came from the other, or was sent back, or met another. */
static bool right_gas(const struct arrays *h, size_t n, size_t at)
{
    static const size_t down[] = {0, 1, 0, -(size_t)1}, right[] = {1, 0, -(size_t)1, 0};
    const unsigned char *x = bytes_of(h->x);
    size_t rows = 4 * n / COLS, row = at / COLS, col = at % COLS;
    int came[4], all = 0, y = bytes_of(h->y)[at];

    for (int k = 0; k < 4; k++) {
        size_t from = (row + rows - down[k]) % rows * COLS + (col + COLS - right[k]) % COLS;

        came[k] = x[from] >> k & 1;
        all += came[k];
    }
    for (int k = 0; k < 4; k++) {
        bool meet = all == 2 && came[0] == came[2];
        int goes = x[at] < 16 ? came[(k + 2) % 4] : meet ? !came[k] : came[k];

        if ((y >> k & 1) != goes)
            return false;
    }
    return y / 16 == x[at] / 16;
}

static size_t every_channel(size_t n)
{
    return n / 4 / PART;
}

/* A change is so many eighths of the step, and half of one, each part rounded down. */
static bool right_adpcm(const struct arrays *h, size_t n, size_t channel)
{
    static const int sizes[STEPS] = {STEP_SIZES};
    size_t channels = n / 4 / PART;
    int value = 0, index = 0;

    for (size_t k = 0; k < (size_t)PART * 8; k++) {
        size_t word = k / 8 * channels + channel;
        int code = bits_of(h->x)[word] >> k % 8 * 4 & 15, change = sizes[index] / 8;

        for (int bit = 0; bit < 3; bit++)
            change += (code >> bit & 1) * (sizes[index] / (4 >> bit));
        value += code < 8 ? change : -change;
        value = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
        index += code % 8 < 4 ? -1 : 2 * (code % 8 - 3);
        index = index < 0 ? 0 : index < STEPS ? index : STEPS - 1;
        if (((const int16_t *)h->y)[word * 8 + k % 8] != value)
            return false;
    }
    return true;
}

static size_t every_codon(size_t n)
{
    return 4 * n / 3;
}

static bool right_codons(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *base = bytes_of(h->x) + 3 * at;

    (void)n;
    return bytes_of(h->y)[at] == ACIDS[base[0] % 4 * 16 + base[1] % 4 * 4 + base[2] % 4];
}

static size_t every_number(size_t n)
{
    return n / 3;
}

static bool right_decimal(const struct arrays *h, size_t n, size_t at)
{
    char line[FIELD + 1];

    (void)n;
    snprintf(line, sizeof(line), "%11u\n", (unsigned)bits_of(h->x)[at]);
    return memcmp(line, bytes_of(h->y) + at * FIELD, FIELD) == 0;
}

/* By what is crossed on the left. */
static bool right_inside(const struct arrays *h, size_t n, size_t at)
{
    static const int corners[CORNERS][2] = {OUTLINE};
    uint32_t place = bits_of(h->x)[at];
    int across = place % 65536 / 16, down = (int)(place >> 20), crossed = 0;

    (void)n;
    for (int k = 0; k < CORNERS; k++) {
        const int *high = corners[k], *low = corners[(k + 1) % CORNERS], *other = high;

        if (high[1] > low[1]) {
            high = low;
            low = other;
        }
        if (high[1] <= down && down < low[1])
            crossed += (long)(across - high[0]) * (low[1] - high[1]) >=
                       (long)(low[0] - high[0]) * (down - high[1]);
    }
    return bytes_of(h->y)[at] == crossed % 2;
}

static size_t every_image(size_t n)
{
    return 4 * n / (PICTURE * PICTURE);
}

static bool right_cooccurrence(const struct arrays *h, size_t n, size_t at)
{
    unsigned counts[LEVELS][LEVELS] = {{0}};
    const unsigned char *x = bytes_of(h->x) + at * PICTURE * PICTURE;

    (void)n;
    for (int row = 0; row < PICTURE; row++, x += PICTURE)
        for (int col = 1; col < PICTURE; col++)
            counts[x[col - 1] >> 4][x[col] >> 4]++;
    return memcmp(counts, bits_of(h->y) + at * LEVELS * LEVELS, sizeof(counts)) == 0;
}

#define WORDS(power) ((size_t)1 << (power))

static const struct test tests[] = {
    {"turn", run_turn, LARGE, WORDS(20), SMALL, 0, false, false, every_point, right_turn},
    {"column_lengths", run_column_lengths, LARGE, WORDS(21), SMALL, 0, false, false, every_column,
     right_column_lengths},
    {"pack", run_pack, LARGE, WORDS(20), SMALL, 0, false, false, every_matrix, right_pack},
    {"decimate", run_decimate, LARGE, WORDS(20), SMALL, 0, false, false, every_sample,
     right_decimate},
    {"covariance", run_covariance, LARGE, WORDS(20), SMALL, 0, false, false, every_row,
     right_covariance},
    {"mercator", run_mercator, LARGE, WORDS(20), SMALL, 0, false, false, every_word,
     right_mercator},
    {"ellipse", run_ellipse, WORDS(25), WORDS(18), SMALL, 0, false, false, every_word,
     right_ellipse},
    {"throw", run_throw, WORDS(23), WORDS(18), SMALL, 0, false, false, every_word, right_throw},
    {"ragged", run_ragged, LARGE, WORDS(21), SMALL, 0, false, false, every_length, right_ragged},
    {"running_max", run_running_max, LARGE, WORDS(20), BITS, 0, false, false, every_block,
     right_running_max},
    {"patterns", run_patterns, WORDS(25), WORDS(19), BITS, 0, false, false, every_byte,
     right_patterns},
    {"bilateral", run_bilateral, WORDS(24), WORDS(18), BITS, 0, false, false, every_byte,
     right_bilateral},
    {"mosaic", run_mosaic, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_mosaic},
    {"labels", run_labels, WORDS(24), WORDS(18), BITS, 0, false, false, every_picture,
     right_labels},
    {"gas", run_gas, WORDS(24), WORDS(19), BITS, 0, false, false, every_byte, right_gas},
    {"adpcm", run_adpcm, LARGE, WORDS(22), BITS, 0, false, false, every_channel, right_adpcm},
    {"codons", run_codons, LARGE, WORDS(22), BITS, 0, false, false, every_codon, right_codons},
    {"decimal", run_decimal, LARGE, WORDS(20), BITS, 0, false, false, every_number, right_decimal},
    {"inside", run_inside, WORDS(25), WORDS(19), BITS, 0, false, false, every_word, right_inside},
    {"cooccurrence", run_cooccurrence, LARGE, WORDS(20), BITS, 0, false, false, every_image,
     right_cooccurrence},
};

int main(int argc, char **argv)
{
    return blind_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]), "ninth-nvcc.txt");
}
