// Kernels of two devices are ordered by a flag, and a copy and a kernel stand behind the second one in
// its stream: what the first wrote before the flag is in order before these, too. Then the same of
// what it writes behind the flag, and a copy in a third stream, which nothing orders.
// flags: --check
// devices: 2
// status: 1
// error: race: one operation reads what another writes, byte 0 of allocation 4
// error: wrote     check-flag-copy.cu:20
// error: in stream 3 of device 1
// error: --check: 3 findings
#include <cstdio>
#include <cuda/atomic>

typedef cuda::atomic_ref<unsigned, cuda::thread_scope_system> word;

__global__ void produce(int *x, int *late, unsigned *flag)
{
    *x = 42;
    word(*flag).store(1, cuda::memory_order_release);
    *late = 43;
}

__global__ void await(unsigned *flag)
{
    while (word(*flag).load(cuda::memory_order_acquire) == 0)
        ;
    word(flag[1]).store(1, cuda::memory_order_relaxed);
}

// It ends behind that one, and acquires nothing.
__global__ void await_relaxed(unsigned *flag)
{
    while (word(flag[1]).load(cuda::memory_order_relaxed) == 0)
        ;
}

__global__ void fetch(int *to, const int *from)
{
    *to = *from;
}

int main()
{
    int *x, *late, *y, host[2] = {0, 0};
    unsigned *flag;
    cudaStream_t s[2], apart;

    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaDeviceEnablePeerAccess(1 - d, 0);
        cudaStreamCreateWithFlags(&s[d], cudaStreamNonBlocking);
    }
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaMalloc(&y, 3 * sizeof(int));
    cudaMalloc(&flag, 2 * sizeof(*flag));
    cudaMemset(flag, 0, 2 * sizeof(*flag));
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaMalloc(&x, sizeof(int));
    cudaMalloc(&late, sizeof(int));
    cudaMemset(late, 0, sizeof(int));
    cudaDeviceSynchronize();
    produce<<<1, 1, 0, s[0]>>>(x, late, flag);
    cudaSetDevice(1);
    await<<<1, 1, 0, s[1]>>>(flag);
    cudaMemcpyPeerAsync(y, 1, x, 0, sizeof(int), s[1]);
    fetch<<<1, 1, 0, s[1]>>>(y + 1, x);
    await_relaxed<<<1, 1, 0, apart>>>(flag);
    cudaMemcpyPeerAsync(y + 2, 1, x, 0, sizeof(int), apart);
    cudaMemcpyAsync(host, y, sizeof(host), cudaMemcpyDeviceToHost, s[1]);
    cudaStreamSynchronize(s[1]);
    printf("%d %d\n", host[0], host[1]);
    fflush(stdout);
    cudaMemcpyPeerAsync(y, 1, late, 0, sizeof(int), s[1]);
    fetch<<<1, 1, 0, s[1]>>>(y + 1, late);
    cudaStreamSynchronize(s[1]);
}
