/* Data that moves about: gathers, sorting, tiles of bodies, walks and small arrays of a thread's own. */
#include <cuda_pipeline.h>
#include "program.h"

__global__ void gather(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[index[i]];
}

__global__ void scatter(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[index[i]] = in[i];
}

__global__ void sort_block(unsigned *keys)
{
    __shared__ unsigned s[512];
    unsigned *mine = keys + blockIdx.x * 512;

    s[threadIdx.x] = mine[threadIdx.x];
    s[threadIdx.x + 256] = mine[threadIdx.x + 256];
    for (unsigned size = 2; size <= 512; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = (at & size) == 0;

            if ((s[at] > s[at + stride]) == up) {
                unsigned t = s[at];
                s[at] = s[at + stride];
                s[at + stride] = t;
            }
        }
    __syncthreads();
    mine[threadIdx.x] = s[threadIdx.x];
    mine[threadIdx.x + 256] = s[threadIdx.x + 256];
}

__device__ float3 pulled(float4 self, float4 other, float3 sum)
{
    float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    float pull = other.w * inverse * inverse * inverse;

    sum.x += pull * dx;
    sum.y += pull * dy;
    sum.z += pull * dz;
    return sum;
}

__global__ void pull_bodies(float3 *force, const float4 *bodies, int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 self = bodies[i];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);

    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++)
            sum = pulled(self, tile[k], sum);
        __syncthreads();
    }
    force[i] = sum;
}

/* Where each walker was how often: the array's index is known at run time only. */
__global__ void walk(int *visits, int steps, int walkers)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, seen[8] = {0}, at = 0;
    unsigned state = 2 * i + 1;

    if (i >= walkers)
        return;
    for (int k = 0; k < steps; k++) {
        state = state * 1664525u + 1013904223u;
        at = (at + (state >> 30)) % 8;
        seen[at]++;
    }
    for (int k = 0; k < 8; k++)
        visits[k * walkers + i] = seen[k];
}

/* The smallest, the middle and the largest of 5: the array's indexes are known when compiled. */
__global__ void middle_of_five(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[5];

    if (i + 4 >= n)
        return;
#pragma unroll
    for (int k = 0; k < 5; k++)
        v[k] = in[i + k];
#pragma unroll
    for (int pass = 0; pass < 4; pass++)
#pragma unroll
        for (int k = 0; k < 4 - pass; k++) {
            float low = fminf(v[k], v[k + 1]), high = fmaxf(v[k], v[k + 1]);

            v[k] = low;
            v[k + 1] = high;
        }
    out[i] = v[2];
}

__global__ void evaluate(float *y, const float *x, const float *coefficients, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float sum = 0;

        for (int k = 7; k >= 0; k--)
            sum = sum * x[i] + coefficients[k];
        y[i] = sum;
    }
}

__global__ void pairs_ahead(float *out, const float *in, int n)
{
    __shared__ float s[2][64];
    const float *mine = in + blockIdx.x * n;
    float sum = 0;

    __pipeline_memcpy_async(&s[0][threadIdx.x], &mine[threadIdx.x], sizeof(float));
    __pipeline_commit();
    for (int first = 0, buffer = 0; first < n; first += 64, buffer ^= 1) {
        if (first + 64 < n)
            __pipeline_memcpy_async(&s[buffer ^ 1][threadIdx.x], &mine[first + 64 + threadIdx.x],
                                    sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[buffer][threadIdx.x] * s[buffer][63 - threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void pool_pairs(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width / 2 && y < height / 2) {
        const float *p = in + 2 * y * width + 2 * x;

        out[y * (width / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
    }
}

static void moves(int n)
{
    float *in = random_floats(n), *got = host_array<float>(n), *put = host_array<float>(n);
    float *din = to_device(in, n), *d = device_array<float>(n);
    int *index = host_array<int>(n), *dindex;

    for (int i = 0; i < n; i++)
        index[i] = (int)(i * 1001L % n); /* each once, since n has no factor of 1001 */
    for (int i = 0; i < n; i++) {
        got[i] = in[index[i]];
        put[index[i]] = in[i];
    }
    dindex = to_device(index, n);
    gather<<<(n + 255) / 256, 256>>>(d, din, dindex, n);
    expect_equal("gather", d, got, n);
    scatter<<<(n + 255) / 256, 256>>>(d, din, dindex, n);
    expect_equal("scatter", d, put, n);
}

static int compare_keys(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return (x > y) - (x < y);
}

static void sorting(int blocks)
{
    unsigned *keys = host_array<unsigned>(512 * blocks), *d;

    for (int i = 0; i < 512 * blocks; i++)
        keys[i] = random_bits();
    d = to_device(keys, 512 * blocks);
    sort_block<<<blocks, 256>>>(d);
    for (int b = 0; b < blocks; b++)
        qsort(keys + 512 * b, 512, sizeof(unsigned), compare_keys);
    expect_equal("sort_block", d, keys, 512 * blocks);
}

static void bodies(int n)
{
    float *b = random_floats(4 * n), *force = host_array<float>(3 * n),
          *d = device_array<float>(3 * n);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double x = b[4 * k] - b[4 * i], y = b[4 * k + 1] - b[4 * i + 1],
                   z = b[4 * k + 2] - b[4 * i + 2];
            double pull = b[4 * k + 3] / pow(x * x + y * y + z * z + 0.01, 1.5);

            force[3 * i] += (float)(pull * x);
            force[3 * i + 1] += (float)(pull * y);
            force[3 * i + 2] += (float)(pull * z);
        }
    pull_bodies<<<n / 128, 128>>>((float3 *)d, (float4 *)to_device(b, 4 * n), n);
    expect_near("pull_bodies", d, force, 3 * n, 16 * n);
}

static void walkers(int n, int steps)
{
    int *visits = host_array<int>(8 * n), *d = device_array<int>(8 * n);

    for (int i = 0; i < n; i++) {
        unsigned state = 2 * i + 1;

        for (int k = 0, at = 0; k < steps; k++) {
            state = state * 1664525u + 1013904223u;
            at = (at + (state >> 30)) % 8;
            visits[at * n + i]++;
        }
    }
    walk<<<(n + 63) / 64, 64>>>(d, steps, n);
    expect_equal("walk", d, visits, 8 * n);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void windows(int n)
{
    float *in = random_floats(n), *middle = host_array<float>(n), *sum = host_array<float>(n);
    float *din = to_device(in, n), *d = device_array<float>(n), *c = random_floats(8);

    for (int i = 0; i + 4 < n; i++) {
        float v[5];

        memcpy(v, in + i, sizeof(v));
        qsort(v, 5, sizeof(float), compare_floats);
        middle[i] = v[2];
    }
    middle_of_five<<<(n + 127) / 128, 128>>>(d, din, n);
    expect_equal("middle_of_five", d, middle, n - 4);
    for (int i = 0; i < n; i++)
        for (int k = 7; k >= 0; k--)
            sum[i] = sum[i] * in[i] + c[k];
    evaluate<<<(n + 127) / 128, 128>>>(d, din, to_device(c, 8), n);
    expect_near("evaluate", d, sum, n, 32);
}

static void ahead(int blocks, int n) /* a multiple of 64 */
{
    float *in = random_floats(blocks * n), *out = host_array<float>(blocks * 64);
    float *d = device_array<float>(blocks * 64);

    for (int i = 0; i < blocks * 64; i++)
        for (int k = 0; k < n; k += 64)
            out[i] += in[i / 64 * n + k + i % 64] * in[i / 64 * n + k + 63 - i % 64];
    pairs_ahead<<<blocks, 64>>>(d, to_device(in, blocks * n), n);
    expect_near("pairs_ahead", d, out, blocks * 64, 4 * n / 64);
}

static void pooling(int width, int height)
{
    float *in = random_floats(width * height), *out = host_array<float>(width * height / 4);
    float *d = device_array<float>(width * height / 4);

    for (int i = 0; i < width * height / 4; i++) {
        const float *p = in + i / (width / 2) * 2 * width + i % (width / 2) * 2;

        out[i] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
    }
    pool_pairs<<<dim3((width / 2 + 31) / 32, (height / 2 + 7) / 8), dim3(32, 8)>>>(
        d, to_device(in, width * height), width, height);
    expect_equal("pool_pairs", d, out, width * height / 4);
}

int main()
{
    moves(3001);
    sorting(3);
    bodies(384);
    walkers(200, 50);
    windows(2222);
    ahead(5, 512);
    pooling(140, 60);
    return wrong ? 1 : 0;
}
