/* Barriers of block and warp, shared memory, launch shapes. */
#include "expect.h"

__global__ void rotate(int *out, int rounds)
{
    extern __shared__ int s[];
    unsigned t = threadIdx.x, n = blockDim.x;

    s[t] = (int)t;
    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        int next = s[(t + 1) % n];
        __syncthreads();
        s[t] = next;
    }
    out[blockIdx.x * n + t] = s[t];
}

__global__ void counting(int *out)
{
    int t = (int)threadIdx.x;
    int a = __syncthreads_count(t % 3 == 0);
    int b = __syncthreads_and(t < 100), c = __syncthreads_and(t >= 0);
    int d = __syncthreads_or(t == 77), e = __syncthreads_or(t < 0);

    out[t] = a * 16 + (b != 0) * 8 + (c != 0) * 4 + (d != 0) * 2 + (e != 0);
}

/* Threads that have ended count as arrived. */
__global__ void some_leave(int *out)
{
    __shared__ int s[64];

    if (threadIdx.x >= 40)
        return;
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[39 - threadIdx.x];
}

/* Each warp at its own barrier; the halves of a warp at theirs. */
__global__ void warp_barriers(int *out)
{
    __shared__ int s[96];
    unsigned t = threadIdx.x, lane = t % 32;

    s[t] = (int)t;
    __syncwarp();
    int v = s[t ^ 1];
    __syncwarp();
    if (lane < 16) {
        s[t] = v + 100;
        __syncwarp(0x0000ffff);
        v = s[t ^ 8];
    } else if (t / 32 != 1) {
        s[t] = v + 200;
        __syncwarp(0xffff0000);
        v = s[t ^ 4];
    }
    out[t] = v;
}

/* A warp's lanes come to the same barrier from two branches: a barrier of the block counts. */
__global__ void from_branches(int *out)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;

    if (t % 2)
        s[t] = 1;
    else
        s[t] = 2;
    __syncthreads();
    out[t] = s[(t + 1) % 64];
}

/* One warp does the work of all, the others only take part in barriers. */
__global__ void by_warp(int *out)
{
    __shared__ int sum;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (unsigned w = 0; w < blockDim.x / 32; w++) {
        if (threadIdx.x / 32 == w)
            atomicAdd(&sum, (int)w);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

__global__ void indices(int *out)
{
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    __shared__ int s[64];

    s[thread] = (int)thread;
    __syncthreads();
    out[block * threads + thread] =
        (int)(block * 1000 + (unsigned)s[threads - 1 - thread]) + (warpSize - 32);
}

static int rotated_wrong(int blocks, int threads, int rounds)
{
    int *d = device_array<int>((size_t)blocks * threads), bad = 0;

    rotate<<<blocks, threads, threads * sizeof(int)>>>(d, rounds);
    int *h = on_host(d, (size_t)blocks * threads);
    for (int i = 0; i < blocks * threads; i++)
        bad += h[i] != (i % threads + rounds) % threads;
    free(h);
    cudaFree(d);
    return bad;
}

/* Many atomics that change nothing, each at another place: busy, and no wait for others. */
__global__ void adding_nothing(int *x, int n)
{
    for (int i = 0; i < n; i++)
        atomicAdd(&x[i], 0);
}

int main()
{
    static const int threads[] = {1, 2, 31, 32, 33, 63, 64, 65, 100, 127, 128, 1000, 1023, 1024};
    int *d = device_array<int>(4096), *h, bad = 0;
    char text[100];

    for (int t : threads) {
        snprintf(text, sizeof(text), "a barrier of %d threads", t);
        expect_equal(rotated_wrong(3, t, 5), 0, text);
    }
    expect_equal(rotated_wrong(2000, 64, 3), 0, "barriers in 2000 blocks");
    counting<<<1, 128>>>(d);
    h = on_host(d, 128);
    for (int i = 0; i < 128; i++)
        bad += h[i] != 43 * 16 + 4 + 2;
    expect_equal(bad, 0, "__syncthreads_count, _and, _or");
    some_leave<<<1, 64>>>(d);
    h = on_host(d, 40);
    bad = 0;
    for (int i = 0; i < 40; i++)
        bad += h[i] != 1;
    expect(bad == 0 && launch_error() == 0, "threads that have ended do not hold up a barrier");
    warp_barriers<<<1, 96>>>(d);
    h = on_host(d, 96);
    bad = 0;
    for (int i = 0; i < 96; i++) {
        int lane = i % 32;

        bad += h[i] != (lane < 16 ? (i ^ 8 ^ 1) + 100 : i / 32 != 1 ? (i ^ 4 ^ 1) + 200 : (i ^ 1));
    }
    expect_equal(bad, 0, "__syncwarp with whole and half masks");
    from_branches<<<1, 64>>>(d);
    h = on_host(d, 64);
    bad = 0;
    for (int i = 0; i < 64; i++)
        bad += h[i] != ((i + 1) % 2 ? 1 : 2);
    expect_equal(bad, 0, "a barrier behind a branch");
    by_warp<<<40, 256>>>(d);
    h = on_host(d, 40);
    bad = 0;
    for (int i = 0; i < 40; i++)
        bad += h[i] != 32 * 28;
    expect_equal(bad, 0, "warps in turn");
    adding_nothing<<<3, 1>>>(d, 4096);
    expect(launch_error() == 0, "atomics that add nothing at many places are no deadlock");
    indices<<<dim3(3, 2, 4), dim3(4, 3, 2)>>>(d);
    h = on_host(d, 24 * 24);
    bad = 0;
    for (int i = 0; i < 24 * 24; i++)
        bad += h[i] != i / 24 * 1000 + 23 - i % 24;
    expect_equal(bad, 0, "blocks and grids of three dimensions");
    return expect_status();
}
