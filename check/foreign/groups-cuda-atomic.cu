// flags: --check
// cuda::atomic and atomic_ref: every operation, several types and sizes, a lock and a flag.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cstdio>

using counter = cuda::atomic<unsigned, cuda::thread_scope_device>;

__device__ counter tickets;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int message;

__global__ void operations(int *ints, double *doubles, unsigned char *bytes, long long *longs)
{
    unsigned t = threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(ints[0]), least(ints[1]), most(ints[2]);
    cuda::atomic_ref<int> bits(ints[3]), both(ints[4]), turned(ints[5]), last(ints[6]);
    cuda::atomic_ref<double, cuda::thread_scope_block> d(doubles[0]), top(doubles[1]);
    cuda::atomic_ref<unsigned char, cuda::thread_scope_block> byte(bytes[1]);
    cuda::atomic_ref<long long, cuda::thread_scope_device> wide(longs[0]);

    sum.fetch_add(t, cuda::memory_order_relaxed);
    sum++;
    sum -= 1;
    least.fetch_min(-(int)t);
    most.fetch_max(t * 3 % 64, cuda::std::memory_order_relaxed);
    bits |= 1 << t % 5;
    both &= ~(1 << t % 3);
    turned ^= t;
    last.exchange(9);
    d.fetch_add(0.25);
    top.fetch_max(t * 0.5);
    byte.fetch_add(3);
    long long old = wide.load();
    while (!wide.compare_exchange_weak(old, old * 3 % 1000003))
        ;
    tickets.fetch_add(2);
}

__global__ void hand_over(int *out)
{
    if (blockIdx.x == 0) {
        message = 42;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0)
            ;
        out[0] = message;
    }
}

__global__ void together(int *out)
{
    __shared__ cuda::latch<cuda::thread_scope_block> *unused;
    __shared__ alignas(8) char room[2][sizeof(cuda::atomic<long>)];
    auto *all = (cuda::latch<cuda::thread_scope_block> *)room[0];
    auto *two = (cuda::binary_semaphore<cuda::thread_scope_block> *)room[1];
    __shared__ int inside;

    if (threadIdx.x == 0) {
        new (all) cuda::latch<cuda::thread_scope_block>(64);
        new (two) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        inside = 0;
        unused = all;
    }
    __syncthreads();
    two->acquire();
    inside++;
    two->release();
    unused->arrive_and_wait();
    out[threadIdx.x] = inside;
}

int main()
{
    int *ints, *out;
    double *doubles;
    unsigned char *bytes;
    long long *longs, expected = 7;
    counter host_copy;

    cudaMallocManaged(&ints, 7 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(int));
    cudaMallocManaged(&doubles, 2 * sizeof(double));
    cudaMallocManaged(&bytes, 4);
    cudaMallocManaged(&longs, sizeof(long long));
    for (int i = 0; i < 7; i++)
        ints[i] = i == 4 ? -1 : 0;
    doubles[0] = doubles[1] = 0;
    for (int i = 0; i < 4; i++)
        bytes[i] = 200;
    longs[0] = expected;
    operations<<<1, 64>>>(ints, doubles, bytes, longs);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++)
        expected = expected * 3 % 1000003;
    cudaMemcpyFromSymbol(&host_copy, tickets, sizeof(host_copy));
    printf("%d %d %d 0x%x 0x%x %d %d, %g %g, %d %d, %lld of %lld, %u\n", ints[0], ints[1], ints[2],
           ints[3], ints[4], ints[5], ints[6], doubles[0], doubles[1], bytes[1], bytes[2], longs[0],
           expected, host_copy.load());
    hand_over<<<2, 1>>>(out);
    cudaDeviceSynchronize();
    printf("message %d\n", out[0]);
    together<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("inside %d %d, %s\n", out[0], out[63], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
