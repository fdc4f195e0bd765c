// Threads add to counters, and nobody takes the old value: no order of the additions is tried. SHAPE says what else is
// done with the counter.
#include <cassert>
#include <cstdio>
#include <cuda/atomic>

typedef cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter;
#define RELAXED cuda::memory_order_relaxed

enum shape {
    HAND_OVER,   // two give, one waits for both
    NO_RELEASE,  // the same, one of the two without its release
    CAUSED,      // one looks, and may not: the second comes behind the first
    ALONE,       // one looks, and may have seen the second without the first
    AGREE,       // two look: they may not have seen one each
    TWICE,       // one looks twice, and has not forgotten
    BOTH_FENCED, // each adds between fences: one of the two has seen what the other wrote before
    ONE_FENCED,  // only one does
    BEGIN_ANEW,  // a counter that is set to 0 in between
};

__global__ void add(enum shape shape, unsigned *count, unsigned *data, unsigned *seen)
{
    unsigned me = blockIdx.x, first, second;

    if (shape == BEGIN_ANEW) {
        __shared__ unsigned sum;

        for (int i = 0; i < 2; i++) {
            if (threadIdx.x == 0)
                sum = 0;
            __syncthreads();
            atomicAdd(&sum, 1);
            __syncthreads();
            assert(sum == blockDim.x);
            __syncthreads();
        }
    } else if (shape == BOTH_FENCED || shape == ONE_FENCED) {
        if (me > 1)
            return;
        counter(data[me]).store(1, RELAXED);
        cuda::atomic_thread_fence(cuda::memory_order_acq_rel);
        atomicAdd(count, 1);
        if (shape == BOTH_FENCED || me == 0)
            cuda::atomic_thread_fence(cuda::memory_order_acq_rel);
        seen[me] = counter(data[1 - me]).load(RELAXED);
    } else if (me < 2 && (shape == HAND_OVER || shape == NO_RELEASE)) {
        data[me] = 1;
        counter(*count).fetch_add(1, shape == NO_RELEASE && me == 1 ? RELAXED
                                                                    : cuda::memory_order_release);
    } else if (shape == CAUSED && me == 0) {
        atomicAdd(count, 1);
        counter(*data).store(1, cuda::memory_order_release);
    } else if (shape == CAUSED && me == 1) {
        while (counter(*data).load(cuda::memory_order_acquire) == 0)
            ;
        atomicAdd(count, 2);
    } else if (me < 2) {
        counter(*count).fetch_add(me + 1, RELAXED);
    } else if (shape == HAND_OVER || shape == NO_RELEASE) {
        while (counter(*count).load(cuda::memory_order_acquire) < 2)
            ;
        assert(data[0] + data[1] == 2);
    } else {
        first = counter(*count).load(RELAXED);
        second = shape == TWICE ? counter(*count).load(RELAXED) : first;
        assert((shape != ALONE && shape != CAUSED) || first != 2);
        assert((first & second) == first);
        seen[me] = first;
    }
}

int main()
{
    unsigned *x, seen[4] = {};

    cudaMalloc((void **)&x, 256);
    cudaMemset(x, 0, 256);
    add<<<SHAPE == BEGIN_ANEW ? 1
          : SHAPE == AGREE    ? 4
                              : 3,
          SHAPE == BEGIN_ANEW ? 2 : 1>>>(SHAPE, x, x + 16, x + 32);
    cudaMemcpy(seen, x + 32, sizeof(seen), cudaMemcpyDeviceToHost);
    if (SHAPE == AGREE)
        return (seen[2] & seen[3]) != seen[2] && (seen[2] & seen[3]) != seen[3];
    return (SHAPE == BOTH_FENCED || SHAPE == ONE_FENCED) && seen[0] + seen[1] == 0;
}
