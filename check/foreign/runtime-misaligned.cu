// error: misaligned address: in_fours reads 16 bytes at 0x
// error: which is no multiple of 16, in thread 0 of block 0 (runtime-misaligned.cu:10)
// Four floats at once want an address that is a multiple of 16: from the second element on the
// launch fails, as on a GPU. A structure that promises no more than its words' alignment may lie there.
#include <cstdio>

__global__ void in_fours(float *out, const float *in)
{
    int i = threadIdx.x;
    float4 four = *(const float4 *)(in + 4 * i);

    out[i] = four.x + four.y + four.z + four.w;
}

struct triple {
    float x, y, z;
};

__global__ void in_threes(float *out, const float *in)
{
    triple three = ((const triple *)in)[threadIdx.x];

    out[threadIdx.x] = three.x + three.y + three.z;
}

int main()
{
    float *in, *out;

    cudaMallocManaged(&in, 64 * sizeof(float));
    cudaMallocManaged(&out, 16 * sizeof(float));
    for (int i = 0; i < 64; i++)
        in[i] = i;
    in_fours<<<1, 4>>>(out, in);
    printf("from the first: %s, %g\n", cudaGetErrorName(cudaDeviceSynchronize()), out[3]);
    in_threes<<<1, 4>>>(out, in + 1);
    printf("threes: %s, %g\n", cudaGetErrorName(cudaDeviceSynchronize()), out[3]);
    in_fours<<<1, 4>>>(out, in + 1);
    printf("from the second: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("then: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
