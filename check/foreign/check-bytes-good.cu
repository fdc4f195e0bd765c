// flags: --check
// Threads that share words and no byte, and words whose parts and whole are accessed in turn with a barrier between:
// nothing is found.
#include <cuda_runtime.h>
#include <cstdio>

struct record {
    char kind;
    unsigned char level;
    short place;
    int value;
};

__global__ void neighbours(unsigned char *d, unsigned short *half, record *r)
{
    __shared__ unsigned char s[64];
    int t = threadIdx.x;

    d[t] = t;
    d[t] += 1;
    half[t] = 2 * t;
    s[t] = d[t];
    if (t % 4 == 0)
        r[t / 4].kind = t;
    else if (t % 4 == 1)
        r[t / 4].level = t;
    else if (t % 4 == 2)
        r[t / 4].place = t;
    else
        r[t / 4].value = t;
    __syncthreads();
    if (t < 16) {
        ((unsigned *)d)[t] += ((unsigned *)s)[t];
        ((unsigned *)s)[t] = 0;
        r[t].value += r[t].kind + r[t].level + r[t].place;
    }
    __syncthreads();
    d[63 - t] += s[t] + half[t];
}

int main()
{
    struct {
        unsigned char d[64];
        unsigned short half[64];
        record r[16];
    } *all;
    int sum = 0, records = 0;

    cudaMallocManaged(&all, sizeof(*all));
    for (int i = 0; i < 2; i++) { // the second launch finds the words in parts
        neighbours<<<1, 64>>>(all->d, all->half, all->r);
        cudaDeviceSynchronize();
    }
    for (int i = 0; i < 64; i++)
        sum += all->d[i];
    for (int i = 0; i < 16; i++)
        records += all->r[i].value;
    printf("%d %d\n", sum, records);
    return 0;
}
