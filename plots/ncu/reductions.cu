/* Many values to few: sums, dot products, histograms, rows of softmax and norms, prefixes, selection. */
#include <cooperative_groups.h>
#include "program.h"

namespace cg = cooperative_groups;

__global__ void dot_product(float *result, const float *a, const float *b, int n)
{
    __shared__ float partial[256];
    float sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += a[i] * b[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(result, partial[0]);
}

/* Each thread's sum in shared memory, from the first addition on. */
__global__ void sum_in_shared(float *sums, const float *x, int n)
{
    extern __shared__ float tsum[];
    int id = threadIdx.x;

    tsum[id] = 0.0f;
    for (int k = blockIdx.x * blockDim.x + id; k < n; k += gridDim.x * blockDim.x)
        tsum[id] += x[k];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (id < k)
            tsum[id] += tsum[id + k];
        __syncthreads();
    }
    if (id == 0)
        sums[blockIdx.x] = tsum[0];
}

__global__ void count_bytes(unsigned *bins, const unsigned char *data, int n)
{
    __shared__ unsigned local[256];

    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void sum_words(unsigned long long *sum, unsigned long long *most,
                          const unsigned long long *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        atomicAdd(sum, x[i]);
        atomicMax(&most[i % 7], x[i]);
    }
}

/* A warp for each row. */
__global__ void softmax_rows(float *out, const float *in, int rows, int columns)
{
    int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;

    if (row >= rows)
        return;
    const float *x = in + row * columns;
    float *y = out + row * columns;
    float most = -INFINITY, sum = 0;

    for (int i = lane; i < columns; i += 32)
        most = fmaxf(most, x[i]);
    for (int step = 16; step > 0; step >>= 1)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
    for (int i = lane; i < columns; i += 32) {
        float e = expf(x[i] - most);

        y[i] = e;
        sum += e;
    }
    for (int step = 16; step > 0; step >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    for (int i = lane; i < columns; i += 32)
        y[i] = y[i] / sum;
}

/* A block for each row; the warps' parts meet in shared memory. */
__global__ void layer_norm(float *out, const float *in, const float *scale, const float *shift,
                           int columns)
{
    __shared__ float sums[32], squares[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int warps = blockDim.x / 32, number = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *x = in + blockIdx.x * columns;
    float sum = 0, square = 0;

    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        float v = x[i];

        sum += v;
        square += v * v;
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += warp.shfl_xor(sum, step);
        square += warp.shfl_xor(square, step);
    }
    if (lane == 0) {
        sums[number] = sum;
        squares[number] = square;
    }
    block.sync();
    sum = lane < warps ? sums[lane] : 0.0f;
    square = lane < warps ? squares[lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) {
        sum += warp.shfl_xor(sum, step);
        square += warp.shfl_xor(square, step);
    }
    float mean = sum / columns, factor = rsqrtf(square / columns - mean * mean + 1e-5f);

    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = (x[i] - mean) * factor * scale[i] + shift[i];
}

__global__ void prefix_sums(int *out, const int *in, int n)
{
    __shared__ int both[2 * 256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, from = 0, to = 1;

    both[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        both[to * 256 + t] = both[from * 256 + t] + (t >= step ? both[from * 256 + t - step] : 0);
        __syncthreads();
        from = 1 - from;
        to = 1 - to;
    }
    if (i < n)
        out[i] = both[from * 256 + t];
}

/* Keeps the positive ones of each block: a flag, its place among the warp's, the warps before. */
__global__ void keep_positive(int *kept, int *count, const int *in, int n)
{
    __shared__ int found[8];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int v = i < n ? in[i] : 0, first = 0;
    unsigned flags = __ballot_sync(0xffffffff, v > 0);

    if (lane == 0)
        found[warp] = __popc(flags);
    __syncthreads();
    for (int w = 0; w < warp; w++)
        first += found[w];
    if (v > 0)
        kept[blockIdx.x * 256 + first + __popc(flags & ((1u << lane) - 1))] = v;
    if (threadIdx.x == 255)
        count[blockIdx.x] = first + __popc(flags);
}

struct best {
    float value;
    int index;
};

/* Where the largest is: pairs in shared memory. */
__global__ void find_largest(best *result, const float *x, int n)
{
    __shared__ best s[128];
    best b = {-INFINITY, -1};

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (x[i] > b.value) {
            b.value = x[i];
            b.index = i;
        }
    s[threadIdx.x] = b;
    __syncthreads();
    for (int half = 64; half > 0; half >>= 1) {
        if (threadIdx.x < half && s[threadIdx.x + half].value > s[threadIdx.x].value)
            s[threadIdx.x] = s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *result = s[0];
}

static void sums(int n, int blocks)
{
    float *a = random_floats(n), *b = random_floats(n), *d = device_array<float>(1);
    float *da = to_device(a, n), *each = host_array<float>(blocks),
          *dsum = device_array<float>(blocks);
    double dot = 0;

    for (int i = 0; i < n; i++) {
        dot += (double)a[i] * b[i];
        each[i / 256 % blocks] += a[i];
    }
    float host = (float)dot;
    dot_product<<<blocks, 256>>>(d, da, to_device(b, n), n);
    expect_near("dot_product", d, &host, 1, n);
    sum_in_shared<<<blocks, 256, 256 * sizeof(float)>>>(dsum, da, n);
    expect_near("sum_in_shared", dsum, each, blocks, n);
}

static void counts(int n)
{
    unsigned char *data = host_array<unsigned char>(n);
    unsigned *bins = host_array<unsigned>(256), *dbins = device_array<unsigned>(256);
    unsigned long long *x = host_array<unsigned long long>(n),
                       *most = host_array<unsigned long long>(7);
    unsigned long long sum = 0, *dsum = device_array<unsigned long long>(1);
    unsigned long long *dmost = device_array<unsigned long long>(7);

    for (int i = 0; i < n; i++) {
        data[i] = (unsigned char)(random_bits() >> 3);
        bins[data[i]]++;
        x[i] = (unsigned long long)random_bits() << 12;
        sum += x[i];
        most[i % 7] = x[i] > most[i % 7] ? x[i] : most[i % 7];
    }
    count_bytes<<<5, 256>>>(dbins, to_device(data, n), n);
    expect_equal("count_bytes", dbins, bins, 256);
    sum_words<<<(n + 127) / 128, 128>>>(dsum, dmost, to_device(x, n), n);
    expect_equal("sum_words, sum", dsum, &sum, 1);
    expect_equal("sum_words, largest", dmost, most, 7);
}

static void rows(int count, int columns)
{
    int n = count * columns;
    float *in = random_floats(n), *soft = host_array<float>(n), *norm = host_array<float>(n);
    float *scale = random_floats(columns), *shift = random_floats(columns);
    float *din = to_device(in, n), *d = device_array<float>(n);

    for (int r = 0; r < count; r++) {
        double sum = 0, mean = 0, square = 0;

        for (int i = r * columns; i < (r + 1) * columns; i++) {
            sum += exp(in[i]);
            mean += in[i] / (double)columns;
            square += (double)in[i] * in[i] / columns;
        }
        for (int i = 0; i < columns; i++) {
            double x = in[r * columns + i];

            soft[r * columns + i] = (float)(exp(x) / sum);
            norm[r * columns + i] =
                (float)((x - mean) / sqrt(square - mean * mean + 1e-5) * scale[i] + shift[i]);
        }
    }
    softmax_rows<<<(count + 3) / 4, 128>>>(d, din, count, columns);
    expect_near("softmax_rows", d, soft, n, columns);
    layer_norm<<<count, 128>>>(d, din, to_device(scale, columns), to_device(shift, columns),
                               columns);
    expect_near("layer_norm", d, norm, n, columns);
}

static void selection(int n)
{
    int blocks = (n + 255) / 256, *in = host_array<int>(n), *prefix = host_array<int>(n);
    int *count = host_array<int>(blocks), *kept = host_array<int>(n), *d = device_array<int>(n);
    int *dcount = device_array<int>(blocks), *dkept = device_array<int>(256 * blocks), *din;
    float *x = random_floats(n);
    best largest = {x[0], 0};
    best *dlargest = device_array<best>(1);

    for (int i = 0; i < n; i++) {
        in[i] = (int)(random_bits() >> 4) % 201 - 100;
        prefix[i] = in[i] + (i % 256 ? prefix[i - 1] : 0);
        if (in[i] > 0)
            kept[i / 256 * 256 + count[i / 256]++] = in[i];
        if (x[i] > largest.value)
            largest = {x[i], i};
    }
    din = to_device(in, n);
    prefix_sums<<<blocks, 256>>>(d, din, n);
    expect_equal("prefix_sums", d, prefix, n);
    keep_positive<<<blocks, 256>>>(dkept, dcount, din, n);
    expect_equal("keep_positive, how many", dcount, count, blocks);
    expect_equal("keep_positive", dkept, kept, n);
    find_largest<<<1, 128>>>(dlargest, to_device(x, n), n);
    expect_equal("find_largest", (int *)dlargest + 1, &largest.index, 1);
}

int main()
{
    sums(20000, 6);
    counts(9999);
    rows(30, 150);
    selection(3000);
    return wrong ? 1 : 0;
}
