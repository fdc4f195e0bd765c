// flags: --check
// status: 1
// error: two threads write d[0] of 64 elements, with no barrier between (behind_own_store)
// error: two threads write d[1] of 64 elements, with no barrier between (behind_neighbour)
// error: one thread reads what another writes, d[2] of 64 elements, with no barrier between (read_behind_read)
// error: two threads write byte 3 of w[0] of 16 elements, with no barrier between (word_then_byte)
// error: one thread reads what another writes, d[4] of 8 elements in shared memory, with no barrier between (in_shared)
// error: --check: 5 findings
// What each byte of a word was accessed by is known, though another byte of it was accessed later: by the same thread
// or by others.
#include <cuda_runtime.h>

__global__ void behind_own_store(unsigned char *d)
{
    if (threadIdx.x == 0) {
        d[0] = 1;
        d[1] = 2;
    } else if (threadIdx.x == 32) {
        d[0] = 3;
    }
}

__global__ void behind_neighbour(unsigned char *d)
{
    if (threadIdx.x < 4)
        d[threadIdx.x] = 1;
    else if (threadIdx.x == 32)
        d[1] = 3;
}

__global__ void read_behind_read(unsigned char *d, unsigned char *out)
{
    if (threadIdx.x < 4)
        out[threadIdx.x] = d[threadIdx.x];
    else if (threadIdx.x == 32)
        d[2] = 3;
}

__global__ void word_then_byte(unsigned *w)
{
    unsigned char *bytes = (unsigned char *)w;

    if (threadIdx.x == 0) {
        w[0] = 1;
        bytes[0] = 2;
    } else if (threadIdx.x == 32) {
        bytes[3] = 3;
    }
}

__global__ void in_shared(unsigned char *out)
{
    __shared__ unsigned char d[8];

    if (threadIdx.x < 8)
        d[threadIdx.x] = 1;
    else if (threadIdx.x == 32)
        out[0] = d[4];
}


int main()
{
    unsigned char *d;

    cudaMalloc(&d, 64);
    cudaMemset(d, 0, 64);
    behind_own_store<<<1, 64>>>(d);
    behind_neighbour<<<1, 64>>>(d);
    read_behind_read<<<1, 64>>>(d, d + 32);
    word_then_byte<<<1, 64>>>((unsigned *)d);
    in_shared<<<1, 64>>>(d);
    return cudaDeviceSynchronize();
}
