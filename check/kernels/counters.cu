/* What the counters say of single warps whose every access is known: each kernel runs on one block of
 * 32 threads, and the row that the device writes for it is compared column by column. */
#include <cooperative_groups.h>
#include <cpu_device.h>
#include <cuda_pipeline.h>
#include <string.h>
#include "expect.h"

enum { COLUMNS = 64 };

struct row {
    char text[2048];
    const char *field[COLUMNS];
};

static void split(struct row *r)
{
    int n = 0;

    r->text[strcspn(r->text, "\n")] = 0;
    r->field[n++] = r->text;
    for (char *p = r->text; *p && n < COLUMNS; p++)
        if (*p == ',') {
            *p = 0;
            r->field[n++] = p + 1;
        }
}

/* The column of the launches since the last call, which must have made one row. */
static struct row header, counted;

static void count_launch(void)
{
    FILE *csv = tmpfile();

    if (!csv || launch_error())
        exit(3);
    strcpy(header.text, cpu_device_csv_header());
    cpu_device_report(NULL, csv, "");
    rewind(csv);
    if (!fgets(counted.text, sizeof(counted.text), csv))
        exit(3);
    fclose(csv);
    split(&header);
    split(&counted);
}

static void expect_count(const char *column, long long wanted, const char *text)
{
    for (int i = 0; i < COLUMNS && header.field[i]; i++)
        if (!strcmp(header.field[i], column)) {
            expect_equal(atoll(counted.field[i]), wanted, text);
            return;
        }
    expect(false, column);
}

/* 16 bytes a lane through shared memory: 512 bytes, 16 sectors, 4 wavefronts. */
__global__ void copy_plain(int4 *out, const int4 *in)
{
    __shared__ int4 kept[32];

    kept[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = kept[31 - threadIdx.x];
}

__global__ void copy_async(int4 *out, const int4 *in)
{
    __shared__ int4 kept[32];

    __pipeline_memcpy_async(&kept[threadIdx.x], &in[threadIdx.x], sizeof(int4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    out[threadIdx.x] = kept[31 - threadIdx.x];
}

/* Arithmetic: of each kernel nvcc 13 makes the FFMA, FADD and FMUL, of a thread, that expect_arithmetic
 * is told in main, for compute capability 9.0. */
__global__ void multiply_add(float *y, const float *x)
{
    y[0] = x[0] * x[1] + x[2] * x[3];
}

/* Both sums take the product in; or none does, since a third place needs it. */
__global__ void product_of_two(float *y, const float *x)
{
    float p = x[0] * x[1], q = x[2], r = x[3];

    y[0] = p + q;
    y[1] = p - r;
}

__global__ void product_of_three(float *y, const float *x)
{
    float p = x[0] * x[1], q = x[2];

    y[0] = p + q;
    y[1] = p;
}

/* No product of sums is multiplied out; twice a number is a sum. */
__global__ void sums(float *y, const float *x)
{
    float a = x[0], b = x[1];

    y[0] = a * (b - 1.5f);
    y[1] = 2.0f * b;
}

__global__ void rounded_apart(float *y, const float *x)
{
    float a = x[0], b = x[1], c = x[2];

    y[0] = __fadd_rn(__fmul_rn(a, b), c);
    y[1] = __fadd_rn(b * c, a);
    y[2] = fmaf(a, b, c);
}

__global__ void functions(float *y, const float *x)
{
    float a = x[0], b = x[1];

    y[0] = a / b;
    y[1] = sqrtf(a);
    y[2] = expf(b);
}

/* Lane t goes round t times, and half of the lanes add. */
__global__ void horner(float *y, float x)
{
    float sum = 1;

    for (unsigned k = 0; k < threadIdx.x; k++)
        sum = sum * x + 0.5f;
    if (threadIdx.x % 2)
        y[threadIdx.x / 2] = sum + x;
    else
        y[threadIdx.x / 2 + 16] = sum;
}

/* Doubles and whole numbers are no operations of single precision. */
__global__ void others(double *y, int n)
{
    y[0] = y[1] * y[2] + n * 3 + 7;
}

static void expect_arithmetic(const char *kernel, long long fma, long long add, long long mul)
{
    char text[100];

    count_launch();
    snprintf(text, sizeof(text), "%s: FFMA", kernel);
    expect_count("flops_fma", fma, text);
    snprintf(text, sizeof(text), "%s: FADD", kernel);
    expect_count("flops_add", add, text);
    snprintf(text, sizeof(text), "%s: FMUL", kernel);
    expect_count("flops_mul", mul, text);
}

static void arithmetic(void)
{
    float *x = device_array<float>(64), *y = x + 32;
    double *z = device_array<double>(3);
    float one[32];

    for (int i = 0; i < 32; i++)
        one[i] = 1 + i * 0.25f;
    cudaMemcpy(x, one, sizeof(one), cudaMemcpyHostToDevice);
    multiply_add<<<1, 32>>>(y, x);
    expect_arithmetic("multiply_add", 32, 0, 32);
    multiply_add<<<3, 5>>>(y, x);
    expect_arithmetic("multiply_add of 15 threads", 15, 0, 15);
    product_of_two<<<1, 32>>>(y, x);
#ifdef __clang__ /* puts a product into one sum only */
    expect_arithmetic("product_of_two", 0, 64, 32);
#else
    expect_arithmetic("product_of_two", 64, 0, 0);
#endif
    product_of_three<<<1, 32>>>(y, x);
    expect_arithmetic("product_of_three", 0, 32, 32);
    sums<<<1, 32>>>(y, x);
    expect_arithmetic("sums", 0, 64, 32);
    rounded_apart<<<1, 32>>>(y, x);
    expect_arithmetic("rounded_apart", 32, 64, 64);
    functions<<<1, 32>>>(y, x);
    expect_arithmetic("functions", 32 * (5 + 2 + 4), 32, 32 * (2 + 1));
    horner<<<1, 32>>>(y, 0.5f);
    expect_arithmetic("horner", 31 * 32 / 2, 16, 0);
    others<<<1, 32>>>(z, 3);
    expect_arithmetic("others", 0, 0, 0);
}

/* Spans: 64 threads, so that a chain goes from warp to warp. Each comment has the chain. */

/* Two loads at once, for they are at two places; a store; a load of what the cache has by now. */
__global__ void two_trips(int *y, const int *x)
{
    int i = threadIdx.x, sum = x[i] + x[i + 64];

    y[i] = sum;
    y[i + 64] = x[i] * sum;
}

/* A trip each round. */
__global__ void trips_in_a_loop(int *y, const int *x)
{
    int sum = 0;

#pragma unroll 1
    for (int k = 0; k < 5; k++)
        sum += x[threadIdx.x + 64 * k];
    y[threadIdx.x] = sum;
}

/* The first warp loads three times, then there is a barrier, and the second warp shuffles twice and loads
 * shared memory: 3 trips, 1 barrier, 2 warp operations, 1 of shared memory, though no warp does all. */
__global__ void from_warp_to_warp(int *y, const int *x)
{
    __shared__ int kept[64];
    int v = threadIdx.x;

    if (threadIdx.x < 32)
#pragma unroll 1
        for (int k = 0; k < 3; k++)
            v = x[v % 64 + 64 * k];
    kept[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x >= 32) {
        v += __shfl_down_sync(~0u, v, 16);
        v += __shfl_down_sync(~0u, v, 8);
        y[threadIdx.x] = v + kept[threadIdx.x - 32];
    }
}

/* An answer that is taken, one that is not, and a fence. Of both words one line: 64 additions to either,
 * and the lanes of a warp one after the other. */
__global__ void add_and_fence(int *y, int *total)
{
    y[threadIdx.x] = atomicAdd(&total[0], 2);
    __threadfence();
    atomicAdd(&total[1], 2);
}

/* Each warp a line of its own, which another block's warp adds to as well. */
__global__ void add_to_a_line(int *y)
{
    atomicAdd(&y[threadIdx.x], 2);
}

__global__ void add_to_some(int *y)
{
    atomicAdd(&y[threadIdx.x / 2 * 2], 2);
}

/* Every other word: each sector is stored in part. */
__global__ void store_apart(int *y)
{
    y[2 * threadIdx.x] = 1;
}

static void expect_span(const char *kernel, const long long wanted[7])
{
    static const char *const columns[] = {"span_global",  "span_cache",  "span_shared", "span_warp",
                                          "span_barrier", "span_atomic", "span_fence"};
    char text[100];

    count_launch();
    for (int i = 0; i < 7; i++) {
        snprintf(text, sizeof(text), "%s: %s", kernel, columns[i]);
        expect_count(columns[i], wanted[i], text);
    }
}

static void spans(void)
{
    static const long long two[] = {1, 1, 0, 0, 0, 0, 0}, five[] = {5, 0, 0, 0, 0, 0, 0},
                           over[] = {3, 0, 1, 2, 1, 0, 0}, added[] = {0, 0, 0, 0, 0, 1, 1},
                           none[] = {0, 0, 0, 0, 0, 0, 0};
    int *x = device_array<int>(1024), *y = x + 512;

    two_trips<<<1, 64>>>(y, x);
    expect_span("two_trips", two);
    expect_count("sectors_read", 16, "two_trips reads 16 sectors");
    expect_count("sectors_written", 16, "two_trips writes 16");
    expect_count("cache_sectors", 8, "and finds 8 in the cache");
    expect_count("lines", 10, "in requests of 10 lines");
    trips_in_a_loop<<<2, 64>>>(y, x);
    expect_span("trips_in_a_loop", five);
    expect_count("sectors_read", 40, "two blocks read the same sectors");
    from_warp_to_warp<<<1, 64>>>(y, x);
    expect_span("from_warp_to_warp", over);
    add_and_fence<<<1, 64>>>(y, x);
    expect_span("add_and_fence", added);
    expect_count("hot_line_lanes", 0, "no warp adds to a whole sector");
    expect_count("hot_line_passes", 128, "128 additions one after the other");
    add_to_a_line<<<2, 64>>>(y);
    expect_span("add_to_a_line", none);
    expect_count("hot_line_lanes", 64, "64 lanes add to a line in whole sectors");
    expect_count("hot_line_passes", 0, "which go together");
    add_to_some<<<2, 32>>>(y);
    expect_span("add_to_some", none);
    expect_count("hot_line_passes", 16, "two warps, four sectors, two lanes at each word");
    store_apart<<<1, 64>>>(y);
    expect_span("store_apart", none);
    expect_count("partial_sector_stores", 16, "16 sectors are stored in part");
}

/* The two parts of the cluster's barrier, with a load between them. */
__global__ void load_between(float *y, const float *x)
{
    __cluster_barrier_arrive_relaxed();
    float loaded = x[threadIdx.x];
    __cluster_barrier_wait();
    y[threadIdx.x] = loaded;
}

/* One lane stores twice before all meet, and all store behind that: at the same place of the source. */
__global__ void meet_between(float *y, const float *x)
{
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < (turn > 0 || threadIdx.x > 0 ? 1 : 2); k++)
            y[32 * k + threadIdx.x] = x[threadIdx.x];
        cooperative_groups::this_cluster().sync();
    }
}

static void clusters()
{
    float *x = device_array<float>(32), *y = device_array<float>(64);

    load_between<<<1, 32>>>(y, x);
    count_launch();
    expect_count("global_load_requests", 1,
                 "a load between a barrier's two parts is one of the warp");
    expect_count("global_store_requests", 1, "and so is the store behind them");
    meet_between<<<1, 32>>>(y, x);
    count_launch();
    expect_count("global_load_requests", 3,
                 "lanes that went apart come together at a cluster's barrier");
}

int main()
{
    int4 *in = device_array<int4>(32), *out = device_array<int4>(32), values[32], *found;
    bool same = true;

    cpu_device_set_tools(CPU_COUNTERS);
    for (int i = 0; i < 32; i++)
        values[i] = make_int4(i, 2 * i, 3 * i, 4 * i);
    cudaMemcpy(in, values, sizeof(values), cudaMemcpyHostToDevice);

    copy_plain<<<1, 32>>>(out, in);
    count_launch();
    expect_count("global_load_requests", 1, "a plain copy loads once");
    expect_count("shared_store_instructions", 1, "a plain copy stores to shared memory");
    expect_count("shared_store_wavefronts", 4, "which takes 4 wavefronts");

    copy_async<<<1, 32>>>(out, in);
    count_launch();
    found = on_host(out, 32);
    for (int i = 0; i < 32; i++)
        same = same && found[i].x == 31 - i && found[i].w == 4 * (31 - i);
    expect(same, "an asynchronous copy arrives");
    expect_count("global_load_requests", 1, "an asynchronous copy is a load of global memory");
    expect_count("global_load_sectors", 16, "of as many sectors");
    expect_count("shared_store_instructions", 0, "and no store instruction");
    expect_count("shared_store_wavefronts", 0, "nor wavefronts of one");
    expect_count("shared_load_instructions", 1, "what it copied is then loaded");
    expect_count("global_store_requests", 1, "and stored");
    spans();
    clusters();
#ifdef __FMA__ /* elsewhere a product and a sum are two, or nothing is counted */
    arithmetic();
#endif
    return expect_status();
}
