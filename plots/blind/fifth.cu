/*
 * The fifth set: twenty kernels as students write them in courses, of kinds that neither the series nor the sets
 * before have. Their results are exact: integers, sums and products of small ones, a quotient of two of these, or
 * floats that are compared with a threshold, or rounded, where no value comes near. What depends on the order of the
 * threads is looked up.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <cuda_runtime.h>

#include "blind.h"

#define THREADS 256
#define LARGE ((size_t)1 << 26) /* 256 MiB of words */
#define COLS 2048               /* of a plane, or an image */
#define SIDE 256                /* of a layer of a volume */
#define WIDE 32                 /* pixels of a tile */
#define HIGH 8
#define RIM 2 /* pixels around a pixel */
#define SHARE 0.2718f
#define TEXTURE 512 /* pixels in a row, and rows */
#define STEP 128    /* between two pixels */
#define NODES 32    /* of a graph */
#define LONGEST 1000
#define LENGTH 16 /* letters of a word */
#define WORDS_IN 16
#define WORDS_OUT 8
#define ROUNDS 64
#define CHARGES 16
#define PARTS 32         /* of an integral */
#define FREE 0xffffffffu /* a place of a table */
#define FACTOR 2654435761u
#define OBJECTS 64
#define POINTS 16 /* of a thread */
#define LEVELS 16 /* of a tree */
#define FEATURES 4
#define BOARD 12 /* rows and columns */
#define GIVEN 3  /* queens that a thread begins with */
#define STARTS (BOARD * BOARD * BOARD)
#define STARTS_IN_BLOCK 64

__constant__ char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Where they are, how far above the plane, and how large. */
__constant__ float4 charges[CHARGES] = {
    {1, 2, 1, 1},   {3, 14, 2, -1}, {5, 6, 1, 2},    {7, 11, 3, 1}, {9, 1, 2, -2}, {11, 8, 1, 1},
    {13, 13, 2, 1}, {15, 4, 1, -1}, {2, 9, 1, 1},    {4, 3, 3, -1}, {6, 15, 1, 1}, {8, 7, 2, -1},
    {10, 12, 1, 2}, {12, 5, 2, 1},  {14, 10, 1, -2}, {0, 0, 2, 1},
};

__constant__ uint32_t round_words[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

__constant__ uint32_t first_words[WORDS_OUT] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* --- the kernels ----------------------------------------------------------------------------- */

/* A step of gradient descent with momentum: three arrays make two. */
__global__ void momentum(float *new_weight, float *new_speed, const float *weight,
                         const float *speed, const float *slope, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float v = 0.5f * speed[i] - 0.25f * slope[i];

        new_speed[i] = v;
        new_weight[i] = weight[i] + v;
    }
}

/* Whether two boxes overlap by more than a share of what both cover; z and w are a box's size. */
__global__ void overlap(int *y, const float4 *a, const float4 *b, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float4 p = a[i], q = b[i];
        float width = fminf(p.x + p.z, q.x + q.z) - fmaxf(p.x, q.x);
        float height = fminf(p.y + p.w, q.y + q.w) - fmaxf(p.y, q.y);
        float both = fmaxf(width, 0) * fmaxf(height, 0);

        y[i] = both / (p.z * p.w + q.z * q.w - both) > SHARE;
    }
}

/* A step of heat on a plane of which each cell conducts as z says. */
__global__ void conduct(float *y, const float *x, const float *z, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t at = (size_t)row * COLS + col;

    if (col == 0 || col == COLS - 1 || row == 0 || row == rows - 1) {
        y[at] = x[at];
        return;
    }
    float gain = (z[at] + z[at - 1]) * (x[at - 1] - x[at]) +
                 (z[at] + z[at + 1]) * (x[at + 1] - x[at]) +
                 (z[at] + z[at - COLS]) * (x[at - COLS] - x[at]) +
                 (z[at] + z[at + COLS]) * (x[at + COLS] - x[at]);

    y[at] = x[at] + 0.0078125f * gain;
}

/* A volume made smooth by the 27 cells of each cube: the middle counts twice in each direction. */
__global__ void smooth(float *y, const float *x, int layers)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    size_t at = ((size_t)k * SIDE + j) * SIDE + i;
    float sum = 0;

    if (i == 0 || i == SIDE - 1 || j == 0 || j == SIDE - 1 || k == 0 || k == layers - 1) {
        y[at] = x[at];
        return;
    }
    for (int c = -1; c <= 1; c++)
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++)
                sum += (2 - abs(a)) * (2 - abs(b)) * (2 - abs(c)) *
                       x[((size_t)(k + c) * SIDE + j + b) * SIDE + i + a];
    y[at] = sum / 64;
}

/* Pixels of red, green and blue to hue, in steps of two degrees, saturation and value. */
__global__ void hue(uchar4 *y, const uchar4 *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    uchar4 p = x[i];
    int r = p.x, g = p.y, b = p.z;
    int high = max(r, max(g, b)), range = high - min(r, min(g, b)), angle;

    if (range == 0)
        angle = 0;
    else if (high == r)
        angle = 60 * (g - b) / range;
    else if (high == g)
        angle = 120 + 60 * (b - r) / range;
    else
        angle = 240 + 60 * (r - g) / range;
    if (angle < 0)
        angle += 360;
    y[i] =
        make_uchar4((unsigned char)(angle / 2), (unsigned char)(high == 0 ? 0 : 255 * range / high),
                    (unsigned char)high, p.w);
}

/* An image of bytes eroded: the least of 5 x 5 pixels, by a tile with its rim. */
__global__ void erode(unsigned char *y, const unsigned char *x, int rows)
{
    __shared__ unsigned char s[HIGH + 2 * RIM][WIDE + 2 * RIM];
    int left = (int)(blockIdx.x * WIDE), top = (int)(blockIdx.y * HIGH), least = 255;

    for (int i = threadIdx.y; i < HIGH + 2 * RIM; i += HIGH)
        for (int j = threadIdx.x; j < WIDE + 2 * RIM; j += WIDE) {
            int r = min(max(top + i - RIM, 0), rows - 1), c = min(max(left + j - RIM, 0), COLS - 1);

            s[i][j] = x[(size_t)r * COLS + c];
        }
    __syncthreads();
    for (int i = 0; i <= 2 * RIM; i++)
        for (int j = 0; j <= 2 * RIM; j++)
            least = min(least, (int)s[threadIdx.y + i][threadIdx.x + j]);
    y[(size_t)(top + threadIdx.y) * COLS + left + threadIdx.x] = (unsigned char)least;
}

static __device__ unsigned char between(int a, int b, int c, int d, int right, int down)
{
    int above = a * (STEP - right) + b * right, below = c * (STEP - right) + d * right;

    return (unsigned char)((above * (STEP - down) + below * down) / (STEP * STEP));
}

/* A texture's colours at random places, each between those of the four pixels around it. */
__global__ void sample(uchar4 *y, const uchar4 *texture, const uint32_t *place, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    int u = place[i] & 0xffff, v = place[i] >> 16, right = u % STEP, down = v % STEP;
    int col = u / STEP, row = v / STEP, next = (col + 1) % TEXTURE, under = (row + 1) % TEXTURE;
    uchar4 a = texture[row * TEXTURE + col], b = texture[row * TEXTURE + next];
    uchar4 c = texture[under * TEXTURE + col], d = texture[under * TEXTURE + next];

    y[i] = make_uchar4(
        between(a.x, b.x, c.x, d.x, right, down), between(a.y, b.y, c.y, d.y, right, down),
        between(a.z, b.z, c.z, d.z, right, down), between(a.w, b.w, c.w, d.w, right, down));
}

struct matrix {
    float m[3][3];
};

/* The inverses of matrices of 3 x 3, a thread for each; 0 of those that have none. */
__global__ void inverses(struct matrix *y, const struct matrix *x, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    struct matrix a = x[i], b;
    float d;

    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int s = (c + 1) % 3, t = (c + 2) % 3, u = (r + 1) % 3, v = (r + 2) % 3;

            b.m[r][c] = a.m[s][u] * a.m[t][v] - a.m[s][v] * a.m[t][u];
        }
    d = a.m[0][0] * b.m[0][0] + a.m[0][1] * b.m[1][0] + a.m[0][2] * b.m[2][0];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            b.m[r][c] = d == 0 ? 0 : b.m[r][c] / d;
    y[i] = b;
}

/* The shortest paths between all nodes of small graphs, a block for each, by Floyd and Warshall. */
__global__ void paths(int *y, const uint32_t *x)
{
    __shared__ int s[NODES][NODES];
    int from = threadIdx.y, to = threadIdx.x;
    size_t at = (blockIdx.x * (size_t)NODES + from) * NODES + to;

    s[from][to] = from == to ? 0 : x[at] % LONGEST;
    __syncthreads();
    for (int k = 0; k < NODES; k++) {
        s[from][to] = min(s[from][to], s[from][k] + s[k][to]);
        __syncthreads();
    }
    y[at] = s[from][to];
}

/* Bytes to base 64: three of them are four letters. */
__global__ void base64(char *y, const unsigned char *x, size_t groups)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < groups) {
        uint32_t bits = x[3 * i] << 16 | x[3 * i + 1] << 8 | x[3 * i + 2];

        y[4 * i] = digits[bits >> 18];
        y[4 * i + 1] = digits[bits >> 12 & 63];
        y[4 * i + 2] = digits[bits >> 6 & 63];
        y[4 * i + 3] = digits[bits & 63];
    }
}

/* How many letters to change, insert or leave out from one word to another, by Levenshtein. */
__global__ void edits(int *y, const unsigned char *a, const unsigned char *b, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int row[LENGTH + 1];

    if (i >= count)
        return;
    for (int k = 0; k <= LENGTH; k++)
        row[k] = k;
    for (int j = 0; j < LENGTH; j++) {
        int letter = a[i * LENGTH + j] % 4, corner = row[0];

        row[0] = j + 1;
        for (int k = 0; k < LENGTH; k++) {
            int changed = corner + (b[i * LENGTH + k] % 4 != letter);

            corner = row[k + 1];
            row[k + 1] = min(min(corner, row[k]) + 1, changed);
        }
    }
    y[i] = row[LENGTH];
}

static __host__ __device__ uint32_t turned(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

/* A round of SHA-256 for each of the 64 words that are made of a message's 16. */
__global__ void sha256(uint32_t *y, const uint32_t *x, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t w[ROUNDS], s[WORDS_OUT];

    if (i >= count)
        return;
    for (int k = 0; k < WORDS_IN; k++)
        w[k] = x[i * WORDS_IN + k];
    for (int k = WORDS_IN; k < ROUNDS; k++)
        w[k] = w[k - 16] + w[k - 7] +
               (turned(w[k - 15], 7) ^ turned(w[k - 15], 18) ^ w[k - 15] >> 3) +
               (turned(w[k - 2], 17) ^ turned(w[k - 2], 19) ^ w[k - 2] >> 10);
    for (int k = 0; k < WORDS_OUT; k++)
        s[k] = first_words[k];
    for (int k = 0; k < ROUNDS; k++) {
        uint32_t e = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25);
        uint32_t a = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22);
        uint32_t one = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_words[k] + w[k];
        uint32_t two = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

        for (int j = WORDS_OUT - 1; j > 0; j--)
            s[j] = s[j - 1];
        s[4] += one;
        s[0] = one + two;
    }
    for (int k = 0; k < WORDS_OUT; k++)
        y[i * WORDS_OUT + k] = first_words[k] + s[k];
}

/* Neurons by GELU, as tanh approximates it, in sixteenths. */
__global__ void gelu(signed char *y, const float *x, const float *bias, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float v = (x[i] + bias[i] - 15) / 4;
        float g = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));

        y[i] = (signed char)rintf(16 * g);
    }
}

/* Pairs of numbers to pairs of a normal distribution, in fiftieths, by Box and Muller. */
__global__ void normal_pairs(int2 *y, const float2 *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float length = sqrtf(-2 * logf((x[i].x + 1) / 17));
        float angle = 6.283185307f * (x[i].y + 0.5f) / 16;

        y[i] =
            make_int2((int)rintf(50 * length * cosf(angle)), (int)rintf(50 * length * sinf(angle)));
    }
}

/* The potential of some charges at each point, in hundredths. */
__global__ void potential(int *y, const float *x, const float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (int k = 0; k < CHARGES; k++) {
        float right = charges[k].x - x[i], down = charges[k].y - z[i], above = charges[k].z;

        sum += charges[k].w * rsqrtf(right * right + down * down + above * above);
    }
    y[i] = (int)rintf(100 * sum);
}

/* Integrals of 1 / (1 + t^2) in double precision, by the middles of parts, in hundredths. */
__global__ void integral(int *y, const float *from, const float *length, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    double step, sum = 0;

    if (i >= n)
        return;
    step = (length[i] + 1) / 16.0 / PARTS;
    for (int k = 0; k < PARTS; k++) {
        double t = from[i] / 16.0 + (k + 0.5) * step;

        sum += step / (1 + t * t);
    }
    y[i] = (int)(100 * sum + 0.5);
}

static __host__ __device__ uint32_t place_of(uint32_t key, size_t places)
{
    return (key * FACTOR >> 8) % (uint32_t)places;
}

/* Keys put into a hash table: at the next place that is free, or has the key. */
__global__ void insert(uint32_t *table, const uint32_t *x, size_t keys, size_t places)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i >= keys)
        return;
    uint32_t key = x[i] >> 1, at = place_of(key, places);

    while (true) {
        uint32_t old = atomicCAS(&table[at], FREE, key);

        if (old == FREE || old == key)
            return;
        at = (at + 1) % (uint32_t)places;
    }
}

/* The boxes around the points of each object: in shared memory first. */
__global__ void boxes(unsigned *least, int *most, const uint32_t *object, const uint32_t *point,
                      size_t n)
{
    __shared__ unsigned low[2 * OBJECTS];
    __shared__ int high[2 * OBJECTS];
    size_t first = blockIdx.x * (size_t)THREADS * POINTS + threadIdx.x;

    if (threadIdx.x < 2 * OBJECTS) {
        low[threadIdx.x] = 0xffff;
        high[threadIdx.x] = 0;
    }
    __syncthreads();
    for (size_t i = first; i < first + THREADS * POINTS && i < n; i += THREADS) {
        unsigned k = object[i] % OBJECTS, right = point[i] & 0xffff, down = point[i] >> 16;

        atomicMin(&low[2 * k], right);
        atomicMin(&low[2 * k + 1], down);
        atomicMax(&high[2 * k], (int)right);
        atomicMax(&high[2 * k + 1], (int)down);
    }
    __syncthreads();
    if (threadIdx.x < 2 * OBJECTS) {
        atomicMin(&least[threadIdx.x], low[threadIdx.x]);
        atomicMax(&most[threadIdx.x], high[threadIdx.x]);
    }
}

/* The leaf of a decision tree that each item comes to: a node compares one of its features. */
__global__ void decide(uint32_t *y, const uint32_t *tree, const uint32_t *item, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t node = 0;

    if (i >= n)
        return;
    for (int level = 0; level < LEVELS; level++) {
        if (item[i * FEATURES + level % FEATURES] < tree[node])
            node = 2 * node + 1;
        else
            node = 2 * node + 2;
    }
    y[i] = node;
}

/* In how many ways the queens of a board can go on, a thread for each place of the first three. */
__global__ void queens(uint32_t *y)
{
    uint32_t open[BOARD], columns[BOARD], left[BOARD], right[BOARD], found = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x, rest = i, row = GIVEN;
    uint32_t c = 0, l = 0, r = 0, all = (1u << BOARD) - 1;

    if (i >= STARTS)
        return;
    for (int k = 0; k < GIVEN; k++) {
        uint32_t queen = 1u << rest % BOARD;

        if ((c | l | r) & queen) {
            y[i] = 0;
            return;
        }
        c |= queen;
        l = (l | queen) << 1;
        r = (r | queen) >> 1;
        rest /= BOARD;
    }
    columns[row] = c;
    left[row] = l;
    right[row] = r;
    open[row] = all & ~(c | l | r);
    while (row >= GIVEN) {
        uint32_t queen = open[row] & (0 - open[row]);

        if (queen == 0) {
            row--;
        } else if (row == BOARD - 1) {
            found++;
            row--;
        } else {
            open[row] ^= queen;
            columns[row + 1] = columns[row] | queen;
            left[row + 1] = (left[row] | queen) << 1;
            right[row + 1] = (right[row] | queen) >> 1;
            row++;
            open[row] = all & ~(columns[row] | left[row] | right[row]);
        }
    }
    y[i] = found;
}

/* --- their launches; n words ----------------------------------------------------------------- */

static unsigned blocks_of(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static const dim3 tile(WIDE, HIGH);

static dim3 tiles_of(size_t n)
{
    return dim3(COLS / WIDE, (unsigned)(n / COLS / HIGH));
}

static void run_momentum(struct arrays *a, size_t n)
{
    momentum<<<blocks_of(n / 2), THREADS>>>(a->y, a->y + n / 2, a->x, a->x + n / 2, a->z, n / 2);
}

static void run_overlap(struct arrays *a, size_t n)
{
    overlap<<<blocks_of(n / 4), THREADS>>>((int *)a->y, (const float4 *)a->x, (const float4 *)a->z,
                                           n / 4);
}

static void run_conduct(struct arrays *a, size_t n)
{
    conduct<<<tiles_of(n), tile>>>(a->y, a->x, a->z, (int)(n / COLS));
}

static void run_smooth(struct arrays *a, size_t n)
{
    int layers = (int)(n / SIDE / SIDE);
    dim3 threads(32, 4, 2), blocks(SIDE / 32, SIDE / 4, (unsigned)(layers / 2));

    smooth<<<blocks, threads>>>(a->y, a->x, layers);
}

static void run_hue(struct arrays *a, size_t n)
{
    hue<<<blocks_of(n), THREADS>>>((uchar4 *)a->y, (const uchar4 *)a->x, n);
}

static void run_erode(struct arrays *a, size_t n)
{
    erode<<<tiles_of(4 * n), tile>>>((unsigned char *)a->y, (const unsigned char *)a->x,
                                     (int)(4 * n / COLS));
}

static void run_sample(struct arrays *a, size_t n)
{
    sample<<<blocks_of(n), THREADS>>>((uchar4 *)a->y, (const uchar4 *)a->x, (const uint32_t *)a->z,
                                      n);
}

static void run_inverses(struct arrays *a, size_t n)
{
    inverses<<<blocks_of(n / 9), THREADS>>>((struct matrix *)a->y, (const struct matrix *)a->x,
                                            n / 9);
}

static void run_paths(struct arrays *a, size_t n)
{
    paths<<<(unsigned)(n / NODES / NODES), dim3(NODES, NODES)>>>((int *)a->y,
                                                                 (const uint32_t *)a->x);
}

static void run_base64(struct arrays *a, size_t n)
{
    base64<<<blocks_of(n), THREADS>>>((char *)a->y, (const unsigned char *)a->x, n);
}

static void run_edits(struct arrays *a, size_t n)
{
    edits<<<blocks_of(4 * n / LENGTH), THREADS>>>((int *)a->y, (const unsigned char *)a->x,
                                                  (const unsigned char *)a->z, 4 * n / LENGTH);
}

static void run_sha256(struct arrays *a, size_t n)
{
    sha256<<<blocks_of(n / WORDS_IN), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x,
                                                 n / WORDS_IN);
}

static void run_gelu(struct arrays *a, size_t n)
{
    gelu<<<blocks_of(n), THREADS>>>((signed char *)a->y, a->x, a->z, n);
}

static void run_normal_pairs(struct arrays *a, size_t n)
{
    normal_pairs<<<blocks_of(n / 2), THREADS>>>((int2 *)a->y, (const float2 *)a->x, n / 2);
}

static void run_potential(struct arrays *a, size_t n)
{
    potential<<<blocks_of(n), THREADS>>>((int *)a->y, a->x, a->z, n);
}

static void run_integral(struct arrays *a, size_t n)
{
    integral<<<blocks_of(n), THREADS>>>((int *)a->y, a->x, a->z, n);
}

static void run_insert(struct arrays *a, size_t n)
{
    insert<<<blocks_of(n / 2), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x, n / 2, n);
}

static void run_boxes(struct arrays *a, size_t n)
{
    boxes<<<blocks_of(n / POINTS), THREADS>>>((unsigned *)a->y, (int *)a->y + 2 * OBJECTS,
                                              (const uint32_t *)a->x, (const uint32_t *)a->z, n);
}

static void run_decide(struct arrays *a, size_t n)
{
    decide<<<blocks_of(n / FEATURES), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x,
                                                 (const uint32_t *)a->z, n / FEATURES);
}

static void run_queens(struct arrays *a, size_t n)
{
    (void)n;
    queens<<<STARTS / STARTS_IN_BLOCK, STARTS_IN_BLOCK>>>((uint32_t *)a->y);
}

/* --- what the host makes of a part of the same ----------------------------------------------- */

static size_t every_word(size_t n)
{
    return n;
}

static size_t every_second_word(size_t n)
{
    return n / 2;
}

static size_t every_fourth_word(size_t n)
{
    return n / 4;
}

static size_t every_byte(size_t n)
{
    return 4 * n;
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

static bool right_momentum(const struct arrays *h, size_t n, size_t at)
{
    double speed = h->x[n / 2 + at] / 2.0 - h->z[at] / 4.0;

    return h->y[n / 2 + at] == speed && h->y[at] == h->x[at] + speed;
}

/* Of two stretches. */
static double shared_length(double a, double long_a, double b, double long_b)
{
    double all = fmax(a + long_a, b + long_b) - fmin(a, b);

    return fmax(long_a + long_b - all, 0);
}

static bool right_overlap(const struct arrays *h, size_t n, size_t at)
{
    const float *p = h->x + 4 * at, *q = h->z + 4 * at;
    double both = shared_length(p[0], p[2], q[0], q[2]) * shared_length(p[1], p[3], q[1], q[3]);

    (void)n;
    return ints_of(h->y)[at] == (both > SHARE * ((double)p[2] * p[3] + q[2] * q[3] - both));
}

static bool right_conduct(const struct arrays *h, size_t n, size_t at)
{
    const long around[] = {-1, 1, -COLS, COLS};
    size_t row = at / COLS, col = at % COLS;
    double sum = 128.0 * h->x[at];

    if (row == 0 || row == n / COLS - 1 || col == 0 || col == COLS - 1)
        return h->y[at] == h->x[at];
    for (int k = 0; k < 4; k++)
        sum +=
            ((double)h->z[at] + h->z[at + around[k]]) * ((double)h->x[at + around[k]] - h->x[at]);
    return h->y[at] == (float)(sum / 128);
}

/* By one direction after the other. */
static double smoothed(const float *x, long step)
{
    if (step == 0)
        return *x;
    return (smoothed(x - step, step / SIDE) + 2 * smoothed(x, step / SIDE) +
            smoothed(x + step, step / SIDE)) /
           4;
}

static bool right_smooth(const struct arrays *h, size_t n, size_t at)
{
    size_t i = at % SIDE, j = at / SIDE % SIDE, k = at / SIDE / SIDE;
    bool rim =
        i == 0 || i == SIDE - 1 || j == 0 || j == SIDE - 1 || k == 0 || k == n / SIDE / SIDE - 1;

    return h->y[at] == (rim ? h->x[at] : (float)smoothed(h->x + at, SIDE * SIDE));
}

static bool right_hue(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *p = bytes_of(h->x + at), *y = bytes_of(h->y + at);
    int most = 0, least = 255, angle = 0;

    (void)n;
    for (int k = 0; k < 3; k++) {
        most = p[k] > most ? p[k] : most;
        least = p[k] < least ? p[k] : least;
    }
    for (int k = 2; k >= 0 && most > least; k--) /* the first one that is the most counts */
        if (p[k] == most)
            angle = 120 * k + (int)trunc(60.0 * (p[(k + 1) % 3] - p[(k + 2) % 3]) / (most - least));
    return y[0] == (angle + 360) % 360 / 2 &&
           y[1] == (most == 0 ? 0 : (int)(255.0 * (most - least) / most)) && y[2] == most &&
           y[3] == p[3];
}

static int kept_within(int at, int end)
{
    return at < 0 ? 0 : at < end ? at : end - 1;
}

static bool right_erode(const struct arrays *h, size_t n, size_t at)
{
    int rows = (int)(4 * n / COLS), found = bytes_of(h->y)[at];
    bool there = false;

    for (int i = -RIM; i <= RIM; i++)
        for (int j = -RIM; j <= RIM; j++) {
            size_t row = kept_within((int)(at / COLS) + i, rows),
                   col = kept_within((int)(at % COLS) + j, COLS);
            int pixel = bytes_of(h->x)[row * COLS + col];

            if (pixel < found)
                return false;
            there |= pixel == found;
        }
    return there;
}

static bool right_sample(const struct arrays *h, size_t n, size_t at)
{
    double u = bits_of(h->z)[at] % 65536 / (double)STEP, right = u - floor(u);
    double v = bits_of(h->z)[at] / 65536 / (double)STEP, down = v - floor(v);

    (void)n;
    for (size_t k = 0; k < 4; k++) {
        double sum = 0;

        for (int corner = 0; corner < 4; corner++) {
            size_t row = ((size_t)v + corner / 2) % TEXTURE,
                   col = ((size_t)u + corner % 2) % TEXTURE;

            sum += bytes_of(h->x)[4 * (row * TEXTURE + col) + k] *
                   (corner % 2 ? right : 1 - right) * (corner / 2 ? down : 1 - down);
        }
        if (bytes_of(h->y)[4 * at + k] != (int)sum)
            return false;
    }
    return true;
}

static size_t every_matrix(size_t n)
{
    return n / 9;
}

/* The product with the inverse is 1; both times the determinant, which makes them integers. */
static bool right_inverses(const struct arrays *h, size_t n, size_t at)
{
    const float *a = h->x + 9 * at, *y = h->y + 9 * at;
    double d = a[0] * ((double)a[4] * a[8] - (double)a[5] * a[7]) -
               a[1] * ((double)a[3] * a[8] - (double)a[5] * a[6]) +
               a[2] * ((double)a[3] * a[7] - (double)a[4] * a[6]);

    (void)n;
    for (int k = 0; k < 9; k++) {
        double sum = 0;

        for (int j = 0; j < 3; j++)
            sum += a[k / 3 * 3 + j] * rint(y[3 * j + k % 3] * d);
        if (d == 0 ? y[k] != 0 : sum != (k % 4 == 0 ? d : 0) || y[k] != (float)(rint(y[k] * d) / d))
            return false;
    }
    return true;
}

static size_t every_graph(size_t n)
{
    return n / NODES / NODES;
}

/* Each node's paths by Dijkstra: the nearest node that is not done comes next. */
static bool right_paths(const struct arrays *h, size_t n, size_t graph)
{
    const uint32_t *edge = bits_of(h->x) + graph * NODES * NODES;
    const int *y = ints_of(h->y) + graph * NODES * NODES;

    (void)n;
    for (int from = 0; from < NODES; from++) {
        int length[NODES];
        bool done[NODES] = {false};

        for (int k = 0; k < NODES; k++)
            length[k] = k == from ? 0 : LONGEST;
        for (int round = 0; round < NODES; round++) {
            int next = -1;

            for (int k = 0; k < NODES; k++)
                if (!done[k] && (next < 0 || length[k] < length[next]))
                    next = k;
            done[next] = true;
            for (int k = 0; k < NODES; k++) {
                int along = length[next] + (int)(edge[next * NODES + k] % LONGEST);

                if (along < length[k])
                    length[k] = along;
            }
        }
        for (int k = 0; k < NODES; k++)
            if (y[from * NODES + k] != length[k])
                return false;
    }
    return true;
}

static int value_of(int letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

/* Back to what it was. */
static bool right_base64(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *x = bytes_of(h->x) + 3 * at, *y = bytes_of(h->y) + 4 * at;
    int bits = 0;

    (void)n;
    for (int k = 0; k < 4; k++) {
        if (value_of(y[k]) < 0)
            return false;
        bits = bits << 6 | value_of(y[k]);
    }
    return x[0] == bits >> 16 && x[1] == (bits >> 8 & 255) && x[2] == (bits & 255);
}

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

static bool right_edits(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *a = bytes_of(h->x) + at * LENGTH, *b = bytes_of(h->z) + at * LENGTH;
    int rest[LENGTH + 1][LENGTH + 1]; /* from these letters to the end */

    (void)n;
    for (int j = LENGTH; j >= 0; j--)
        for (int k = LENGTH; k >= 0; k--) {
            if (j == LENGTH || k == LENGTH)
                rest[j][k] = 2 * LENGTH - j - k;
            else if ((a[j] ^ b[k]) % 4 == 0)
                rest[j][k] = rest[j + 1][k + 1];
            else
                rest[j][k] =
                    1 + least_of(rest[j + 1][k + 1], least_of(rest[j + 1][k], rest[j][k + 1]));
        }
    return ints_of(h->y)[at] == rest[0][0];
}

static size_t every_message(size_t n)
{
    return n / WORDS_IN;
}

static bool is_prime(int number)
{
    for (int k = 2; k * k <= number; k++)
        if (number % k == 0)
            return false;
    return true;
}

static uint32_t fraction(double number)
{
    return (uint32_t)((number - floor(number)) * 4294967296.0);
}

/* Its words are the roots of the first primes: cubic ones, and square ones. */
static bool right_sha256(const struct arrays *h, size_t n, size_t at)
{
    static uint32_t cubic[ROUNDS], square[ROUNDS];
    const uint32_t *y = bits_of(h->y) + at * WORDS_OUT;
    uint32_t w[WORDS_IN], s[WORDS_OUT];

    (void)n;
    for (int number = 2, k = 0; cubic[ROUNDS - 1] == 0; number++)
        if (is_prime(number)) {
            square[k] = fraction(sqrt(number));
            cubic[k++] = fraction(cbrt(number));
        }
    for (int k = 0; k < WORDS_OUT; k++)
        s[k] = square[k];
    for (int k = 0; k < ROUNDS; k++) { /* s goes backwards by a word in each round */
        uint32_t *now = &w[k % 16], w15 = w[(k + 1) % 16], w2 = w[(k + 14) % 16];
        uint32_t a = s[(64 - k) % 8], b = s[(65 - k) % 8], c = s[(66 - k) % 8];
        uint32_t e = s[(68 - k) % 8], f = s[(69 - k) % 8], g = s[(70 - k) % 8];
        uint32_t *last = &s[(71 - k) % 8];

        if (k < WORDS_IN)
            *now = bits_of(h->x)[at * WORDS_IN + k];
        else
            *now += w[(k + 9) % 16] + (turned(w15, 7) ^ turned(w15, 18) ^ w15 >> 3) +
                    (turned(w2, 17) ^ turned(w2, 19) ^ w2 >> 10);
        *last +=
            (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (g ^ (e & (f ^ g))) + cubic[k] + *now;
        s[(67 - k) % 8] += *last;
        *last += (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) | (c & (a | b)));
    }
    for (int k = 0; k < WORDS_OUT; k++)
        if (y[k] != square[k] + s[k])
            return false;
    return true;
}

/* By the exponential function: 1 + tanh(u) is 2 / (1 + exp(-2 u)). */
static bool right_gelu(const struct arrays *h, size_t n, size_t at)
{
    double v = (h->x[at] + h->z[at] - 15) / 4.0;
    double u = sqrt(2 / acos(-1.0)) * (v + 0.044715 * pow(v, 3));

    (void)n;
    return ((const signed char *)h->y)[at] == (int)rint(16 * v / (1 + exp(-2 * u)));
}

static bool right_normal_pairs(const struct arrays *h, size_t n, size_t at)
{
    double length = 50 * sqrt(2 * log(17 / (h->x[2 * at] + 1.0)));
    double angle = acos(-1.0) * (2 * h->x[2 * at + 1] + 1) / 16;

    (void)n;
    return ints_of(h->y)[2 * at] == (int)rint(length * cos(angle)) &&
           ints_of(h->y)[2 * at + 1] == (int)rint(length * sin(angle));
}

static bool right_potential(const struct arrays *h, size_t n, size_t at)
{
    static const int all[CHARGES][4] = {
        {1, 2, 1, 1},   {3, 14, 2, -1}, {5, 6, 1, 2},    {7, 11, 3, 1},
        {9, 1, 2, -2},  {11, 8, 1, 1},  {13, 13, 2, 1},  {15, 4, 1, -1},
        {2, 9, 1, 1},   {4, 3, 3, -1},  {6, 15, 1, 1},   {8, 7, 2, -1},
        {10, 12, 1, 2}, {12, 5, 2, 1},  {14, 10, 1, -2}, {0, 0, 2, 1},
    };
    double sum = 0;

    (void)n;
    for (int k = 0; k < CHARGES; k++)
        sum += all[k][3] / sqrt(pow(h->x[at] - all[k][0], 2) + pow(h->z[at] - all[k][1], 2) +
                                all[k][2] * all[k][2]);
    return ints_of(h->y)[at] == (int)rint(100 * sum);
}

/* By the arc's tangent; the sum of the parts is so near to it that no other hundredth is. */
static bool right_integral(const struct arrays *h, size_t n, size_t at)
{
    double from = h->x[at] / 16.0, to = from + (h->z[at] + 1) / 16.0;

    (void)n;
    return ints_of(h->y)[at] == (int)(100 * (atan(to) - atan(from)) + 0.5);
}

/* Each key can be found: there is no free place before it. */
static bool right_insert(const struct arrays *h, size_t n, size_t at)
{
    uint32_t key = bits_of(h->x)[at] >> 1;
    size_t place = place_of(key, n);

    while (bits_of(h->y)[place] != key && bits_of(h->y)[place] != FREE)
        place = (place + 1) % n;
    return bits_of(h->y)[place] == key;
}

static size_t every_object(size_t n)
{
    (void)n;
    return OBJECTS;
}

static bool right_boxes(const struct arrays *h, size_t n, size_t object)
{
    uint32_t low[2] = {0xffff, 0xffff}, high[2] = {0, 0};

    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2 && bits_of(h->x)[i] % OBJECTS == object; k++) {
            uint32_t at = bits_of(h->z)[i] >> 16 * k & 0xffff;

            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
        }
    for (int k = 0; k < 2; k++)
        if (bits_of(h->y)[2 * object + k] != low[k] ||
            bits_of(h->y)[2 * (OBJECTS + object) + k] != high[k])
            return false;
    return true;
}

/* From the leaf back to the root: each node has sent the item this way. */
static bool right_decide(const struct arrays *h, size_t n, size_t at)
{
    uint32_t node = bits_of(h->y)[at];

    (void)n;
    if (node < (1u << LEVELS) - 1 || node >= (2u << LEVELS) - 1)
        return false;
    for (int level = LEVELS - 1; level >= 0; level--) {
        uint32_t above = (node - 1) / 2;
        bool less = bits_of(h->z)[at * FEATURES + level % FEATURES] < bits_of(h->x)[above];

        if (less != (node % 2 == 1))
            return false;
        node = above;
    }
    return true;
}

static size_t every_start(size_t n)
{
    (void)n;
    return STARTS;
}

/* Ways to place the others, where those of the rows before are. */
static uint32_t ways(int *queen, int row)
{
    uint32_t sum = 0;

    for (int k = 0; k + 1 < row; k++)
        if (queen[k] == queen[row - 1] || abs(queen[k] - queen[row - 1]) == row - 1 - k)
            return 0;
    if (row == BOARD)
        return 1;
    for (queen[row] = 0; queen[row] < BOARD; queen[row]++)
        sum += ways(queen, row + 1);
    return sum;
}

static bool right_queens(const struct arrays *h, size_t n, size_t start)
{
    int queen[BOARD] = {(int)(start % BOARD), (int)(start / BOARD % BOARD),
                        (int)(start / BOARD / BOARD)};
    bool meet = queen[0] == queen[1] || abs(queen[0] - queen[1]) == 1;

    (void)n;
    return bits_of(h->y)[start] == (meet ? 0 : ways(queen, GIVEN));
}

#define WORDS(power) ((size_t)1 << (power))

static const struct test tests[] = {
    {"momentum", run_momentum, LARGE, WORDS(20), SMALL, 0, false, false, every_second_word,
     right_momentum},
    {"overlap", run_overlap, LARGE, WORDS(20), SMALL, 0, false, false, every_fourth_word,
     right_overlap},
    {"conduct", run_conduct, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_conduct},
    {"smooth", run_smooth, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_smooth},
    {"inverses", run_inverses, LARGE, WORDS(20), SMALL, 0, false, false, every_matrix,
     right_inverses},
    {"gelu", run_gelu, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_gelu},
    {"normal-pairs", run_normal_pairs, LARGE, WORDS(20), SMALL, 0, false, false, every_second_word,
     right_normal_pairs},
    {"potential", run_potential, WORDS(24), WORDS(18), SMALL, 0, false, false, every_word,
     right_potential},
    {"integral", run_integral, WORDS(22), WORDS(16), SMALL, 0, false, false, every_word,
     right_integral},
    {"hue", run_hue, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_hue},
    {"erode", run_erode, WORDS(24), WORDS(18), BITS, 0, false, false, every_byte, right_erode},
    {"sample", run_sample, WORDS(24), WORDS(20), BITS, 0, false, false, every_word, right_sample},
    {"paths", run_paths, WORDS(24), WORDS(18), BITS, 0, false, false, every_graph, right_paths},
    {"base64", run_base64, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_base64},
    {"edits", run_edits, WORDS(23), WORDS(18), BITS, 0, false, false, every_fourth_word,
     right_edits},
    {"sha256", run_sha256, WORDS(23), WORDS(18), BITS, 0, false, false, every_message,
     right_sha256},
    {"insert", run_insert, WORDS(22), WORDS(20), BITS, 0, false, true, every_second_word,
     right_insert},
    {"boxes", run_boxes, WORDS(24), WORDS(20), BITS, 0, false, false, every_object, right_boxes},
    {"decide", run_decide, WORDS(23), WORDS(20), BITS, 0, false, false, every_fourth_word,
     right_decide},
    {"queens", run_queens, WORDS(11), WORDS(11), BITS, 0, false, false, every_start, right_queens},
};

int main(int argc, char **argv)
{
    return blind_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]), "fifth-nvcc.txt");
}
