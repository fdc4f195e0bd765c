/* Neighbours: stencils in one, two and three dimensions, and convolutions, with and without tiles. */
#include "program.h"

enum { RADIUS = 3, TILE = 16, TAPS = 9, HALF = TAPS / 2 };

__constant__ float taps[TAPS];

__global__ void sum_neighbours(const float *in, float *out, int n)
{
    __shared__ float s[128 + 2 * RADIUS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = threadIdx.x + RADIUS;

    s[k] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < RADIUS) {
        int left = i - RADIUS, right = i + blockDim.x;

        s[k - RADIUS] = left >= 0 ? in[left] : 0.0f;
        s[k + blockDim.x] = right < n ? in[right] : 0.0f;
    }
    __syncthreads();
    if (i < n) {
        float sum = 0;

        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += s[k + j];
        out[i] = sum;
    }
}

__global__ void heat_step(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        int i = y * width + x;

        out[i] =
            in[i] + 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4.0f * in[i]);
    }
}

__global__ void heat_step_tiled(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, i = y * width + x;

    if (x < width && y < height) {
        tile[ty][tx] = in[i];
        if (threadIdx.x == 0 && x > 0)
            tile[ty][0] = in[i - 1];
        if (threadIdx.x == TILE - 1 && x < width - 1)
            tile[ty][TILE + 1] = in[i + 1];
        if (threadIdx.y == 0 && y > 0)
            tile[0][tx] = in[i - width];
        if (threadIdx.y == TILE - 1 && y < height - 1)
            tile[TILE + 1][tx] = in[i + width];
    }
    __syncthreads();
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        out[i] = tile[ty][tx] + 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] +
                                         tile[ty + 1][tx] - 4.0f * tile[ty][tx]);
}

__global__ void laplace_volume(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;

    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    int i = (z * ny + y) * nx + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] -
             6.0f * in[i];
}

__global__ void convolve_rows(float *out, const float *in, int width, int height)
{
    __shared__ float row[4][64 + 2 * HALF];
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    const float *line = in + y * width;

    row[threadIdx.y][threadIdx.x + HALF] = line[x];
    if (threadIdx.x < HALF) {
        row[threadIdx.y][threadIdx.x] = x >= HALF ? line[x - HALF] : 0.0f;
        row[threadIdx.y][threadIdx.x + 64 + HALF] = x + 64 < width ? line[x + 64] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * row[threadIdx.y][threadIdx.x + k];
    out[y * width + x] = sum;
}

__global__ void convolve_columns(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    for (int k = -HALF; k <= HALF; k++)
        if (y + k >= 0 && y + k < height)
            sum += taps[k + HALF] * in[(y + k) * width + x];
    out[y * width + x] = sum;
}

__global__ void life_step(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        alive = 0;

    if (x >= width || y >= height)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
    unsigned char self = in[y * width + x];
    out[y * width + x] = alive == 3 || (alive == 2 && self);
}

static float at(const float *in, int i, int n)
{
    return i >= 0 && i < n ? in[i] : 0;
}

static void line(int n)
{
    float *in = random_floats(n), *out = host_array<float>(n), *d = device_array<float>(n);

    for (int i = 0; i < n; i++)
        for (int j = -RADIUS; j <= RADIUS; j++)
            out[i] += at(in, i + j, n);
    sum_neighbours<<<(n + 127) / 128, 128>>>(to_device(in, n), d, n);
    expect_near("sum_neighbours", d, out, n, 2 * RADIUS + 1);
}

static void plane(int width, int height)
{
    int n = width * height;
    float *in = random_floats(n), *out = host_array<float>(n), *din = to_device(in, n);
    float *d = device_array<float>(n);
    dim3 threads(TILE, TILE), blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);

    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const float *p = in + y * width + x;

            out[y * width + x] = p[0] + 0.25f * (p[-1] + p[1] + p[-width] + p[width] - 4 * p[0]);
        }
    heat_step<<<blocks, threads>>>(din, d, width, height);
    expect_near("heat_step", d, out, n, 16);
    d = device_array<float>(n);
    heat_step_tiled<<<blocks, threads>>>(din, d, width, height);
    expect_near("heat_step_tiled", d, out, n, 16);
}

static void volume(int nx, int ny, int nz)
{
    int n = nx * ny * nz, area = nx * ny;
    float *in = random_floats(n), *out = host_array<float>(n), *d = device_array<float>(n);

    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                const float *p = in + (z * ny + y) * nx + x;

                out[p - in] = p[-1] + p[1] + p[-nx] + p[nx] + p[-area] + p[area] - 6 * p[0];
            }
    laplace_volume<<<dim3((nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2), dim3(32, 4, 2)>>>(
        to_device(in, n), d, nx, ny, nz);
    expect_near("laplace_volume", d, out, n, 16);
}

static void convolutions(int width, int height) /* of whole tiles */
{
    int n = width * height;
    float *in = random_floats(n), *rows = host_array<float>(n), *columns = host_array<float>(n);
    float *weights = random_floats(TAPS), *din = to_device(in, n), *d = device_array<float>(n);

    must(cudaMemcpyToSymbol(taps, weights, sizeof(taps)), "cudaMemcpyToSymbol");
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int k = -HALF; k <= HALF; k++) {
                rows[y * width + x] += weights[k + HALF] * at(in + y * width, x + k, width);
                if (y + k >= 0 && y + k < height)
                    columns[y * width + x] += weights[k + HALF] * in[(y + k) * width + x];
            }
    convolve_rows<<<dim3(width / 64, height / 4), dim3(64, 4)>>>(d, din, width, height);
    expect_near("convolve_rows", d, rows, n, 2 * TAPS);
    d = device_array<float>(n);
    convolve_columns<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(d, din, width, height);
    expect_near("convolve_columns", d, columns, n, 2 * TAPS);
}

static void life(int width, int height)
{
    int n = width * height;
    unsigned char *in = host_array<unsigned char>(n), *out = host_array<unsigned char>(n);
    unsigned char *d = device_array<unsigned char>(n);

    for (int i = 0; i < n; i++)
        in[i] = random_bits() >> 7 & 1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int alive = -in[y * width + x];

            for (int k = 0; k < 9; k++)
                alive +=
                    in[(y + k / 3 - 1 + height) % height * width + (x + k % 3 - 1 + width) % width];
            out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
        }
    life_step<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(to_device(in, n), d,
                                                                          width, height);
    expect_equal("life_step", d, out, n);
}

int main()
{
    line(5000);
    plane(100, 70);
    volume(40, 20, 10);
    convolutions(192, 64);
    life(90, 50);
    return wrong ? 1 : 0;
}
