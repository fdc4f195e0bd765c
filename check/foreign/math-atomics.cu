// Every kind of atomic, by 64 blocks of 128 threads, against what a loop gives.
#include <cstdio>

const int THREADS = 64 * 128;

struct totals {
    int add, sub, least, most, all, any, odd, exchanged;
    unsigned up, down, uadd, umost;
    unsigned long long wide, wide_most, wide_or;
    long long signed_least, signed_and;
    float f, f_exchanged;
    double d;
    unsigned short half_word, pad;
    int system, block;
};

__device__ void add_to_short(unsigned short *p, unsigned short v)
{
    unsigned short old = *p, seen;

    do {
        seen = old;
        old = atomicCAS(p, seen, (unsigned short)(seen + v));
    } while (old != seen);
}

__device__ float most_of(float *p, float v)
{
    int *bits = (int *)p, old = *bits, seen;

    do {
        seen = old;
        old = atomicCAS(bits, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
    } while (old != seen);
    return __int_as_float(old);
}

__global__ void all(totals *t, float *most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int in_block;

    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads();
    atomicAdd(&t->add, i);
    atomicSub(&t->sub, 2);
    atomicMin(&t->least, i - 500);
    atomicMax(&t->most, -i);
    atomicAnd(&t->all, i | 0x1000);
    atomicOr(&t->any, i);
    atomicXor(&t->odd, i);
    atomicExch(&t->exchanged, 77);
    atomicInc(&t->up, 99);
    atomicDec(&t->down, 99);
    atomicAdd(&t->uadd, 3);
    atomicMax(&t->umost, i);
    atomicAdd(&t->wide, 1ull << 32);
    atomicMax(&t->wide_most, (unsigned long long)i << 33);
    atomicOr(&t->wide_or, 1ull << i % 64);
    atomicMin(&t->signed_least, -(long long)i << 33);
    atomicAnd(&t->signed_and, ~(1ll << i % 60));
    atomicAdd(&t->f, 0.25f);
    atomicExch(&t->f_exchanged, 1.5f);
    atomicAdd(&t->d, 0.5);
    add_to_short(&t->half_word, 3);
    atomicAdd_system(&t->system, 1);
    atomicAdd_block(&in_block, 1);
    most_of(most, (float)(i % 1000));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&t->block, in_block);
}

int main()
{
    totals h = {}, *d;
    float *most, h_most;

    h.most = -1000000;
    h.all = h.signed_and = -1;
    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&most, sizeof(float));
    cudaMemset(most, 0, sizeof(float));
    cudaMemcpy(d, &h, sizeof(h), cudaMemcpyHostToDevice);
    all<<<64, 128>>>(d, most);
    cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpy(&h_most, most, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s\n", h.add == THREADS * (THREADS - 1) / 2 ? "sum" : "wrong sum");
    printf("%d %d %d %#x %d %d %d\n", h.sub, h.least, h.most, h.all, h.any, h.odd, h.exchanged);
    printf("%u %u %u %u\n", h.up, h.down, h.uadd, h.umost);
    printf("%llx %llx %llx %lld %llx\n", h.wide, h.wide_most, h.wide_or, h.signed_least,
           h.signed_and);
    printf("%g %g %g %d\n", h.f, h.f_exchanged, h.d, h.half_word);
    printf("%d %d %g\n", h.system, h.block, h_most);
    return 0;
}
