/* The matrix product, from a thread for each element to tiles in registers, and products with a vector. */
#include "program.h"

__global__ void product_plain(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < n) {
        float sum = 0;

        for (int k = 0; k < n; k++)
            sum += a[y * n + k] * b[k * n + x];
        c[y * n + x] = sum;
    }
}

/* The sum in memory, where a and b might lie too. */
__global__ void product_in_memory(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    for (int k = 0; k < n; k++)
        c[y * n + x] += a[y * n + k] * b[k * n + x];
}

/* The same, where they do not. */
__global__ void product_restrict(const float *__restrict__ a, const float *__restrict__ b,
                                 float *__restrict__ c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    for (int k = 0; k < n; k++)
        c[y * n + x] += a[y * n + k] * b[k * n + x];
}

__global__ void product_tiled16(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16];
    __shared__ float bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;

    for (int t = 0; t < (n + 15) / 16; t++) {
        as[ty][tx] = y < n && t * 16 + tx < n ? a[y * n + t * 16 + tx] : 0.0f;
        bs[ty][tx] = x < n && t * 16 + ty < n ? b[(t * 16 + ty) * n + x] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = sum;
}

__global__ void product_tiled32(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[32 * 32], bs[32 * 32];
    int column = threadIdx.x % 32, row = threadIdx.x / 32;
    float sum = 0;

    a += blockIdx.y * 32 * n;
    b += blockIdx.x * 32;
    c += blockIdx.y * 32 * n + blockIdx.x * 32;
    for (int k = 0; k < n; k += 32) {
        as[row * 32 + column] = a[row * n + column];
        bs[row * 32 + column] = b[row * n + column];
        __syncthreads();
        a += 32;
        b += 32 * n;
        for (int j = 0; j < 32; j++)
            sum += as[row * 32 + j] * bs[j * 32 + column];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* A column of 8 sums for each thread: 64 x 64 of a block of 512, 8 deep. */
__global__ void product_column(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[64 * 8], bs[8 * 64];
    int column = threadIdx.x % 64, row = threadIdx.x / 64;
    float sum[8] = {0};

    a += blockIdx.y * 64 * n;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;
    for (int k = 0; k < n; k += 8) {
        as[threadIdx.x] = a[threadIdx.x / 8 * n + threadIdx.x % 8];
        bs[threadIdx.x] = b[row * n + column];
        __syncthreads();
        a += 8;
        b += 8 * n;
        for (int j = 0; j < 8; j++) {
            float v = bs[j * 64 + column];

            for (int i = 0; i < 8; i++)
                sum[i] += as[(row * 8 + i) * 8 + j] * v;
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        c[(row * 8 + i) * n + column] = sum[i];
}

/* 4 x 4 sums for each thread, and memory in pieces of four floats: 64 x 64 of a block of 256. */
__global__ void product_vectors(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16 * 64], bs[16 * 64]; /* as is turned */
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float sum[4][4] = {{0}};

    a += blockIdx.y * 64 * n;
    b += blockIdx.x * 64;
    c += (blockIdx.y * 64 + ty * 4) * n + blockIdx.x * 64 + tx * 4;
    for (int k = 0; k < n; k += 16) {
        int row = threadIdx.x / 4, column = threadIdx.x % 4 * 4;
        float4 v = *(const float4 *)&a[row * n + k + column];

        as[(column + 0) * 64 + row] = v.x;
        as[(column + 1) * 64 + row] = v.y;
        as[(column + 2) * 64 + row] = v.z;
        as[(column + 3) * 64 + row] = v.w;
        *(float4 *)&bs[ty * 64 + tx * 4] = *(const float4 *)&b[(k + ty) * n + tx * 4];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++) {
            float4 u = *(const float4 *)&as[j * 64 + ty * 4],
                   w = *(const float4 *)&bs[j * 64 + tx * 4];
            float left[4] = {u.x, u.y, u.z, u.w}, right[4] = {w.x, w.y, w.z, w.w};

            for (int i = 0; i < 4; i++)
                for (int m = 0; m < 4; m++)
                    sum[i][m] += left[i] * right[m];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(float4 *)&c[i * n] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

__global__ void rows_by_thread(const float *a, const float *x, float *y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows) {
        float sum = 0;

        for (int k = 0; k < columns; k++)
            sum += a[row * columns + k] * x[k];
        y[row] = sum;
    }
}

__global__ void rows_by_warp(const float *a, const float *x, float *y, int rows, int columns)
{
    int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float sum = 0;

    if (row >= rows)
        return;
    for (int k = lane; k < columns; k += 32)
        sum += a[row * columns + k] * x[k];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}

__global__ void turn_tile(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

typedef void product(const float *a, const float *b, float *c, int n);

struct operands {
    int n;
    float *a, *b, *c; /* on the device: a and b */
};

static struct operands operands_of(int n)
{
    float *a = random_floats(n * n), *b = random_floats(n * n), *c = host_array<float>(n * n);

    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double sum = 0;

            for (int k = 0; k < n; k++)
                sum += (double)a[y * n + k] * b[k * n + x];
            c[y * n + x] = (float)sum;
        }
    return {n, to_device(a, n * n), to_device(b, n * n), c};
}

static void verify(const char *what, const struct operands *o, const float *c)
{
    expect_near(what, c, o->c, o->n * o->n, 2 * o->n);
}

static void products(int n) /* a multiple of 64 */
{
    struct operands o = operands_of(n);
    float *c[7];
    dim3 square(n / 16, n / 16), threads(16, 16);

    for (int i = 0; i < 7; i++)
        c[i] = device_array<float>(n * n);
    product_plain<<<square, threads>>>(o.a, o.b, c[0], n);
    verify("product_plain", &o, c[0]);
    product_in_memory<<<square, threads>>>(o.a, o.b, c[1], n);
    verify("product_in_memory", &o, c[1]);
    product_restrict<<<square, threads>>>(o.a, o.b, c[2], n);
    verify("product_restrict", &o, c[2]);
    product_tiled16<<<square, threads>>>(o.a, o.b, c[3], n);
    verify("product_tiled16", &o, c[3]);
    product_tiled32<<<dim3(n / 32, n / 32), 1024>>>(o.a, o.b, c[4], n);
    verify("product_tiled32", &o, c[4]);
    product_column<<<dim3(n / 64, n / 64), 512>>>(o.a, o.b, c[5], n);
    verify("product_column", &o, c[5]);
    product_vectors<<<dim3(n / 64, n / 64), 256>>>(o.a, o.b, c[6], n);
    verify("product_vectors", &o, c[6]);
}

static void ragged(int n)
{
    struct operands o = operands_of(n);
    float *c = device_array<float>(n * n);
    dim3 blocks((n + 15) / 16, (n + 15) / 16), threads(16, 16);

    product_tiled16<<<blocks, threads>>>(o.a, o.b, c, n);
    verify("product_tiled16, ragged", &o, c);
    product_plain<<<blocks, threads>>>(o.a, o.b, c, n);
    verify("product_plain, ragged", &o, c);
}

static void with_vector(int rows, int columns)
{
    float *a = random_floats(rows * columns), *x = random_floats(columns),
          *y = host_array<float>(rows);
    float *da = to_device(a, rows * columns), *dx = to_device(x, columns),
          *d = device_array<float>(rows);
    float *turned = host_array<float>(rows * columns),
          *dturned = device_array<float>(rows * columns);

    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            y[i] += a[i * columns + k] * x[k];
            turned[k * rows + i] = a[i * columns + k];
        }
    rows_by_thread<<<(rows + 63) / 64, 64>>>(da, dx, d, rows, columns);
    expect_near("rows_by_thread", d, y, rows, 2 * columns);
    d = device_array<float>(rows);
    rows_by_warp<<<(rows + 3) / 4, 128>>>(da, dx, d, rows, columns);
    expect_near("rows_by_warp", d, y, rows, 2 * columns);
    turn_tile<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(dturned, da, columns,
                                                                            rows);
    expect_equal("turn_tile", dturned, turned, rows * columns);
}

int main()
{
    products(128);
    ragged(50);
    with_vector(150, 97);
    return wrong ? 1 : 0;
}
