// flags: --check
// status: 1
// error: wait for its barrier object comes before (early)
// error: wait for its barrier object comes before (unexpected)
// error: wait for its barrier object comes before (arrived)
// error: s[0] of 64 elements in shared memory, with no barrier between (arrived, --schedule
// error: wait for its barrier object comes before (twice)
// error: s[0] of 64 elements in shared memory, with no barrier between (refilled)
// error: wait for its barrier object comes before (wrong_parity)
// error: cp.async.bulk reads s[0] of 64 elements in shared memory, which was stored with no fence.proxy.async behind
// error: which cp.async.bulk may still read: no wait for its group comes before (overwritten)
// error: the block ends while a copy of cp.async.bulk still writes shared memory (left_load
// error: the block ends while a copy of cp.async.bulk still reads shared memory (left_store
// error: one thread reads what another writes, s[0] of 64 elements in shared memory, with no barrier between (only_one
// error: --check: 13 findings
// What copies in bulk need: a wait before what they bring is read, bytes that the barrier expects, a stage that its
// readers have left, a fence of the proxies behind what is stored, a wait before it is overwritten and before the end.
// `right` has all of it, and `behind` has the fence on the other side of the barrier.
#include "parts/tma.cuh"

enum { BYTES = 256 };

__device__ void begin(uint64_t *full, unsigned count = 1)
{
    if (threadIdx.x == 0)
        barrier_init(full, count);
    __syncthreads();
}

__device__ void load(float *s, const float *x, uint64_t *full)
{
    barrier_expect(full, BYTES);
    bulk_load(s, x, BYTES, full);
}

__device__ void store(float *x, const float *s)
{
    bulk_store(x, s, BYTES);
    bulk_commit();
}

__global__ void right(float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ uint64_t full, empty;

    begin(&full);
    begin(&empty, 32);
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 32) {
            barrier_wait(&empty, ~i & 1);
            load(s, x, &full);
        } else if (threadIdx.x < 32) {
            barrier_wait(&full, i & 1);
            x[64 + threadIdx.x] = s[threadIdx.x] + i;
            barrier_arrive(&empty);
        }
    }
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        store(x + 128, s);
        bulk_wait_read<0>();
    }
    __syncthreads();
    s[threadIdx.x] = -1;
}

__global__ void behind(float *x)
{
    __shared__ __align__(128) float s[64];

    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        proxy_fence();
        store(x + 128, s);
        bulk_wait<0>();
    }
}

__global__ void early(float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ uint64_t full;

    begin(&full);
    if (threadIdx.x == 0) {
        load(s, x, &full);
        x[64] = s[0];
        barrier_wait(&full, 0);
    }
}

__global__ void unexpected(float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ uint64_t full;

    begin(&full);
    if (threadIdx.x == 0) {
        bulk_load(s, x, BYTES, &full);
        barrier_arrive(&full);
        barrier_wait(&full, 0);
        x[64] = s[0];
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&full)), "r"(BYTES)
                     : "memory");
        barrier_arrive(&full);
        barrier_wait(&full, 1);
    }
}

__global__ void arrived(float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ uint64_t full;

    begin(&full);
    if (threadIdx.x == 32) {
        __nanosleep(1000); // the other one waits by then
        barrier_arrive(&full);
        bulk_load(s, x, BYTES, &full);
    } else if (threadIdx.x == 0) {
        barrier_wait(&full, 0);
        x[64] = s[0];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, BYTES);
        barrier_wait(&full, 1);
    }
}

__global__ void twice(float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ uint64_t full;

    begin(&full);
    if (threadIdx.x == 0) {
        load(s, x, &full);
        s[0] = 1;
        barrier_wait(&full, 0);
    }
}

__global__ void refilled(float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ uint64_t full;

    begin(&full);
    for (int i = 0; i < 2; i++)
        if (threadIdx.x == 32) {
            load(s, x, &full);
            barrier_wait(&full, i);
        } else if (threadIdx.x == 0) {
            barrier_wait(&full, i);
            x[64 + i] = s[0];
        }
}

__global__ void wrong_parity(float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ uint64_t full;

    begin(&full);
    if (threadIdx.x == 0) {
        load(s, x, &full);
        barrier_wait(&full, 1);
        x[64] = s[0];
        barrier_wait(&full, 0);
    }
}

__global__ void only_one(float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ uint64_t full;

    begin(&full);
    if (threadIdx.x == 0) {
        load(s, x, &full);
        barrier_wait(&full, 0);
    }
    if (threadIdx.x == 32) {
        __nanosleep(1000);
        x[64] = s[0];
    }
}

__global__ void stored(float *x)
{
    __shared__ __align__(128) float s[64];

    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        store(x + 128, s);
        bulk_wait<0>();
    }
}

__global__ void overwritten(float *x)
{
    __shared__ __align__(128) float s[64];

    s[threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        store(x + 128, s);
        s[0] = 5;
        bulk_wait<0>();
    }
}

__global__ void left_load(float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ uint64_t full;

    begin(&full);
    if (threadIdx.x == 0)
        load(s, x, &full);
}

__global__ void left_store(float *x)
{
    __shared__ __align__(128) float s[64];

    s[threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0)
        store(x + 128, s);
}

static float *x;

static void clear()
{
    for (int i = 0; i < 256; i++)
        x[i] = i < 64 ? i + 1 : 0;
}

static void show()
{
    cudaDeviceSynchronize();
    printf("%g %g %g\n", x[64], fabsf(x[128]), x[129]);
}

#define RUN(KERNEL) (clear(), KERNEL<<<1, 64>>>(x), show())

int main()
{
    cudaMallocManaged(&x, 256 * sizeof(*x));
    RUN(right);
    RUN(behind);
    RUN(early);
    RUN(unexpected);
    RUN(arrived);
    RUN(twice);
    RUN(refilled);
    RUN(wrong_parity);
    RUN(only_one);
    RUN(stored);
    RUN(overwritten);
    RUN(left_load);
    RUN(left_store);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
