// A kernel raises a flag behind a memset in its stream, and a kernel of another device reads behind that flag what was
// set: in order. Then the memset is in a stream apart, which nothing orders: a finding.
// flags: --check
// devices: 2
// status: 1
// error: race: one operation reads what another writes, from[0] of 1 element
// error: wrote     check-flag-behind.cu:52
// error: --check: 1 finding
#include <cstdio>
#include <cuda/atomic>

typedef cuda::atomic_ref<unsigned, cuda::thread_scope_system> word;

__global__ void tell(unsigned *flag)
{
    word(*flag).store(1, cuda::memory_order_release);
}

__global__ void read_behind(int *to, const int *from, unsigned *flag)
{
    while (word(*flag).load(cuda::memory_order_acquire) == 0)
        ;
    *to = *from;
}

int main()
{
    int *x, *late, *y, host = 0;
    unsigned *flag;
    cudaStream_t s[2], apart;

    for (int d = 1; d >= 0; d--) {
        cudaSetDevice(d);
        cudaDeviceEnablePeerAccess(1 - d, 0);
        cudaStreamCreateWithFlags(&s[d], cudaStreamNonBlocking);
    }
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaMalloc(&x, sizeof(int));
    cudaMalloc(&late, sizeof(int));
    cudaMalloc(&y, sizeof(int));
    cudaMalloc(&flag, 2 * sizeof(*flag));
    cudaMemset(flag, 0, 2 * sizeof(*flag));
    cudaDeviceSynchronize();
    cudaMemsetAsync(x, 1, sizeof(int), s[0]);
    tell<<<1, 1, 0, s[0]>>>(flag);
    cudaSetDevice(1);
    read_behind<<<1, 1, 0, s[1]>>>(y, x, flag);
    cudaMemcpyAsync(&host, y, sizeof(host), cudaMemcpyDeviceToHost, s[1]);
    cudaStreamSynchronize(s[1]);
    printf("%x\n", host);
    cudaSetDevice(0);
    cudaMemsetAsync(late, 1, sizeof(int), apart);
    tell<<<1, 1, 0, s[0]>>>(flag + 1);
    cudaSetDevice(1);
    read_behind<<<1, 1, 0, s[1]>>>(y, late, flag + 1);
    cudaStreamSynchronize(s[1]);
}
