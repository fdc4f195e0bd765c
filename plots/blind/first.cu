/*
 * The first set: kernels of kinds that the series had not when their estimates were committed (9cc6c2e).
 */
#include <stdint.h>

#include <cuda_runtime.h>

#include "blind.h"

#define THREADS 256
#define SIDE 16    /* of a tile of the product */
#define ACROSS 256 /* rows and columns of the product */
#define BINS BLIND_BINS
#define DEGREE 64 /* of the polynomial */

struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};

/* --- the kernels ----------------------------------------------------------------------------- */

__global__ void gather(float *y, const float *x, const uint32_t *at, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[at[i]];
}

__global__ void scatter(float *y, const float *x, const uint32_t *at, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[at[i]] = x[i];
}

__global__ void stencil_row(float *y, const float *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i > 0 && i + 1 < n)
        y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

__global__ void stencil_plane(float *y, const float *x, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t i = (size_t)row * cols + col;

    if (row > 0 && row + 1 < rows && col > 0 && col + 1 < cols)
        y[i] = 0.5f * x[i] + 0.125f * (x[i - 1] + x[i + 1] + x[i - cols] + x[i + cols]);
}

__global__ void move_particles(struct particle *p, float dt, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].z += dt * p[i].vz;
    }
}

/* c, 256 x 256, of 256 x n and n x 256. */
__global__ void product_naive(float *c, const float *a, const float *b, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * ACROSS + col];
    c[row * ACROSS + col] = sum;
}

__global__ void product_tiled(float *c, const float *a, const float *b, int n)
{
    __shared__ float s[SIDE][SIDE], t[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * SIDE + x, row = blockIdx.y * SIDE + y;
    float sum = 0;

    for (int k = 0; k < n; k += SIDE) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * ACROSS + col];
        __syncthreads();
        for (int i = 0; i < SIDE; i++)
            sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    c[row * ACROSS + col] = sum;
}

__global__ void histogram_global(unsigned int *counts, const uint32_t *at, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&counts[at[i] % BINS], 1);
}

__global__ void histogram_shared(unsigned int *counts, const uint32_t *at, size_t n)
{
    __shared__ unsigned int s[BINS];
    size_t stride = gridDim.x * (size_t)blockDim.x;

    s[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&s[at[i] % BINS], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], s[threadIdx.x]);
}

__global__ void saxpy(float *y, float a, const float *x, size_t n)
{
    size_t stride = gridDim.x * (size_t)blockDim.x;

    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}

__global__ void saxpy_wide(float4 *y, float a, const float4 *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float4 u = x[i], v = y[i];

        v.x = a * u.x + v.x;
        v.y = a * u.y + v.y;
        v.z = a * u.z + v.z;
        v.w = a * u.w + v.w;
        y[i] = v;
    }
}

__global__ void horner(float *y, const float *x, float first, float next, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        float value = first, c = next, at = x[i];

        for (int k = 0; k < DEGREE; k++) {
            value = value * at + c;
            c = -c;
        }
        y[i] = value;
    }
}

/* A block for each row. */
__global__ void sum_rows(float *sums, const float *x, int cols)
{
    __shared__ float s[THREADS];
    const float *row = x + blockIdx.x * (size_t)cols;
    float sum = 0;

    for (int i = threadIdx.x; i < cols; i += THREADS)
        sum += row[i];
    s[threadIdx.x] = sum;
    for (int k = THREADS / 2; k > 0; k /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = s[0];
}

/* A thread for each column. */
__global__ void sum_columns(float *sums, const float *x, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int i = 0; i < rows; i++)
        sum += x[(size_t)i * cols + col];
    sums[col] = sum;
}

/* --- their launches; n elements -------------------------------------------------------------- */

static unsigned blocks_of(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static void run_gather(struct arrays *a, size_t n)
{
    gather<<<blocks_of(n), THREADS>>>(a->y, a->x, a->at, n);
}

static void run_scatter(struct arrays *a, size_t n)
{
    scatter<<<blocks_of(n), THREADS>>>(a->y, a->x, a->at, n);
}

static void run_stencil_row(struct arrays *a, size_t n)
{
    stencil_row<<<blocks_of(n), THREADS>>>(a->y, a->x, n);
}

static void run_stencil_plane(struct arrays *a, size_t n)
{
    int cols = 2048, rows = (int)(n / cols);
    dim3 threads(32, 8);
    dim3 blocks((unsigned)cols / 32, (unsigned)rows / 8);

    stencil_plane<<<blocks, threads>>>(a->y, a->x, rows, cols);
}

static void run_particles(struct arrays *a, size_t n)
{
    size_t count = n * sizeof(float) / sizeof(struct particle);

    move_particles<<<blocks_of(count), THREADS>>>((struct particle *)a->y, 0.5f, count);
}

static void run_product_naive(struct arrays *a, size_t n)
{
    dim3 threads(SIDE, SIDE);
    dim3 blocks(ACROSS / SIDE, ACROSS / SIDE);

    product_naive<<<blocks, threads>>>(a->y, a->x, a->z, (int)(n / ACROSS));
}

static void run_product_tiled(struct arrays *a, size_t n)
{
    dim3 threads(SIDE, SIDE);
    dim3 blocks(ACROSS / SIDE, ACROSS / SIDE);

    product_tiled<<<blocks, threads>>>(a->y, a->x, a->z, (int)(n / ACROSS));
}

static void run_histogram_global(struct arrays *a, size_t n)
{
    histogram_global<<<blocks_of(n), THREADS>>>(a->counts, a->at, n);
}

static void run_histogram_shared(struct arrays *a, size_t n)
{
    histogram_shared<<<528, THREADS>>>(a->counts, a->at, n);
}

static void run_saxpy_few(struct arrays *a, size_t n)
{
    saxpy<<<132, THREADS>>>(a->y, 0.5f, a->x, n);
}

static void run_saxpy_wide(struct arrays *a, size_t n)
{
    saxpy_wide<<<blocks_of(n / 4), THREADS>>>((float4 *)a->y, 0.5f, (const float4 *)a->x, n / 4);
}

static void run_horner(struct arrays *a, size_t n)
{
    horner<<<blocks_of(n), THREADS>>>(a->y, a->x, 0.5f, 0.25f, n);
}

static void run_rows(struct arrays *a, size_t n)
{
    int cols = 1024;

    sum_rows<<<(unsigned)(n / cols), THREADS>>>(a->y, a->x, cols);
}

static void run_columns(struct arrays *a, size_t n)
{
    int cols = 4096;

    sum_columns<<<cols / THREADS, THREADS>>>(a->y, a->x, (int)(n / cols), cols);
}

#define LOG_LARGE 26 /* 256 MiB of floats */
#define LARGE ((size_t)1 << LOG_LARGE)
#define COUNTED ((size_t)1 << 20)

static const struct test tests[] = {
    {"gather-far", run_gather, 4 * COUNTED, 4 * COUNTED, THOUSANDTHS, (size_t)1 << 24}, /* 64 MiB */
    {"gather-near", run_gather, 4 * COUNTED, 4 * COUNTED, THOUSANDTHS, (size_t)1 << 18},
    {"scatter", run_scatter, COUNTED, COUNTED, THOUSANDTHS, COUNTED, false, true},
    {"stencil-row", run_stencil_row, LARGE, COUNTED, THOUSANDTHS},
    {"stencil-plane", run_stencil_plane, LARGE, COUNTED, THOUSANDTHS},
    {"particles", run_particles, LARGE, COUNTED, THOUSANDTHS},
    {"product-naive", run_product_naive, (size_t)1 << 17, (size_t)1 << 17, THOUSANDTHS},
    {"product-tiled", run_product_tiled, COUNTED, (size_t)1 << 16, THOUSANDTHS},
    {"histogram-global", run_histogram_global, COUNTED, COUNTED, THOUSANDTHS, BINS, true},
    {"histogram-shared", run_histogram_shared, 4 * COUNTED, 4 * COUNTED, THOUSANDTHS, BINS, true},
    {"saxpy-few", run_saxpy_few, LARGE, COUNTED, THOUSANDTHS},
    {"saxpy-wide", run_saxpy_wide, LARGE, COUNTED, THOUSANDTHS},
    {"horner", run_horner, LARGE, COUNTED, THOUSANDTHS},
    {"rows", run_rows, LARGE, COUNTED, THOUSANDTHS},
    {"columns", run_columns, LARGE, COUNTED, THOUSANDTHS},
};

int main(int argc, char **argv)
{
    return blind_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]), "first-nvcc.txt");
}
