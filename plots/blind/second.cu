/*
 * The second set: kernels of kinds that neither the series nor the first set has. Their results are exact, in
 * whatever order and with whatever multiply-adds the compiler makes: inputs are small integers, and
 * where a result must be rounded the multiply-add is written.
 */
#include <math.h>
#include <stdint.h>

#include <cuda_runtime.h>

#include "blind.h"

#define THREADS 256
#define LANES 32
#define LARGE ((size_t)1 << 26) /* 256 MiB of words */
#define SIDE 256                /* rows and columns of a volume's layer */
#define COLS 4096               /* of a matrix, or an image */
#define ROWS 8192               /* that are filtered */
#define ROUNDS 64
#define RADIUS 8
#define CENTRES 16
#define APART 8
#define SCALE 10.5f
#define SOFT 1.0f /* added to the square of a distance */

/* --- the kernels ----------------------------------------------------------------------------- */

/* Seven points of three dimensions. */
__global__ void stencil_volume(float *y, const float *x, int layers)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z;
    size_t at = ((size_t)k * SIDE + j) * SIDE + i;

    if (i > 0 && i < SIDE - 1 && j > 0 && j < SIDE - 1 && k > 0 && k < layers - 1)
        y[at] = x[at - 1] + x[at + 1] + x[at - SIDE] + x[at + SIDE] + x[at - SIDE * SIDE] +
                x[at + SIDE * SIDE] - 6 * x[at];
}

/* A warp for each row of a matrix. */
__global__ void matrix_vector(float *y, const float *a, const float *v, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0;

    if (row >= rows)
        return;
    for (int col = lane; col < COLS; col += LANES)
        sum += a[(size_t)row * COLS + col] * v[col];
    for (int d = LANES / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum;
}

static __device__ float dot(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/* Each vector by a 4 x 4 matrix of its own. */
__global__ void small_products(float4 *y, const float4 *m, const float4 *v, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < count) {
        float4 at = v[i];

        y[i] = make_float4(dot(m[4 * i], at), dot(m[4 * i + 1], at), dot(m[4 * i + 2], at),
                           dot(m[4 * i + 3], at));
    }
}

/* Three bytes of a pixel to one. */
__global__ void grey(unsigned char *y, const unsigned char *rgb, size_t pixels)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < pixels)
        y[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

/* In how many of so many rounds a point has not left the circle. */
static __host__ __device__ int rounds_inside(float cx, float cy)
{
    float x = 0, y = 0;
    int inside = 0;

    for (int k = 0; k < ROUNDS; k++) {
        float next = fmaf(x, x, fmaf(-y, y, cx));

        y = fmaf(2 * x, y, cy);
        x = next;
        inside += fmaf(x, x, y * y) < 4;
    }
    return inside;
}

__global__ void mandelbrot(int *y, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = rounds_inside((int)(i % COLS) / 2048.0f - 1.5f, (int)(i / COLS) / 8192.0f - 1.0f);
}

__global__ void bit_reversal(float *y, const float *x, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    y[__brev(i) >> (32 - bits)] = x[i];
}

/* A step of Haar's wavelet: means of pairs, then half their differences. */
__global__ void haar(float *y, const float2 *x, size_t pairs)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < pairs) {
        float2 pair = x[i];

        y[i] = (pair.x + pair.y) * 0.5f;
        y[pairs + i] = (pair.x - pair.y) * 0.5f;
    }
}

/* Inclusive sums within each warp. */
__global__ void warp_prefix(float *y, const float *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int lane = threadIdx.x % LANES;
    float sum = i < n ? x[i] : 0;

    for (int d = 1; d < LANES; d *= 2) {
        float before = __shfl_up_sync(0xffffffff, sum, d);

        if (lane >= d)
            sum += before;
    }
    if (i < n)
        y[i] = sum;
}

static __host__ __device__ void attract(float4 *sum, float4 me, float4 other)
{
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float square = dx * dx + dy * dy + dz * dz + SOFT;
    float pull = other.w / (square * sqrtf(square));

    sum->x = fmaf(dx, pull, sum->x);
    sum->y = fmaf(dy, pull, sum->y);
    sum->z = fmaf(dz, pull, sum->z);
}

/* What all bodies do to each; a tile of them at once in shared memory. w is the mass. */
__global__ void bodies(float4 *y, const float4 *body, int count)
{
    __shared__ float4 tile[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i], sum = make_float4(0, 0, 0, 0);

    for (int first = 0; first < count; first += THREADS) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < THREADS; k++)
            attract(&sum, me, tile[k]);
        __syncthreads();
    }
    y[i] = sum;
}

__constant__ float weights[2 * RADIUS + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1};

/* A weighted sum of neighbours; the block's part and a halo on each side in shared memory. */
__global__ void blur(float *y, const float *x, size_t n)
{
    __shared__ float s[THREADS + 2 * RADIUS];
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int t = threadIdx.x;
    float sum = 0;

    s[t + RADIUS] = i < n ? x[i] : 0;
    if (t < RADIUS) {
        s[t] = i >= RADIUS ? x[i - RADIUS] : 0;
        s[t + RADIUS + THREADS] = i + THREADS < n ? x[i + THREADS] : 0;
    }
    __syncthreads();
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += weights[k] * s[t + k];
    if (i < n)
        y[i] = sum;
}

static __host__ __device__ signed char quantized(float x, float scale)
{
    return (signed char)fminf(fmaxf(rintf(x * scale), -127), 127);
}

__global__ void quantize(signed char *y, const float *x, float scale, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = quantized(x[i], scale);
}

/* The number of the centre that is nearest to a point of the plane; the first points are the centres. */
__global__ void assign(int *label, const float *x, const float *y, size_t n)
{
    __shared__ float cx[CENTRES], cy[CENTRES];
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float best = INFINITY;
    int nearest = 0;

    if (threadIdx.x < CENTRES) {
        cx[threadIdx.x] = x[threadIdx.x];
        cy[threadIdx.x] = y[threadIdx.x];
    }
    __syncthreads();
    if (i >= n)
        return;
    for (int k = 0; k < CENTRES; k++) {
        float dx = x[i] - cx[k], dy = y[i] - cy[k], square = dx * dx + dy * dy;

        if (square < best) {
            best = square;
            nearest = k;
        }
    }
    label[i] = nearest;
}

__global__ void strided_copy(float *y, const float *x, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < count)
        y[i] = x[i * APART];
}

/* A thread for each diagonal, which goes on at the left where it leaves the matrix at the right. */
__global__ void diagonals(float *y, const float *x, int rows)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int row = 0; row < rows; row++)
        sum += x[(size_t)row * COLS + (row + d) % COLS];
    y[d] = sum;
}

/* Each row from left to right, a thread for each: an element needs the one before. */
__global__ void filter_rows(float *y, const float *x, int cols)
{
    size_t row = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float value = 0;

    for (int col = 0; col < cols; col++) {
        value = 0.5f * value + x[row * cols + col];
        y[row * cols + col] = value;
    }
}

/* --- their launches; n words ----------------------------------------------------------------- */

static unsigned blocks_of(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static void run_stencil_volume(struct arrays *a, size_t n)
{
    unsigned layers = (unsigned)(n / (SIDE * SIDE));
    dim3 threads(32, 8), blocks(SIDE / 32, SIDE / 8, layers);

    stencil_volume<<<blocks, threads>>>(a->y, a->x, (int)layers);
}

static void run_matrix_vector(struct arrays *a, size_t n)
{
    size_t rows = n / COLS;

    matrix_vector<<<blocks_of(rows * LANES), THREADS>>>(a->y, a->x, a->z, (int)rows);
}

static void run_small_products(struct arrays *a, size_t n)
{
    small_products<<<blocks_of(n / 16), THREADS>>>((float4 *)a->y, (const float4 *)a->x,
                                                   (const float4 *)a->z, n / 16);
}

static void run_grey(struct arrays *a, size_t n)
{
    grey<<<blocks_of(n), THREADS>>>((unsigned char *)a->y, (const unsigned char *)a->x, n);
}

static void run_mandelbrot(struct arrays *a, size_t n)
{
    mandelbrot<<<blocks_of(n), THREADS>>>((int *)a->y, n);
}

static void run_bit_reversal(struct arrays *a, size_t n)
{
    int bits = 0;

    while ((size_t)1 << bits < n)
        bits++;
    bit_reversal<<<blocks_of(n), THREADS>>>(a->y, a->x, bits);
}

static void run_haar(struct arrays *a, size_t n)
{
    haar<<<blocks_of(n / 2), THREADS>>>(a->y, (const float2 *)a->x, n / 2);
}

static void run_warp_prefix(struct arrays *a, size_t n)
{
    warp_prefix<<<blocks_of(n), THREADS>>>(a->y, a->x, n);
}

static void run_bodies(struct arrays *a, size_t n)
{
    bodies<<<blocks_of(n / 4), THREADS>>>((float4 *)a->y, (const float4 *)a->x, (int)(n / 4));
}

static void run_blur(struct arrays *a, size_t n)
{
    blur<<<blocks_of(n), THREADS>>>(a->y, a->x, n);
}

static void run_quantize(struct arrays *a, size_t n)
{
    quantize<<<blocks_of(n), THREADS>>>((signed char *)a->y, a->x, SCALE, n);
}

static void run_assign(struct arrays *a, size_t n)
{
    assign<<<blocks_of(n), THREADS>>>((int *)a->y, a->x, a->z, n);
}

static void run_strided_copy(struct arrays *a, size_t n)
{
    strided_copy<<<blocks_of(n / APART), THREADS>>>(a->y, a->x, n / APART);
}

static void run_diagonals(struct arrays *a, size_t n)
{
    diagonals<<<COLS / THREADS, THREADS>>>(a->y, a->x, (int)(n / COLS));
}

static void run_filter_rows(struct arrays *a, size_t n)
{
    filter_rows<<<ROWS / THREADS, THREADS>>>(a->y, a->x, (int)(n / ROWS));
}

/* --- what the host makes of a part of the same ----------------------------------------------- */

static size_t every_word(size_t n)
{
    return n;
}

static bool poisoned(float word)
{
    union {
        float value;
        uint32_t bits;
    } u = {word};

    return u.bits == 0xffffffff;
}

static bool right_stencil_volume(const struct arrays *h, size_t n, size_t at)
{
    size_t i = at % SIDE, j = at / SIDE % SIDE, k = at / SIDE / SIDE, layers = n / SIDE / SIDE;
    float sum = -6 * h->x[at];

    if (i == 0 || i == SIDE - 1 || j == 0 || j == SIDE - 1 || k == 0 || k == layers - 1)
        return poisoned(h->y[at]);
    for (size_t d = 1; d <= SIDE * SIDE; d *= SIDE)
        sum += h->x[at - d] + h->x[at + d];
    return h->y[at] == sum;
}

static size_t every_row(size_t n)
{
    return n / COLS;
}

static bool right_matrix_vector(const struct arrays *h, size_t n, size_t row)
{
    double sum = 0;

    (void)n;
    for (size_t col = 0; col < COLS; col++)
        sum += (double)h->x[row * COLS + col] * h->z[col];
    return h->y[row] == (float)sum;
}

static size_t every_fourth(size_t n)
{
    return n / 4;
}

static bool right_small_products(const struct arrays *h, size_t n, size_t at)
{
    double sum = 0;

    (void)n;
    for (size_t k = 0; k < 4; k++)
        sum += (double)h->x[4 * at + k] * h->z[at / 4 * 4 + k];
    return h->y[at] == (float)sum;
}

static bool right_grey(const struct arrays *h, size_t n, size_t at)
{
    const unsigned char *x = (const unsigned char *)h->x + 3 * at;

    (void)n;
    return ((const unsigned char *)h->y)[at] == (77 * x[0] + 150 * x[1] + 29 * x[2]) / 256;
}

static bool right_mandelbrot(const struct arrays *h, size_t n, size_t at)
{
    float cx = (float)(at % COLS) / 2048 - 1.5f, cy = (float)(at / COLS) / 8192 - 1;

    (void)n;
    return ((const int *)h->y)[at] == rounds_inside(cx, cy);
}

static bool right_bit_reversal(const struct arrays *h, size_t n, size_t at)
{
    size_t other = 0;

    for (size_t up = 1, down = n / 2; down > 0; up *= 2, down /= 2)
        other += at & up ? down : 0;
    return h->y[other] == h->x[at];
}

static bool right_haar(const struct arrays *h, size_t n, size_t at)
{
    size_t pair = at % (n / 2);
    float other = at < n / 2 ? h->x[2 * pair + 1] : -h->x[2 * pair + 1];

    return 2 * h->y[at] == h->x[2 * pair] + other;
}

static bool right_warp_prefix(const struct arrays *h, size_t n, size_t at)
{
    float sum = 0;

    (void)n;
    for (size_t i = at / LANES * LANES; i <= at; i++)
        sum += h->x[i];
    return h->y[at] == sum;
}

static bool right_bodies(const struct arrays *h, size_t n, size_t at)
{
    const float4 *body = (const float4 *)h->x, *y = (const float4 *)h->y;
    float4 sum = make_float4(0, 0, 0, 0);

    for (size_t k = 0; k < n / 4; k++)
        attract(&sum, body[at], body[k]);
    return y[at].x == sum.x && y[at].y == sum.y && y[at].z == sum.z && y[at].w == 0;
}

static bool right_blur(const struct arrays *h, size_t n, size_t at)
{
    double sum = 0;

    for (int k = -RADIUS; k <= RADIUS; k++) {
        if (at + k < n) /* left of the first it is beyond the last, too */
            sum += (RADIUS + 1 - abs(k)) * (double)h->x[at + k];
    }
    return h->y[at] == (float)sum;
}

static bool right_quantize(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return ((const signed char *)h->y)[at] == quantized(h->x[at], SCALE);
}

static bool right_assign(const struct arrays *h, size_t n, size_t at)
{
    double best = INFINITY;
    int nearest = 0;

    (void)n;
    for (int k = 0; k < CENTRES; k++) {
        double dx = (double)h->x[at] - h->x[k], dy = (double)h->z[at] - h->z[k];

        if (dx * dx + dy * dy < best) {
            best = dx * dx + dy * dy;
            nearest = k;
        }
    }
    return ((const int *)h->y)[at] == nearest;
}

static size_t every_eighth(size_t n)
{
    return n / APART;
}

static bool right_strided_copy(const struct arrays *h, size_t n, size_t at)
{
    (void)n;
    return h->y[at] == h->x[at * APART];
}

static size_t every_diagonal(size_t n)
{
    (void)n;
    return COLS;
}

static bool right_diagonals(const struct arrays *h, size_t n, size_t d)
{
    double sum = 0;

    for (size_t row = 0; row < n / COLS; row++)
        sum += h->x[row * COLS + (row + d) % COLS];
    return h->y[d] == (float)sum;
}

static size_t every_filtered(size_t n)
{
    (void)n;
    return ROWS;
}

static bool right_filter_rows(const struct arrays *h, size_t n, size_t row)
{
    size_t cols = n / ROWS;
    float value = 0;

    for (size_t at = row * cols; at < (row + 1) * cols; at++) {
        value = fmaf(0.5f, value, h->x[at]);
        if (h->y[at] != value)
            return false;
    }
    return true;
}

#define WORDS(power) ((size_t)1 << (power))

static const struct test tests[] = {
    {"stencil-volume", run_stencil_volume, LARGE, WORDS(20), SMALL, 0, false, false, every_word,
     right_stencil_volume},
    {"matrix-vector", run_matrix_vector, LARGE, WORDS(20), SMALL, 0, false, false, every_row,
     right_matrix_vector},
    {"small-products", run_small_products, LARGE, WORDS(20), SMALL, 0, false, false, every_fourth,
     right_small_products},
    {"grey", run_grey, LARGE, WORDS(20), BITS, 0, false, false, every_word, right_grey},
    {"mandelbrot", run_mandelbrot, LARGE, WORDS(18), SMALL, 0, false, false, every_word,
     right_mandelbrot},
    {"bit-reversal", run_bit_reversal, WORDS(20), WORDS(20), SMALL, 0, false, false, every_word,
     right_bit_reversal},
    {"haar", run_haar, LARGE, WORDS(20), SMALL, 0, false, false, every_word, right_haar},
    {"warp-prefix", run_warp_prefix, WORDS(22), WORDS(20), SMALL, 0, false, false, every_word,
     right_warp_prefix},
    {"bodies", run_bodies, WORDS(14), WORDS(14), SMALL, 0, false, false, every_fourth,
     right_bodies},
    {"blur", run_blur, WORDS(22), WORDS(20), SMALL, 0, false, false, every_word, right_blur},
    {"quantize", run_quantize, LARGE, WORDS(20), SMALL, 0, false, false, every_word,
     right_quantize},
    {"assign", run_assign, LARGE, WORDS(18), SMALL, 0, false, false, every_word, right_assign},
    {"strided-copy", run_strided_copy, LARGE, WORDS(20), SMALL, 0, false, false, every_eighth,
     right_strided_copy},
    {"diagonals", run_diagonals, LARGE, WORDS(22), SMALL, 0, false, false, every_diagonal,
     right_diagonals},
    {"filter-rows", run_filter_rows, LARGE, WORDS(20), SMALL, 0, false, false, every_filtered,
     right_filter_rows},
};

int main(int argc, char **argv)
{
    return blind_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]), "second-nvcc.txt");
}
