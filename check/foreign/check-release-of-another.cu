// Three things that order nothing: a read that acquires, before a flag that does not release; a flag that releases,
// before another one that does not; and a relaxed read of a flag, before a write that releases. And what does order: a
// fence before the flag, and one behind the read.
// flags: --check
// status: 1
// error: race
// error: check-release-of-another.cu:21
// error: check-release-of-another.cu:29
// error: check-release-of-another.cu:46
// error: --check: 3 findings
#include <cstdio>
#include <cuda/atomic>

using namespace cuda;
typedef atomic_ref<unsigned, thread_scope_device> word;

enum { ACQUIRED, OTHER, RELAXED, FENCED, WAYS };

__device__ void produce_acquired(int *x, unsigned *flag, unsigned *other)
{
    *x = 1;
    (void)word(*other).load(memory_order_acquire);
    word(*flag).store(1, memory_order_relaxed);
}

// The other word tells of x, and the flag does not.
__device__ void produce_other(int *x, unsigned *flag, unsigned *other)
{
    *x = 2;
    word(*other).store(1, memory_order_release);
    word(*flag).store(1, memory_order_relaxed);
}

__device__ void produce(int *x, unsigned *flag)
{
    *x = 3;
    atomic_thread_fence(memory_order_release, thread_scope_device);
    word(*flag).store(1, memory_order_relaxed);
}

__device__ int consume_relaxed(const int *x, unsigned *flag, unsigned *other)
{
    while (word(*flag).load(memory_order_relaxed) == 0)
        ;
    word(*other).store(1, memory_order_release);
    return *x;
}

__device__ int consume(const int *x, unsigned *flag)
{
    while (word(*flag).load(memory_order_relaxed) == 0)
        ;
    atomic_thread_fence(memory_order_acquire, thread_scope_device);
    return *x;
}

__global__ void hand_over(int way, int *x, unsigned *flag, unsigned *other, int *sum)
{
    if (blockIdx.x == 1)
        *sum += way == RELAXED ? consume_relaxed(x, flag, other + 1) : consume(x, flag);
    else if (way == ACQUIRED)
        produce_acquired(x, flag, other);
    else if (way == OTHER)
        produce_other(x, flag, other);
    else
        produce(x, flag);
}

int main()
{
    int *x, *sum, result;
    unsigned *words;

    cudaMalloc(&x, WAYS * sizeof(*x));
    cudaMalloc(&sum, sizeof(*sum));
    cudaMalloc(&words, 3 * WAYS * sizeof(*words));
    cudaMemset(sum, 0, sizeof(*sum));
    cudaMemset(words, 0, 3 * WAYS * sizeof(*words));
    for (int way = 0; way < WAYS; way++) {
        hand_over<<<2, 1>>>(way, x + way, words + 3 * way, words + 3 * way + 1, sum);
        cudaDeviceSynchronize();
    }
    cudaMemcpy(&result, sum, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%d\n", result);
}
