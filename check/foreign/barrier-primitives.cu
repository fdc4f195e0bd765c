// flags: --check
// The primitives behind cuda::barrier: tokens, parities, and a copy that a barrier waits for.
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>
#include <stdio.h>

__global__ void tokens(int *out, const int *x)
{
    __shared__ __mbarrier_t bar;
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t == 0)
        __mbarrier_init(&bar, 64);
    __syncthreads();
    s[t] = t;
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    if (t == 0)
        out[128] = __mbarrier_token_pending_count(token) > 0;
    while (!__mbarrier_test_wait(&bar, token))
        ;
    out[t] = s[63 - t];
    (void)__mbarrier_arrive(&bar);
    while (!__mbarrier_try_wait_parity(&bar, 1, 100))
        ;
    __pipeline_memcpy_async(&s[t], &x[t], sizeof(int));
    __pipeline_arrive_on(&bar);
    token = __mbarrier_arrive(&bar);
    while (!__mbarrier_try_wait(&bar, token, 100))
        ;
    out[64 + t] = s[63 - t];
    __syncthreads();
    if (t == 0)
        __mbarrier_inval(&bar);
}

int main()
{
    int h[64], r[129], *x, *out, bad = 0;

    for (int i = 0; i < 64; i++)
        h[i] = 1000 + i;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    tokens<<<1, 64>>>(out, x);
    cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; t++)
        bad += r[t] != 63 - t || r[64 + t] != 1063 - t;
    printf("%d %d, pending %d, %u at most, %d wrong, %s\n", r[0], r[64], r[128],
           __mbarrier_maximum_count(), bad, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
