/*
 * Kernels of kinds that the series has not, for a blind test of --estimate: on the CPU device each is
 * estimated, on a GPU timed. The estimates were saved before any of these had run on a GPU.
 *
 *   blind [NAME...]    prints name,n,us,sum: sum is over the result, and must be the same on both
 *
 * The CPU device counts sizes that it can count, and the estimate extends them, as the steps' do. MACHINE_FILE
 * is the machine that is estimated, NVCC_TABLE what nvcc makes of this file (steps/.lib/cudacpu/sass.py).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#ifdef BACKEND_CPU
extern "C" {
#include "harness/run/estimate.h"
}
#endif

#define THREADS 256
#define SIDE 16    /* of a tile of the product */
#define ACROSS 256 /* rows and columns of the product */
#define BINS 256
#define DEGREE 64 /* of the polynomial */

struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};

/* Device memory; each as large as the largest kernel needs. */
struct arrays {
    float *x, *y, *z;
    uint32_t *at;
    unsigned int *counts;
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

/* counted: the most elements that the CPU device counts; table: of how many words `at` picks, 0: it takes no
 * part. */
static const struct test {
    const char *name;
    void (*run)(struct arrays *, size_t n);
    size_t n, counted, table;
} tests[] = {
    {"gather-far", run_gather, 4 * COUNTED, 4 * COUNTED, (size_t)1 << 24}, /* 64 MiB */
    {"gather-near", run_gather, 4 * COUNTED, 4 * COUNTED, (size_t)1 << 18},
    {"scatter", run_scatter, COUNTED, COUNTED, COUNTED},
    {"stencil-row", run_stencil_row, LARGE, COUNTED, 0},
    {"stencil-plane", run_stencil_plane, LARGE, COUNTED, 0},
    {"particles", run_particles, LARGE, COUNTED, 0},
    {"product-naive", run_product_naive, (size_t)1 << 17, (size_t)1 << 17, 0},
    {"product-tiled", run_product_tiled, COUNTED, (size_t)1 << 16, 0},
    {"histogram-global", run_histogram_global, COUNTED, COUNTED, BINS},
    {"histogram-shared", run_histogram_shared, 4 * COUNTED, 4 * COUNTED, BINS},
    {"saxpy-few", run_saxpy_few, LARGE, COUNTED, 0},
    {"saxpy-wide", run_saxpy_wide, LARGE, COUNTED, 0},
    {"horner", run_horner, LARGE, COUNTED, 0},
    {"rows", run_rows, LARGE, COUNTED, 0},
    {"columns", run_columns, LARGE, COUNTED, 0},
};

/* --- running them ---------------------------------------------------------------------------- */

static void must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "blind: %s: %s\n", what, cudaGetErrorString(error));
    exit(3);
}

static uint32_t random_word(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Before each run: a run may change its own input. */
static void fill(struct arrays *a, const struct test *t, size_t n)
{
    static uint32_t *words;
    uint64_t state = 1;
    size_t most = n > t->table ? n : t->table;

    if (!words)
        words = (uint32_t *)malloc(LARGE * sizeof(*words));
    if (!words) {
        fprintf(stderr, "blind: no memory left on the host\n");
        exit(3);
    }
    for (size_t i = 0; i < most; i++) {
        float value = (float)(random_word(&state) % 1000) / 1000;

        memcpy(&words[i], &value, sizeof(value));
    }
    must(cudaMemcpy(a->x, words, most * 4, cudaMemcpyHostToDevice), "copying");
    must(cudaMemcpy(a->y, words, n * 4, cudaMemcpyHostToDevice), "copying");
    must(cudaMemcpy(a->z, words, n * 4, cudaMemcpyHostToDevice), "copying");
    for (size_t i = 0; t->table && i < n; i++)
        words[i] = random_word(&state) % (uint32_t)t->table;
    if (t->table)
        must(cudaMemcpy(a->at, words, n * 4, cudaMemcpyHostToDevice), "copying");
    must(cudaMemset(a->counts, 0, BINS * sizeof(*a->counts)), "clearing");
}

/* Of the result's bits, so that the order does not matter; scattered words that meet may keep either. */
static uint64_t sum_of(const struct arrays *a, const struct test *t, size_t n)
{
    bool counts = t->run == run_histogram_global || t->run == run_histogram_shared;
    size_t words = counts ? BINS : n;
    uint32_t *y = (uint32_t *)malloc(words * sizeof(*y));
    uint64_t sum = 0;

    if (!y)
        exit(3);
    must(cudaMemcpy(y, counts ? (const void *)a->counts : (const void *)a->y, words * 4,
                    cudaMemcpyDeviceToHost),
         "copying");
    for (size_t i = 0; i < words && t->run != run_scatter; i++)
        sum += y[i] * (uint64_t)(i + 1);
    free(y);
    return sum;
}

#ifdef BACKEND_CPU

static void allocate(struct arrays *a, const struct test *t)
{
    size_t n = t->counted, most = n > t->table ? n : t->table;

    must(cudaMalloc((void **)&a->x, most * 4), "allocating");
    must(cudaMalloc((void **)&a->y, most * 4), "allocating");
    must(cudaMalloc((void **)&a->z, n * 4), "allocating");
    must(cudaMalloc((void **)&a->at, n * 4), "allocating");
    must(cudaMalloc((void **)&a->counts, BINS * 4), "allocating");
}

/* The sum is of the largest size that is counted. */
static void take(const struct test *t)
{
    struct counted counted[COUNTED_SIZES];
    struct machine machine;
    struct estimate e;
    struct arrays a;
    bool extended = t->n > t->counted;
    const char *why = NULL;
    enum wait_for first, second;
    uint64_t sum = 0;

    if (machine_read(&machine, MACHINE_FILE) != 0)
        exit(2);
    allocate(&a, t);
    cpu_device_set_tools(CPU_COUNTERS);
    cpu_device_set_phase("run");
    for (int at = extended ? 0 : COUNTED_SIZES - 1; at < COUNTED_SIZES; at++) {
        size_t n = t->counted >> (COUNTED_SIZES - 1 - at);

        fill(&a, t, n);
        cpu_device_report(NULL, NULL, "");
        t->run(&a, n);
        must(cudaDeviceSynchronize(), t->name);
        if (estimate_count(&counted[at], (double)n, 1) != 0)
            exit(3);
        sum = sum_of(&a, t, n);
    }
    if (extended)
        why = estimate_extend(counted, (double)t->n, 0);
    if (why) {
        printf("%s,%zu,,%llu,%s,,,\n", t->name, t->n, (unsigned long long)sum, why);
        return;
    }
    e = estimate_run(&machine, &counted[COUNTED_SIZES - 1], 0);
    estimate_limits(&e, &first, &second);
    printf("%s,%zu,%.4g,%llu,%s,%.4g,%s,%.4g\n", t->name, t->n, e.us, (unsigned long long)sum,
           estimate_word(first), e.part[first], estimate_word(second), e.part[second]);
    fflush(stdout);
    for (int at = extended ? 0 : COUNTED_SIZES - 1; at < COUNTED_SIZES; at++)
        estimate_forget(&counted[at]);
    must(cudaFree(a.x), "freeing");
    must(cudaFree(a.y), "freeing");
    must(cudaFree(a.z), "freeing");
    must(cudaFree(a.at), "freeing");
    must(cudaFree(a.counts), "freeing");
}

static const char header[] = "kernel,n,estimated_us,sum,waits_for,part_us,then_for,then_us";

#else

enum { RUNS = 25, WARMUP = 3 };

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static float time_once(struct arrays *a, const struct test *t)
{
    cudaEvent_t start, stop;
    float ms = 0;

    must(cudaEventCreate(&start), "an event");
    must(cudaEventCreate(&stop), "an event");
    must(cudaEventRecord(start), "an event");
    t->run(a, t->n);
    must(cudaEventRecord(stop), "an event");
    must(cudaEventSynchronize(stop), t->name);
    must(cudaEventElapsedTime(&ms, start, stop), "an event");
    must(cudaEventDestroy(start), "an event");
    must(cudaEventDestroy(stop), "an event");
    return 1000 * ms;
}

/* The sum is of the size that the CPU device counts; then the whole size is timed. */
static void take(const struct test *t)
{
    static struct arrays a;
    float us[RUNS];
    size_t n = t->counted;
    uint64_t sum;

    if (!a.x) {
        must(cudaMalloc((void **)&a.x, LARGE * 4), "allocating");
        must(cudaMalloc((void **)&a.y, LARGE * 4), "allocating");
        must(cudaMalloc((void **)&a.z, LARGE * 4), "allocating");
        must(cudaMalloc((void **)&a.at, LARGE * 4), "allocating");
        must(cudaMalloc((void **)&a.counts, BINS * 4), "allocating");
    }
    fill(&a, t, n);
    t->run(&a, n);
    must(cudaDeviceSynchronize(), t->name);
    sum = sum_of(&a, t, n);
    fill(&a, t, t->n);
    for (int i = 0; i < WARMUP; i++)
        time_once(&a, t);
    for (int i = 0; i < RUNS; i++)
        us[i] = time_once(&a, t);
    qsort(us, RUNS, sizeof(us[0]), compare);
    printf("%s,%zu,%.4g,%.4g,%.4g,%llu\n", t->name, t->n, us[RUNS / 2], us[RUNS / 4],
           us[3 * RUNS / 4], (unsigned long long)sum);
}

static const char header[] = "kernel,n,median_us,q1_us,q3_us,sum";

#endif

int main(int argc, char **argv)
{
#ifdef BACKEND_CPU
    if (cpu_device_set_nvcc(NVCC_TABLE) != 0) {
        fprintf(stderr, "blind: %s cannot be read\n", NVCC_TABLE);
        return 2;
    }
#endif
    puts(header);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        bool wanted = argc == 1;

        for (int k = 1; k < argc; k++)
            wanted |= strcmp(argv[k], tests[i].name) == 0;
        if (wanted)
            take(&tests[i]);
    }
    return 0;
}
