/*
 * The fourth set: twenty kernels as students write them in courses, of kinds that neither the series nor the sets
 * before have. Their results are exact: integers, sums and products of small ones, or floats that are compared with a
 * threshold that no value comes near.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <cuda_runtime.h>

#include "blind.h"

#define THREADS 256
#define LARGE ((size_t)1 << 26) /* 256 MiB of words */
#define COLS 2048               /* of a matrix, or an image */
#define TILE 16
#define SQUARE (TILE * TILE)
#define WINDOW 9 /* a pixel and its neighbours */
#define ORDER 4  /* rows of a small matrix, and its columns */
#define LETTERS 7
#define ROUNDS 32
#define KEY 4
#define DELTA 0x9e3779b9u
#define LINE 64 /* bytes of a line of text */
#define POLYNOMIAL 0xedb88320u
#define NODES 65536
#define CLUSTERS 16
#define POINTS 16 /* of a thread */
#define LINKS 8
#define LINKED 1048576u
#define STEPS 5
#define RING 1024 /* cells */
#define GENERATIONS 512
#define RULE 110
#define COSINE 56756 /* of 30 degrees, in parts of 65536 */
#define SINE 32768
#define FRACTION 16            /* bits */
#define RADIANS 0.01745329252f /* a degree */
#define EARTH 6371.0f
#define FAR 600.0f /* kilometres */
#define BRIGHT 0.85f
#define NEAR 0.3 /* of an orbit's half axis */

__constant__ unsigned char letters[LETTERS] = {2, 0, 3, 3, 0, 1, 0};
__constant__ uint32_t key[KEY] = {0x01234567, 0x89abcdef, 0xfedcba98, 0x76543210};

/* --- the kernels ----------------------------------------------------------------------------- */

/* The products of complex numbers. */
__global__ void complex_product(float2 *y, const float2 *a, const float2 *b, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = make_float2(a[i].x * b[i].x - a[i].y * b[i].y, a[i].x * b[i].y + a[i].y * b[i].x);
}

static __host__ __device__ unsigned char blended(unsigned over, unsigned under, unsigned alpha)
{
    return (unsigned char)((over * alpha + under * (255 - alpha)) / 255);
}

/* An image of four bytes per pixel laid over another one. */
__global__ void blend(uchar4 *y, const uchar4 *over, const uchar4 *under, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        uchar4 p = over[i], q = under[i];

        y[i] = make_uchar4(blended(p.x, q.x, p.w), blended(p.y, q.y, p.w), blended(p.z, q.z, p.w),
                           255);
    }
}

/* The edges of an image of bytes, by a tile with its rim: the length of the two differences. */
__global__ void sobel(unsigned char *y, const unsigned char *x, int rows)
{
    __shared__ unsigned char s[TILE + 2][TILE + 2];
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    int i = threadIdx.y, j = threadIdx.x;

    for (int k = i * TILE + j; k < (TILE + 2) * (TILE + 2); k += SQUARE) {
        int r = min(max((int)(blockIdx.y * TILE) + k / (TILE + 2) - 1, 0), rows - 1);
        int c = min(max((int)(blockIdx.x * TILE) + k % (TILE + 2) - 1, 0), COLS - 1);

        s[k / (TILE + 2)][k % (TILE + 2)] = x[(size_t)r * COLS + c];
    }
    __syncthreads();

    int across = s[i][j + 2] + 2 * s[i + 1][j + 2] + s[i + 2][j + 2] - s[i][j] - 2 * s[i + 1][j] -
                 s[i + 2][j];
    int down = s[i + 2][j] + 2 * s[i + 2][j + 1] + s[i + 2][j + 2] - s[i][j] - 2 * s[i][j + 1] -
               s[i][j + 2];

    y[(size_t)row * COLS + col] =
        (unsigned char)fminf(sqrtf((float)(across * across + down * down)), 255);
}

/* Spots removed from an image of bytes: the median of each pixel and its neighbours, which are sorted. */
__global__ void median(unsigned char *y, const unsigned char *x, int rows)
{
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    unsigned char v[WINDOW];

    for (int k = 0; k < WINDOW; k++) {
        int r = min(max(row + k / 3 - 1, 0), rows - 1), c = min(max(col + k % 3 - 1, 0), COLS - 1);

        v[k] = x[(size_t)r * COLS + c];
    }
    for (int i = 0; i <= WINDOW / 2; i++)
        for (int k = i + 1; k < WINDOW; k++)
            if (v[k] < v[i]) {
                unsigned char other = v[i];

                v[i] = v[k];
                v[k] = other;
            }
    y[(size_t)row * COLS + col] = v[WINDOW / 2];
}

/* A step of a wave on a plane, by four neighbours in each direction; z is the step before. */
__global__ void wave(float *y, const float *x, const float *z, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t at = (size_t)row * COLS + col;

    if (col < 2 || col >= COLS - 2 || row < 2 || row >= rows - 2) {
        y[at] = 0;
        return;
    }
    float near = x[at - 1] + x[at + 1] + x[at - COLS] + x[at + COLS];
    float far = x[at - 2] + x[at + 2] + x[at - 2 * COLS] + x[at + 2 * COLS];

    y[at] = 2 * x[at] - z[at] + 0.0625f * (16 * near - far - 60 * x[at]);
}

/* An image turned by 30 degrees around its centre: each pixel is the nearest one of the other. */
__global__ void rotate(float *y, const float *x, int rows)
{
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    int right = col - COLS / 2, down = row - rows / 2;
    int c = ((right * COSINE + down * SINE) >> FRACTION) + COLS / 2;
    int r = ((down * COSINE - right * SINE) >> FRACTION) + rows / 2;
    bool inside = c >= 0 && c < COLS && r >= 0 && r < rows;

    y[(size_t)row * COLS + col] = inside ? x[(size_t)r * COLS + c] : 0;
}

/* The determinants of matrices of 4 x 4, a thread for each. */
__global__ void determinants(float *y, const float *x, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float m[ORDER][ORDER], sum = 0;

    if (i >= count)
        return;
    for (int k = 0; k < ORDER * ORDER; k++)
        m[k / ORDER][k % ORDER] = x[i * ORDER * ORDER + k];
    sum += (m[0][0] * m[1][1] - m[0][1] * m[1][0]) * (m[2][2] * m[3][3] - m[2][3] * m[3][2]);
    sum -= (m[0][0] * m[1][2] - m[0][2] * m[1][0]) * (m[2][1] * m[3][3] - m[2][3] * m[3][1]);
    sum += (m[0][0] * m[1][3] - m[0][3] * m[1][0]) * (m[2][1] * m[3][2] - m[2][2] * m[3][1]);
    sum += (m[0][1] * m[1][2] - m[0][2] * m[1][1]) * (m[2][0] * m[3][3] - m[2][3] * m[3][0]);
    sum -= (m[0][1] * m[1][3] - m[0][3] * m[1][1]) * (m[2][0] * m[3][2] - m[2][2] * m[3][0]);
    sum += (m[0][2] * m[1][3] - m[0][3] * m[1][2]) * (m[2][0] * m[3][1] - m[2][1] * m[3][0]);
    y[i] = sum;
}

/* The products of many pairs of matrices of 16 x 16, a block for each. */
__global__ void batch_products(float *y, const float *a, const float *b)
{
    __shared__ float sa[TILE][TILE], sb[TILE][TILE];
    int row = threadIdx.y, col = threadIdx.x;
    size_t at = blockIdx.x * (size_t)SQUARE + row * TILE + col;
    float sum = 0;

    sa[row][col] = a[at];
    sb[row][col] = b[at];
    __syncthreads();
    for (int k = 0; k < TILE; k++)
        sum += sa[row][k] * sb[k][col];
    y[at] = sum;
}

/* How often a word stands in a text of four letters: a thread begins at each letter. */
__global__ void find(unsigned *y, const unsigned char *text, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i + LETTERS > n)
        return;
    for (int k = 0; k < LETTERS; k++)
        if (text[i + k] % 4 != letters[k])
            return;
    atomicAdd(y, 1);
}

/* Pairs of words encrypted by XTEA. */
__global__ void xtea(uint2 *y, const uint2 *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    uint2 v;

    if (i >= n)
        return;
    v = x[i];
    for (int k = 0; k < ROUNDS; k++) {
        v.x += (((v.y << 4) ^ (v.y >> 5)) + v.y) ^ (sum + key[sum % KEY]);
        sum += DELTA;
        v.y += (((v.x << 4) ^ (v.x >> 5)) + v.x) ^ (sum + key[(sum >> 11) % KEY]);
    }
    y[i] = v;
}

/* The check sum CRC-32 of each line of text, a thread for each, with a table in shared memory. */
__global__ void crc(uint32_t *y, const unsigned char *text, size_t lines)
{
    __shared__ uint32_t table[THREADS];
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t entry = threadIdx.x, sum = 0xffffffff;

    for (int k = 0; k < 8; k++)
        entry = entry & 1 ? entry >> 1 ^ POLYNOMIAL : entry >> 1;
    table[threadIdx.x] = entry;
    __syncthreads();
    if (i >= lines)
        return;
    for (int k = 0; k < LINE; k++)
        sum = table[(sum ^ text[i * LINE + k]) & 255] ^ sum >> 8;
    y[i] = ~sum;
}

/* Which places are near one place of the Earth, by haversines. */
__global__ void haversine(int *y, const float *latitude, const float *longitude, float lat,
                          float lon, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float up = sinf((latitude[i] - lat) * RADIANS / 2),
              along = sinf((longitude[i] - lon) * RADIANS / 2);
        float h = up * up + cosf(latitude[i] * RADIANS) * cosf(lat * RADIANS) * along * along;

        y[i] = 2 * EARTH * asinf(sqrtf(h)) < FAR;
    }
}

static __device__ unsigned char curved(float value, float power)
{
    return (unsigned char)(255 * powf(value / 15, power) + 0.5f);
}

/* Pixels of four floats to four bytes, with a screen's gamma. */
__global__ void brighten(uchar4 *y, const float4 *x, float power, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float4 p = x[i];

        y[i] = make_uchar4(curved(p.x, power), curved(p.y, power), curved(p.z, power),
                           (unsigned char)p.w);
    }
}

struct normal {
    float x, y, z;
};

/* Which surfaces are lit: the normal, made as long as 1, by the light's direction. */
__global__ void shade(int *y, const struct normal *x, struct normal light, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < count) {
        struct normal v = x[i];
        float scale = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z);

        v.x *= scale;
        v.y *= scale;
        v.z *= scale;
        y[i] = v.x * light.x + v.y * light.y + v.z * light.z > BRIGHT;
    }
}

static __host__ __device__ uint32_t divisor_of(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The greatest common divisors of pairs, by Euclid. */
__global__ void gcd(uint32_t *y, const uint32_t *x, const uint32_t *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = divisor_of(x[i], z[i]);
}

/* How many edges of a graph each node has. */
__global__ void degrees(unsigned *y, const uint32_t *from, const uint32_t *to, size_t edges)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < edges) {
        atomicAdd(&y[from[i] % NODES], 1);
        atomicAdd(&y[to[i] % NODES], 1);
    }
}

/* The sum and the number of the points of each cluster: in shared memory first. */
__global__ void cluster_sums(unsigned *y, const uint32_t *x, const uint32_t *label, size_t n)
{
    __shared__ unsigned sums[CLUSTERS], counts[CLUSTERS];
    size_t first = blockIdx.x * (size_t)THREADS * POINTS + threadIdx.x;

    if (threadIdx.x < CLUSTERS) {
        sums[threadIdx.x] = 0;
        counts[threadIdx.x] = 0;
    }
    __syncthreads();
    for (size_t i = first; i < first + THREADS * POINTS && i < n; i += THREADS) {
        atomicAdd(&sums[label[i] % CLUSTERS], x[i] % 1000);
        atomicAdd(&counts[label[i] % CLUSTERS], 1);
    }
    __syncthreads();
    if (threadIdx.x < CLUSTERS) {
        atomicAdd(&y[threadIdx.x], sums[threadIdx.x]);
        atomicAdd(&y[CLUSTERS + threadIdx.x], counts[threadIdx.x]);
    }
}

static __host__ __device__ uint32_t followed(const uint32_t *next, uint32_t at)
{
    for (int k = 0; k < LINKS; k++)
        at = next[at] % LINKED;
    return at;
}

/* Where some links lead, from each entry of a list. */
__global__ void follow(uint32_t *y, const uint32_t *next, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = followed(next, (uint32_t)i);
}

/* Which planets are on the near side: Kepler's equation in double precision, by Newton. */
__global__ void kepler(int *y, const float *time, const float *shape, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        double mean = time[i] * 0.4, e = shape[i] / 32.0, angle = mean;

        for (int k = 0; k < STEPS; k++)
            angle -= (angle - e * sin(angle) - mean) / (1 - e * cos(angle));
        y[i] = cos(angle) - e > NEAR;
    }
}

/* Generations of a ring of cells, which a block keeps in shared memory: a cell and its two neighbours choose. */
__global__ void automaton(int *y, const uint32_t *x)
{
    __shared__ int s[2][RING];
    size_t i = blockIdx.x * (size_t)RING + threadIdx.x;
    int left = (threadIdx.x + RING - 1) % RING, right = (threadIdx.x + 1) % RING;

    s[0][threadIdx.x] = x[i] % 2;
    __syncthreads();
    for (int k = 0; k < GENERATIONS; k++) {
        const int *cell = s[k % 2];

        s[(k + 1) % 2][threadIdx.x] =
            RULE >> (4 * cell[left] + 2 * cell[threadIdx.x] + cell[right]) & 1;
        __syncthreads();
    }
    y[i] = s[GENERATIONS % 2][threadIdx.x];
}

/* --- their launches; n words ----------------------------------------------------------------- */

static const float place[] = {7.5f, 7.5f};
static const float power = 1 / 2.2f;
static const struct normal light = {2 / 7.0f, 3 / 7.0f, 6 / 7.0f};

static unsigned blocks_of(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static dim3 tiles_of(size_t n)
{
    return dim3(COLS / TILE, (unsigned)(n / COLS / TILE));
}

static const dim3 tile(TILE, TILE);

static void run_complex_product(struct arrays *a, size_t n)
{
    complex_product<<<blocks_of(n / 2), THREADS>>>((float2 *)a->y, (const float2 *)a->x,
                                                   (const float2 *)a->z, n / 2);
}

static void run_blend(struct arrays *a, size_t n)
{
    blend<<<blocks_of(n), THREADS>>>((uchar4 *)a->y, (const uchar4 *)a->x, (const uchar4 *)a->z, n);
}

static void run_sobel(struct arrays *a, size_t n)
{
    sobel<<<tiles_of(4 * n), tile>>>((unsigned char *)a->y, (const unsigned char *)a->x,
                                     (int)(4 * n / COLS));
}

static void run_median(struct arrays *a, size_t n)
{
    median<<<tiles_of(4 * n), tile>>>((unsigned char *)a->y, (const unsigned char *)a->x,
                                      (int)(4 * n / COLS));
}

static void run_wave(struct arrays *a, size_t n)
{
    dim3 threads(32, 8), blocks(COLS / 32, (unsigned)(n / COLS / 8));

    wave<<<blocks, threads>>>(a->y, a->x, a->z, (int)(n / COLS));
}

static void run_rotate(struct arrays *a, size_t n)
{
    rotate<<<tiles_of(n), tile>>>(a->y, a->x, (int)(n / COLS));
}

static void run_determinants(struct arrays *a, size_t n)
{
    determinants<<<blocks_of(n / (ORDER * ORDER)), THREADS>>>(a->y, a->x, n / (ORDER * ORDER));
}

static void run_batch_products(struct arrays *a, size_t n)
{
    batch_products<<<(unsigned)(n / SQUARE), tile>>>(a->y, a->x, a->z);
}

static void run_find(struct arrays *a, size_t n)
{
    find<<<blocks_of(4 * n), THREADS>>>((unsigned *)a->y, (const unsigned char *)a->x, 4 * n);
}

static void run_xtea(struct arrays *a, size_t n)
{
    xtea<<<blocks_of(n / 2), THREADS>>>((uint2 *)a->y, (const uint2 *)a->x, n / 2);
}

static void run_crc(struct arrays *a, size_t n)
{
    crc<<<blocks_of(4 * n / LINE), THREADS>>>((uint32_t *)a->y, (const unsigned char *)a->x,
                                              4 * n / LINE);
}

static void run_haversine(struct arrays *a, size_t n)
{
    haversine<<<blocks_of(n), THREADS>>>((int *)a->y, a->x, a->z, place[0], place[1], n);
}

static void run_brighten(struct arrays *a, size_t n)
{
    brighten<<<blocks_of(n / 4), THREADS>>>((uchar4 *)a->y, (const float4 *)a->x, power, n / 4);
}

static void run_shade(struct arrays *a, size_t n)
{
    shade<<<blocks_of(n / 3), THREADS>>>((int *)a->y, (const struct normal *)a->x, light, n / 3);
}

static void run_gcd(struct arrays *a, size_t n)
{
    gcd<<<blocks_of(n), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x, (const uint32_t *)a->z,
                                   n);
}

static void run_degrees(struct arrays *a, size_t n)
{
    degrees<<<blocks_of(n), THREADS>>>((unsigned *)a->y, (const uint32_t *)a->x,
                                       (const uint32_t *)a->z, n);
}

static void run_cluster_sums(struct arrays *a, size_t n)
{
    cluster_sums<<<blocks_of(n / POINTS), THREADS>>>((unsigned *)a->y, (const uint32_t *)a->x,
                                                     (const uint32_t *)a->z, n);
}

static void run_follow(struct arrays *a, size_t n)
{
    follow<<<blocks_of(n), THREADS>>>((uint32_t *)a->y, (const uint32_t *)a->x, n);
}

static void run_kepler(struct arrays *a, size_t n)
{
    kepler<<<blocks_of(n), THREADS>>>((int *)a->y, a->x, a->z, n);
}

static void run_automaton(struct arrays *a, size_t n)
{
    automaton<<<(unsigned)(n / RING), RING>>>((int *)a->y, (const uint32_t *)a->x);
}

/* --- what the host makes of a part of the same ----------------------------------------------- */

static size_t every_word(size_t n)
{
    return n;
}

static size_t one(size_t n)
{
    (void)n;
    return 1;
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

static const int *flags_of(const float *words)
{
    return (const int *)words;
}

static bool right_complex_product(const struct arrays *h, size_t n, size_t at)
{
    const float *a = h->x + at / 2 * 2, *b = h->z + at / 2 * 2;

    (void)n;
    return h->y[at] == (at % 2 ? a[0] * b[1] + a[1] * b[0] : a[0] * b[0] - a[1] * b[1]);
}

static bool right_blend(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *over = bytes_of(h->x + at), *under = bytes_of(h->z + at),
                        *y = bytes_of(h->y + at);

    (void)n;
    for (int k = 0; k < 3; k++)
        if (y[k] != (255 * under[k] + over[3] * (over[k] - under[k])) / 255)
            return false;
    return y[3] == 255;
}

static int kept_within(int at, int end)
{
    return at < 0 ? 0 : at < end ? at : end - 1;
}

static bool right_sobel(const struct arrays *h, size_t n, size_t at)
{
    static const int weight[] = {1, 2, 1};
    int rows = (int)(4 * n / COLS), across = 0, down = 0, length;

    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            size_t row = kept_within((int)(at / COLS) + i, rows),
                   col = kept_within((int)(at % COLS) + j, COLS);
            int pixel = bytes_of(h->x)[row * COLS + col];

            across += j * weight[i + 1] * pixel;
            down += i * weight[j + 1] * pixel;
        }
    length = (int)sqrt((double)(across * across + down * down));
    return bytes_of(h->y)[at] == (length < 255 ? length : 255);
}

/* At most half are smaller, and at most half are larger. */
static bool right_median(const struct arrays *h, size_t n, size_t at)
{
    int rows = (int)(4 * n / COLS), found = bytes_of(h->y)[at], smaller = 0, larger = 0;

    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            size_t row = kept_within((int)(at / COLS) + i, rows),
                   col = kept_within((int)(at % COLS) + j, COLS);
            int pixel = bytes_of(h->x)[row * COLS + col];

            smaller += pixel < found;
            larger += pixel > found;
        }
    return smaller <= WINDOW / 2 && larger <= WINDOW / 2;
}

static bool right_wave(const struct arrays *h, size_t n, size_t at)
{
    static const double weight[] = {-60, 16, -1};
    size_t row = at / COLS, col = at % COLS;
    double sum = 2 * weight[0] * h->x[at];

    if (row < 2 || row >= n / COLS - 2 || col < 2 || col >= COLS - 2)
        return h->y[at] == 0;
    for (size_t d = 1; d <= 2; d++)
        sum += weight[d] *
               ((double)h->x[at - d] + h->x[at + d] + h->x[at - d * COLS] + h->x[at + d * COLS]);
    sum -= weight[0] * h->x[at]; /* of the two directions each has half */
    return h->y[at] == (float)(2.0 * h->x[at] - h->z[at] + sum / 16);
}

static bool right_rotate(const struct arrays *h, size_t n, size_t at)
{
    long rows = (long)(n / COLS), right = (long)(at % COLS) - COLS / 2,
         down = (long)(at / COLS) - rows / 2;
    long col = (long)floor((right * COSINE + down * SINE) / 65536.0) + COLS / 2;
    long row = (long)floor((down * COSINE - right * SINE) / 65536.0) + rows / 2;

    if (row < 0 || row >= rows || col < 0 || col >= COLS)
        return h->y[at] == 0;
    return h->y[at] == h->x[row * COLS + col];
}

static size_t every_matrix(size_t n)
{
    return n / (ORDER * ORDER);
}

/* Of the rows from one on, and the columns that are not taken. */
static double determinant(const float *m, int row, unsigned taken)
{
    double sum = 0, sign = 1;

    for (int col = 0; col < ORDER; col++) {
        if (taken >> col & 1)
            continue;
        sum += sign * m[row * ORDER + col] *
               (row == ORDER - 1 ? 1 : determinant(m, row + 1, taken | 1u << col));
        sign = -sign;
    }
    return sum;
}

static bool right_determinants(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return h->y[at] == (float)determinant(h->x + at * ORDER * ORDER, 0, 0);
}

static bool right_batch_products(const struct arrays *h, size_t n, size_t at)
{
    size_t first = at / SQUARE * SQUARE, row = at % SQUARE / TILE, col = at % TILE;
    double sum = 0;

    (void)n;
    for (size_t k = 0; k < TILE; k++)
        sum += (double)h->x[first + row * TILE + k] * h->z[first + k * TILE + col];
    return h->y[at] == (float)sum;
}

static bool right_find(const struct arrays *h, size_t n, size_t part)
{
    static const unsigned char word[LETTERS] = {2, 0, 3, 3, 0, 1, 0};
    uint32_t found = 0xffffffff; /* the word is poisoned before */

    for (size_t i = 0; i + LETTERS <= 4 * n; i++) {
        size_t k = 0;

        while (k < LETTERS && bytes_of(h->x)[i + k] % 4 == word[k])
            k++;
        found += k == LETTERS;
    }
    return bits_of(h->y)[part] == found;
}

static size_t every_pair(size_t n)
{
    return n / 2;
}

/* Back to what it was. */
static bool right_xtea(const struct arrays *h, size_t n, size_t at)
{
    static const uint32_t words[KEY] = {0x01234567, 0x89abcdef, 0xfedcba98, 0x76543210};
    uint32_t a = bits_of(h->y)[2 * at], b = bits_of(h->y)[2 * at + 1], sum = DELTA * ROUNDS;

    (void)n;
    for (int k = 0; k < ROUNDS; k++) {
        b -= (((a << 4) ^ (a >> 5)) + a) ^ (sum + words[(sum >> 11) % KEY]);
        sum -= DELTA;
        a -= (((b << 4) ^ (b >> 5)) + b) ^ (sum + words[sum % KEY]);
    }
    return a == bits_of(h->x)[2 * at] && b == bits_of(h->x)[2 * at + 1];
}

static size_t every_line(size_t n)
{
    return 4 * n / LINE;
}

static bool right_crc(const struct arrays *h, size_t n, size_t line)
{
    uint32_t sum = 0xffffffff;

    (void)n;
    for (int bit = 0; bit < 8 * LINE; bit++) {
        uint32_t out = (sum ^ bytes_of(h->x)[line * LINE + bit / 8] >> bit % 8) & 1;

        sum = sum >> 1 ^ out * POLYNOMIAL;
    }
    return bits_of(h->y)[line] == ~sum;
}

static bool right_haversine(const struct arrays *h, size_t n, size_t at)
{
    double degree = acos(-1.0) / 180, up = sin((h->x[at] - place[0]) * degree / 2);
    double along = sin((h->z[at] - place[1]) * degree / 2);
    double part = up * up + cos(h->x[at] * degree) * cos(place[0] * degree) * along * along;

    (void)n;
    return flags_of(h->y)[at] == (2 * EARTH * asin(sqrt(part)) < FAR);
}

static size_t every_pixel(size_t n)
{
    return n / 4;
}

static bool right_brighten(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *y = bytes_of(h->y + at);

    (void)n;
    for (size_t k = 0; k < 3; k++)
        if (y[k] != (int)(255 * pow(h->x[4 * at + k] / 15.0, 1 / 2.2) + 0.5))
            return false;
    return y[3] == (int)h->x[4 * at + 3];
}

static size_t every_normal(size_t n)
{
    return n / 3;
}

static bool right_shade(const struct arrays *h, size_t n, size_t at)
{
    const float *v = h->x + 3 * at;
    double square = (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];

    (void)n;
    return flags_of(h->y)[at] == (2.0 * v[0] + 3.0 * v[1] + 6.0 * v[2] > 7 * BRIGHT * sqrt(square));
}

static bool right_gcd(const struct arrays *h, size_t n, size_t at)
{
    uint32_t a = bits_of(h->x)[at], b = bits_of(h->z)[at], y = bits_of(h->y)[at];

    (void)n;
    return y == 0 ? a == 0 && b == 0 : a % y == 0 && b % y == 0 && divisor_of(a / y, b / y) == 1;
}

static bool right_degrees(const struct arrays *h, size_t n, size_t part)
{
    uint32_t *count = (uint32_t *)malloc(NODES * sizeof(*count));
    bool right = count;

    for (size_t k = part; count && k < NODES; k++)
        count[k] = 0xffffffff; /* the words are poisoned before */
    for (size_t i = 0; count && i < n; i++) {
        count[bits_of(h->x)[i] % NODES]++;
        count[bits_of(h->z)[i] % NODES]++;
    }
    for (size_t k = 0; right && k < NODES; k++)
        right = bits_of(h->y)[k] == count[k];
    free(count);
    return right;
}

static size_t every_cluster(size_t n)
{
    (void)n;
    return CLUSTERS;
}

static bool right_cluster_sums(const struct arrays *h, size_t n, size_t cluster)
{
    uint32_t sum = 0xffffffff, count = 0xffffffff; /* the words are poisoned before */

    for (size_t i = 0; i < n; i++)
        if (bits_of(h->z)[i] % CLUSTERS == cluster) {
            sum += bits_of(h->x)[i] % 1000;
            count++;
        }
    return bits_of(h->y)[cluster] == sum && bits_of(h->y)[CLUSTERS + cluster] == count;
}

static bool right_follow(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return bits_of(h->y)[at] == followed(bits_of(h->x), (uint32_t)at);
}

/* By halves: the equation's left side grows with the angle. */
static bool right_kepler(const struct arrays *h, size_t n, size_t at)
{
    double mean = h->x[at] * 0.4, e = h->z[at] / 32.0, low = mean - 1, high = mean + 1;

    (void)n;
    for (int k = 0; k < 50; k++) {
        double middle = (low + high) / 2;

        *(middle - e * sin(middle) < mean ? &low : &high) = middle;
    }
    return flags_of(h->y)[at] == (cos(low) - e > NEAR);
}

static size_t every_ring(size_t n)
{
    return n / RING;
}

static bool right_automaton(const struct arrays *h, size_t n, size_t ring)
{
    bool now[RING], next[RING];

    (void)n;
    for (size_t i = 0; i < RING; i++)
        now[i] = bits_of(h->x)[ring * RING + i] % 2;
    for (int k = 0; k < GENERATIONS; k++) {
        for (size_t i = 0; i < RING; i++) { /* what rule 110 says */
            bool left = now[(i + RING - 1) % RING], right = now[(i + 1) % RING];

            next[i] = now[i] ? !(left && right) : right;
        }
        for (size_t i = 0; i < RING; i++)
            now[i] = next[i];
    }
    for (size_t i = 0; i < RING; i++)
        if (flags_of(h->y)[ring * RING + i] != now[i])
            return false;
    return true;
}

#define WORDS(power) ((size_t)1 << (power))

static const struct test tests[] = {
    {"complex-product", run_complex_product, LARGE, WORDS(20), SMALL, 0, false, false, every_word,
     right_complex_product},
    {"wave", run_wave, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_wave},
    {"rotate", run_rotate, WORDS(23), WORDS(23), SMALL, 0, false, false, every_word, right_rotate},
    {"determinants", run_determinants, LARGE, WORDS(20), SMALL, 0, false, false, every_matrix,
     right_determinants},
    {"batch-products", run_batch_products, LARGE, WORDS(20), SMALL, 0, false, false, every_word,
     right_batch_products},
    {"haversine", run_haversine, LARGE, WORDS(18), SMALL, 0, false, false, every_word,
     right_haversine},
    {"gamma", run_brighten, LARGE, WORDS(20), SMALL, 0, false, false, every_pixel, right_brighten},
    {"shade", run_shade, LARGE, WORDS(20), SMALL, 0, false, false, every_normal, right_shade},
    {"kepler", run_kepler, WORDS(22), WORDS(16), SMALL, 0, false, false, every_word, right_kepler},
    {"blend", run_blend, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_blend},
    {"sobel", run_sobel, WORDS(24), WORDS(18), BITS, 0, false, false, every_byte, right_sobel},
    {"median", run_median, WORDS(24), WORDS(18), BITS, 0, false, false, every_byte, right_median},
    {"find", run_find, WORDS(24), WORDS(18), BITS, 0, false, false, one, right_find},
    {"xtea", run_xtea, WORDS(24), WORDS(18), BITS, 0, false, false, every_pair, right_xtea},
    {"crc", run_crc, WORDS(24), WORDS(20), BITS, 0, false, false, every_line, right_crc},
    {"gcd", run_gcd, WORDS(22), WORDS(18), BITS, 0, false, false, every_word, right_gcd},
    {"degrees", run_degrees, WORDS(22), WORDS(20), BITS, 0, false, false, one, right_degrees},
    {"cluster-sums", run_cluster_sums, WORDS(24), WORDS(20), BITS, 0, false, false, every_cluster,
     right_cluster_sums},
    {"follow", run_follow, WORDS(20), WORDS(20), BITS, 0, false, false, every_word, right_follow},
    {"automaton", run_automaton, WORDS(14), WORDS(14), BITS, 0, false, false, every_ring,
     right_automaton},
};

int main(int argc, char **argv)
{
    return blind_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]), "fourth-nvcc.txt");
}
